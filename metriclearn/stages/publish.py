"""Keep a finished run's results in git, or check those that are kept.

    metriclearn publish --experiment paper
    metriclearn publish table2 table3 figure4
    metriclearn publish --add ablation_k
    metriclearn publish --again viper lfw figure1
    metriclearn publish --check

Publishing copies the tables, the compressed rows and the provenance of a run to results/published
and its figures to figures/published, and from them makes results/report.html and what the README
includes; with names of tables and figures, of these only. With --add they come beside what is
published already, made from the published rows and, where these have none, from those of the run.
With --again all that is published is made again from the published rows; those of a group that is
named (of data sets, images or an ablation), or behind a table or figure that is named, are first
replaced by the run's.
The check makes everything again from the published rows and names what differs; it also looks up
the numbers of the answer and the findings in the published tables.
"""

import tempfile
from pathlib import Path

from ..experiment.run import Run
from ..files.errors import PipelineError, guard
from ..files.store import read_json, write_json, write_text
from ..presentation.make import make_figure, make_table
from ..presentation.page.bundle import without_bundle
from ..presentation.publication import (
    Publication,
    choose_items,
    complete_items,
    copy_rows,
    renew_rows,
    row_files,
)
from ..presentation.run_facts import read_times, run_facts
from .cli import make_parser
from .report import published_page


def publish(run, names=()):
    """Copy the results of a finished run to where git keeps them."""
    published = Publication()
    tables, figures = choose_items(run, list(names))
    rows = row_files(run, tables, figures)
    stored = published.store(run, rows, tables, figures)
    published.remove_others(stored)
    facts = run_facts(run, read_times(run, rows))
    _finish(run, published, {**facts, "items": tables + figures})
    print(f"{len(stored)} files of the run {run.name} published; commit results/ and figures/")


def add(run, names):
    """Publish further items beside those that are published already."""
    published = Publication()
    tables, figures = choose_items(run, list(names))
    before = published.items()
    twice = [name for name in tables + figures if name in before]
    if twice:
        raise PipelineError(f"{', '.join(twice)}: published already; name only what is new")
    known = row_files(run, *choose_items(run, before))
    rows = row_files(run, tables, figures)
    new = [name for name in rows if name not in known]
    with tempfile.TemporaryDirectory() as scratch:
        unpacked = run.at(scratch)
        published.unpack(unpacked, [name for name in rows if name in known])
        copy_rows(run, new, unpacked)
        _make(unpacked, tables, figures)
        stored = published.store(unpacked, new, tables, figures)
    items = sum(choose_items(run, before + tables + figures), [])
    added = {**run_facts(run, read_times(run, new)), "items": tables + figures}
    facts = _with_added(published, added) if new else read_json(published.provenance)
    _finish(run, published, {**facts, "items": items})
    print(f"{len(stored)} files of the run {run.name} added; commit results/ and figures/")


def again(run, names=()):
    """Make everything again from the published rows, those of some names taken from the run."""
    published = Publication()
    items = published.items()
    with tempfile.TemporaryDirectory() as scratch:
        unpacked = run.at(scratch)
        published.unpack(unpacked, row_files(run, *choose_items(run, items)))
        files = {name: renew_rows(run, name, unpacked) for name in names}
        if names:
            items = complete_items(unpacked)
        tables, figures = choose_items(run, items)
        _make(unpacked, tables, figures)
        stored = published.store(unpacked, row_files(run, tables, figures), tables, figures)
    published.remove_others(stored)
    new = {name: read_times(run, found) for name, found in files.items()}
    times = [row for lines in new.values() for row in lines]
    added = {**run_facts(run, times), "rows": {name: len(lines) for name, lines in new.items()}}
    facts = _with_added(published, added) if names else read_json(published.provenance)
    _finish(run, published, {**facts, "items": items})
    made = len(tables) + len(figures)
    print(
        f"{len(times)} rows renewed, {made} tables and figures made; commit results/ and figures/"
    )


def _make(run, tables, figures):
    for item in tables:
        make_table(run, item)
    for item in figures:
        make_figure(run, item)


def _with_added(published, added):
    """The provenance with that of what was added later."""
    facts = read_json(published.provenance)
    return {**facts, "added": [*facts.get("added", []), added]}


def _finish(run, published, provenance):
    write_json(published.provenance, provenance)
    write_text(published.page, published_page(run, published))
    write_text(published.readme, published.renewed_readme())
    for path, badge in published.made_badges().items():
        write_text(path, badge)


def check(run, root="."):
    """Fail if something published is not exactly what the published rows give."""
    with tempfile.TemporaryDirectory() as scratch:
        wrong = drifted(run, root, scratch)
    if wrong:
        raise PipelineError(f"not what the published rows give: {', '.join(wrong)}")
    published = Publication(root)
    for text, numbers in published.unknown_numbers().items():
        raise PipelineError(
            f"{text}: no published table has {', '.join(numbers)}; correct the text"
        )
    print("every published table and curve, and the page, is what the published rows give")


def drifted(run, root, scratch):
    """What is published in ``root`` and not exactly what the published rows give.

    ``scratch`` is an empty folder. Of figures the numbers are compared, not the pictures, whose
    bytes depend on the fonts of a machine.
    """
    published, unpacked = Publication(root), run.at(scratch)
    tables, figures = choose_items(run, published.items())
    published.unpack(unpacked, row_files(run, tables, figures))
    _make(unpacked, tables, figures)
    wrong = []
    for target, (item, kind, end) in published.targets(tables, figures).items():
        made = Path(getattr(unpacked.places, kind)(item, end))
        if (kind == "table" or end in ("csv", "json")) and _bytes(target) != made.read_bytes():
            wrong.append(target)
    page = (_bytes(published.page) or b"").decode("utf-8")
    if without_bundle(page) != without_bundle(published_page(run, published)):
        wrong.append(published.page)
    if published.readme.read_text(encoding="utf-8") != published.renewed_readme():
        wrong.append(published.readme)
    badges = published.made_badges().items()
    wrong += [path for path, badge in badges if _bytes(path) != badge.encode("utf-8")]
    return [path.relative_to(root).as_posix() for path in wrong]


def _bytes(path):
    return path.read_bytes() if path.is_file() else None


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
        help="from the published rows, and from the run's where something is named (e.g. viper)",
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
