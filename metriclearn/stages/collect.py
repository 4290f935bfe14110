"""Put the rows of all jobs of a group into one csv, their times into another.

    metriclearn collect uci --experiment paper

Groups of data sets are those of conf/dataset (uci, digits), and ``own`` for csv files; beside their
rows lies what the data are (.data.csv). An image set is a group of its own; beside its rows lie the
points of the curves (.curve.csv). So is the table of an ablation, whose rows name their variant.

With --finished the jobs that have not been run are left out, to see tables before a run is
complete; a method that lacks folds, or seeds of tuning, has no value there.
"""

from functools import cache
from pathlib import Path

from ..evaluation.splits import read_split
from ..files.columns import CURVE_COLUMNS
from ..files.errors import PipelineError, guard
from ..files.job import beside
from ..files.store import read_arrays, read_rows, write_rows
from .cli import add_run, make_parser, run_of

DATA_COLUMNS = [
    "dataset",
    "title",
    "group",
    "status",
    "message",
    "content_hash",
    "n_samples",
    "n_features",
    "n_classes",
    "pca",
    "n_train",
    "n_test",
]


def collect(run, group, *, finished=False):
    """Write results/<run>/<group>.rows.csv and what belongs to it, from the run's jobs.

    ``finished``: from those that have been run.
    """
    if group not in run.groups():
        known = ", ".join(run.groups())
        raise PipelineError(f"unknown group {group!r}; the run {run.name} has {known}")
    paths = run.collected(group)
    jobs, ablation = run.sources(group), run.ablations.tables.get(group)
    if finished:
        jobs = [job for job in jobs if Path(job.file).is_file()]
        if not jobs:
            raise PipelineError(f"no job of {group} has been run; snakemake --cores 8 runs them")
    repeats = ablation["repeats"] if ablation else None
    if "data" in paths:
        write_rows(paths["data"], DATA_COLUMNS, [data_row(run, d) for d in run.group(group)])
    if "curve" in paths:
        curves = [job._replace(file=beside(job.file, "curve")) for job in jobs]
        points = [point for rows in _selected(curves) for point in rows]
        write_rows(paths["curve"], CURVE_COLUMNS, points)
    for kind in ("times", "rows"):
        rows = _all_rows([job._replace(file=beside(job.file, kind)) for job in jobs], repeats)
        write_rows(paths[kind], list(rows[0]), rows)
    print(f"{paths['rows']}: {len(rows)} rows")
    return rows


def _all_rows(sources, repeats):
    """The rows of all sources, with their labels if they have some; ``repeats``: only the first."""
    found = []
    for (label, path, chosen), rows in zip(sources, _selected(sources), strict=True):
        if not rows:
            what = f" of {' '.join(chosen.values())}" if chosen else ""
            raise PipelineError(f"{path} has no rows{what}; delete it and run again")
        mark = {"variant": label} if label else {}
        found += [
            {**mark, **row} for row in rows if repeats is None or int(row["repeat"]) < repeats
        ]
    return found


def _selected(sources):
    """The rows of each source."""
    read = cache(read_rows)
    for _, path, chosen in sources:
        yield [row for row in read(path) if chosen.items() <= row.items()]


def data_row(run, dataset):
    """What a data set is, with the sizes of the smallest fold and of the rest."""
    facts = dict(read_arrays(run.places.data(dataset))[0])
    if facts["status"] == "ok":
        fold_of = read_split(run.places.split(dataset))[1][0]
        n_test = min(int((fold_of == f).sum()) for f in range(int(fold_of.max()) + 1))
        facts.update(n_train=facts["n_samples"] - n_test, n_test=n_test)
    return {**facts, "dataset": dataset}


def main():
    parser = make_parser("collect", __doc__)
    parser.add_argument("group", help="e.g. uci, lfw or ablation_k")
    add_run(parser)
    parser.add_argument("--finished", action="store_true", help="only jobs that have been run")
    options = parser.parse_args()
    guard(lambda: collect(run_of(options), options.group, finished=options.finished))
