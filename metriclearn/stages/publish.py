"""Keep a finished run's results in git, or check those that are kept.

    metriclearn publish --experiment paper
    metriclearn publish table2 table3 figure4
    metriclearn publish --add ablation_k
    metriclearn publish --again digits
    metriclearn publish --check

Publishing copies the tables, the compressed rows and the provenance of a run to results/published
and its figures to figures/published, and makes results/report.html and the README's tables from
them; with names of tables and figures, of these only. With --add they come beside what is
published already, made from the published rows and, where these have none, from those of the run.
With --again all that is published is made again from the published rows; a group of data sets that
is named first gets the rows that it lacks from the finished jobs of the run.
The check makes everything again from the published rows and names what differs.
"""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from ..experiment.plan import Run
from ..files.errors import PipelineError, guard
from ..files.store import read_json, write_json, write_rows, write_text
from ..presentation.publication import (
    FIGURES,
    PAGE,
    PROVENANCE,
    README,
    RESULTS,
    TABLE_ENDS,
    choose_items,
    copy_files,
    copy_rows,
    fill_rows,
    item_plan,
    published_items,
    remove_others,
    row_files,
    row_plan,
    unpack_rows,
    with_published,
)
from ..presentation.run_facts import read_times, run_facts
from .cli import make_parser
from .figures import figure_content, make_figure
from .report import published_page
from .tables import make_table


def publish(run, names=()):
    """Copy the results of a finished run to where git keeps them."""
    tables, figures = choose_items(run, list(names))
    rows = row_files(run, tables, figures)
    plan = row_plan(run, rows) + item_plan(run, tables, figures)
    copy_files(run, plan)
    remove_others(plan)
    _finish(run, {**run_facts(run, read_times(run, rows)), "items": tables + figures})
    print(f"{len(plan)} files of the run {run.name} published; commit results/ and figures/")


def add(run, names):
    """Publish further items beside those that are there."""
    tables, figures = choose_items(run, list(names))
    before = published_items()
    twice = [name for name in tables + figures if name in before]
    if twice:
        raise PipelineError(f"{', '.join(twice)}: published already; name only what is new")
    known = row_files(run, *choose_items(run, before))
    rows = row_files(run, tables, figures)
    new = [name for name in rows if name not in known]
    plan = row_plan(run, new) + item_plan(run, tables, figures)
    with tempfile.TemporaryDirectory() as scratch:
        unpack_rows(run, [name for name in rows if name in known], Path.cwd(), Path(scratch))
        copy_rows(run, new, Path(scratch))
        _make_in(scratch, run, tables, figures)
        copy_files(run, plan, made_in=scratch)
    items = sum(choose_items(run, before + tables + figures), [])
    added = {**run_facts(run, read_times(run, new)), "items": tables + figures}
    _finish(run, {**_with_added(added), "items": items})
    print(f"{len(plan)} files of the run {run.name} added; commit results/ and figures/")


def again(run, groups=()):
    """Make everything again from the published rows, after filling up those of some groups."""
    tables, figures = choose_items(run, published_items())
    rows = row_files(run, tables, figures)
    with tempfile.TemporaryDirectory() as scratch:
        unpack_rows(run, rows, Path.cwd(), Path(scratch))
        new = {group: fill_rows(run, group, Path(scratch)) for group in groups}
        _make_in(scratch, run, tables, figures)
        copy_files(run, row_plan(run, rows) + item_plan(run, tables, figures), made_in=scratch)
    times = [row for lines in new.values() for row in lines]
    added = {**run_facts(run, times), "rows": {group: len(lines) for group, lines in new.items()}}
    _finish(run, _with_added(added) if groups else read_json(PROVENANCE))
    made = len(tables) + len(figures)
    print(f"{len(times)} rows added, {made} tables and figures made; commit results/ and figures/")


def _make_in(scratch, run, tables, figures):
    run.check()  # csv files of one's own are looked up from here
    with _inside(scratch):
        for item in tables:
            make_table(run, item)
        for item in figures:
            make_figure(run, item)


def _with_added(added):
    """The provenance with that of what came later."""
    facts = read_json(PROVENANCE)
    return {**facts, "added": [*facts.get("added", []), added]}


def _finish(run, provenance):
    write_json(PROVENANCE, provenance)
    write_text(PAGE, published_page(run))
    write_text(README, with_published(README.read_text(encoding="utf-8")))


def check(run, root="."):
    """Fail if something published is not exactly what the published rows give."""
    with tempfile.TemporaryDirectory() as scratch:
        wrong = drifted(run, root, scratch)
    if wrong:
        raise PipelineError(f"not what the published rows give: {', '.join(wrong)}")
    print("every published table and curve, and the page, is what the published rows give")


def drifted(run, root, scratch):
    """What is published in ``root`` and not exactly what the published rows give.

    ``scratch`` is an empty folder.
    """
    root, scratch = Path(root).resolve(), Path(scratch).resolve()
    run.check()  # csv files of one's own are looked up from here
    with _inside(root):
        tables, figures = choose_items(run, published_items())
    unpack_rows(run, row_files(run, tables, figures), root, scratch)
    wrong = []
    with _inside(scratch):
        for item in tables:
            make_table(run, item)
            wrong += [
                f"{RESULTS}/tables/{item}.{end}"
                for end in TABLE_ENDS
                if _bytes(root / RESULTS / f"tables/{item}.{end}")
                != _bytes(Path(f"results/{run.name}/tables/{item}.{end}"))
            ]
        for item in figures:
            columns, rows, _ = figure_content(run, item)
            write_rows(f"figures/{item}.csv", columns, rows)
            if _bytes(root / FIGURES / f"{item}.csv") != _bytes(Path(f"figures/{item}.csv")):
                wrong.append(f"{FIGURES}/{item}.csv")
    with _inside(root):
        if _bytes(PAGE) != published_page(run).encode():
            wrong.append(str(PAGE))
        text = README.read_text(encoding="utf-8")
        if text != with_published(text):
            wrong.append(str(README))
    return wrong


def _bytes(path):
    return path.read_bytes() if path.is_file() else None


@contextmanager
def _inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main():
    parser = make_parser("publish", __doc__)
    parser.add_argument(
        "items", nargs="*", metavar="ITEM", help="tables and figures (default: all), or groups"
    )
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--add", action="store_true", help="beside what is published already")
    how.add_argument(
        "--again",
        action="store_true",
        help="from the published rows, and from those "
        "that finished jobs have of the groups named (e.g. digits)",
    )
    how.add_argument("--check", action="store_true", help="compare, and change nothing")
    options = parser.parse_args()
    if options.check and options.items:
        parser.error("--check looks at everything that is published; it takes no items")
    if options.add and not options.items:
        parser.error("--add takes the names of the tables and figures to add")
    ways = {check: options.check, add: options.add, again: options.again, publish: True}
    work = next(way for way, wanted in ways.items() if wanted)
    items = [] if options.check else [options.items]
    guard(lambda: work(Run(options.experiment), *items))
