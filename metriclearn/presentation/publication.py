"""A run's results as they are kept in git: compressed rows, and the tables that they give.

``results/published`` holds the collected rows of a run, each file under the name it has in the run
with .gz, its tables and its provenance; ``figures/published`` its figures; ``results/report.html``
shows them, and the README has the short table. So that no number can drift or be typed in, all of
that can be made again from the rows, anywhere.
"""

import gzip
import os
import re
import shutil
from pathlib import Path

from ..files.atomic import write_atomically
from ..files.columns import IDENTITY
from ..files.errors import PipelineError
from ..files.store import read_json, read_rows, write_rows

RESULTS = Path("results/published")
FIGURES = Path("figures/published")
PAGE = Path("results/report.html")
README = Path("README.md")
PROVENANCE = RESULTS / "provenance.json"
TABLE_ENDS = ("csv", "md", "tex")
FIGURE_ENDS = ("csv", "svg", "png")
# In the README: <!-- file of RESULTS -->, its text, <!-- end -->.
INCLUDED = re.compile(r"(<!-- (results/published/\S+\.md) -->\n).*?(<!-- end -->)", re.DOTALL)


def choose_items(run, names):
    """(tables, figures) of these names; of all, if there are none."""
    tables, figures = list(run.experiment["tables"]), list(run.experiment["figures"])
    for name in names:
        if name not in tables + figures:
            known = ", ".join(tables + figures)
            raise PipelineError(f"unknown table or figure {name!r}; there are {known}")
    chosen = names or tables + figures
    return [t for t in tables if t in chosen], [f for f in figures if f in chosen]


def row_files(run, tables, figures):
    """The files that tables and figures are made from, without results/<run>/, each once."""
    inputs = [run.table_inputs(item) for item in tables]
    inputs += [run.figure_inputs(item) for item in figures]
    paths = [path for lists in inputs for files in lists.values() for path in files]
    return list(dict.fromkeys(os.path.relpath(path, f"results/{run.name}") for path in paths))


def row_plan(run, names):
    """(from, to) of row files; they are compressed on the way."""
    return [(Path(f"results/{run.name}/{name}"), RESULTS / f"{name}.gz") for name in names]


def item_plan(run, tables, figures):
    """(from, to) of the files of tables and figures."""
    plan = [
        (Path(f"results/{run.name}/tables/{item}.{end}"), RESULTS / f"tables/{item}.{end}")
        for item in tables
        for end in TABLE_ENDS
    ]
    plan += [
        (Path(f"figures/{run.name}/{item}.{end}"), FIGURES / f"{item}.{end}")
        for item in figures
        for end in FIGURE_ENDS
    ]
    return plan


def copy_files(run, plan, made_in="."):
    """Publish files of a run, made in this folder; none of them if one is missing."""
    sources = [Path(made_in) / source for source, _ in plan]
    _need(run, sources)
    for source, (_, target) in zip(sources, plan, strict=True):
        content = source.read_bytes()
        if target.suffix == ".gz":
            content = gzip.compress(content, 9, mtime=0)
        write_atomically(target, content)


def copy_rows(run, names, scratch):
    """The row files of a run in ``scratch``, where the run has them."""
    sources = [source for source, _ in row_plan(run, names)]
    _need(run, sources)
    for source in sources:
        write_atomically(scratch / source, source.read_bytes())


def _need(run, paths):
    absent = [path for path in paths if not path.is_file()]
    if absent:
        raise PipelineError(
            f"{absent[0]} and {len(absent) - 1} more are missing: finish the run "
            f"{run.name} first, snakemake --cores 8"
        )


def remove_others(plan):
    """What was published before goes, but for the files of the plan."""
    keep = {target for _, target in plan}
    for path in {*RESULTS.rglob("*.gz"), *RESULTS.glob("tables/*"), *FIGURES.glob("*")} - keep:
        path.unlink()


def published_items():
    """The names of what is published here, by the provenance file."""
    try:
        return read_json(PROVENANCE)["items"]
    except (OSError, ValueError, KeyError) as error:
        raise PipelineError(f"{PROVENANCE}: no list of items ({error}); publish the run") from error


def with_published(text):
    """The text of the README with the published files between their marks, as they are now."""

    def renewed(found):
        before, name, after = found.groups()
        if not Path(name).is_file():
            raise PipelineError(f"{README} includes {name}, which is not published")
        return before + Path(name).read_text(encoding="utf-8") + after

    return INCLUDED.sub(renewed, text)


def fill_rows(run, group, scratch):
    """Add to the rows of a group in ``scratch`` those of finished jobs of the run that they lack.

    Returns the times that were added. A row that is in both must be the same.
    """
    groups = dict.fromkeys(run.datasets[name]["group"] for name in run.main_datasets())
    if group not in groups:
        raise PipelineError(
            f"--again takes groups of data sets ({', '.join(groups)}), got {group!r}"
        )
    place = {name: i for i, name in enumerate([*run.main_datasets(), *run.methods])}
    added = {}
    for kind in ("rows", "times"):
        path = scratch / run.collected(group)[kind]
        before = {_identity(row): row for row in read_rows(path)}
        own = [
            row
            for job in run.group_rows(group)
            if Path(job).is_file()
            for row in read_rows(job.replace(".rows.", f".{kind}."))
        ]
        for row in own if kind == "rows" else []:
            if before.get(_identity(row), row) != row:
                raise PipelineError(
                    f"{' '.join(_identity(row))} differs from the published row; publish the run"
                )
        added[kind] = [row for row in own if _identity(row) not in before]
        rows = sorted(
            [*before.values(), *added[kind]],
            key=lambda row: (
                place[row["dataset"]],
                place[row["method"]],
                int(row["repeat"]),
                int(row["fold"]),
            ),
        )
        write_rows(path, list(rows[0]), rows)
    if not added["rows"]:
        raise PipelineError(f"the run {run.name} has no rows of {group} that are not published")
    return added["times"]


def _identity(row):
    return tuple(row[column] for column in IDENTITY)


def unpack_rows(run, names, root, scratch):
    """The published rows of ``root`` in ``scratch``, where the run has them."""
    for name in names:
        target = scratch / "results" / run.name / name
        target.parent.mkdir(parents=True, exist_ok=True)
        packed = root / RESULTS / f"{name}.gz"
        try:
            with gzip.open(packed, "rb") as source, open(target, "wb") as unpacked:
                shutil.copyfileobj(source, unpacked)
        except OSError as error:
            raise PipelineError(f"{packed}: cannot be read ({error}); publish the run") from error
