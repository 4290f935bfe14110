"""Stage 5: the rows of all jobs of a group in one csv, their times in another.

    metriclearn collect uci --experiment paper

Groups of data sets are those of conf/dataset (uci, digits), and ``own`` for csv files; beside their
rows lies what the data are (.data.csv). An image set is a group of its own; beside its rows lie the
points of the curves (.curve.csv). So is the table of an ablation.
"""

from ..evaluation.splits import read_split
from ..files.columns import (
    CURVE_COLUMNS,
    MATCH_ROW_COLUMNS,
    MATCH_TIME_COLUMNS,
    ROW_COLUMNS,
    TIME_COLUMNS,
)
from ..files.errors import PipelineError
from ..files.job import beside
from ..files.provenance import COLUMNS
from ..files.store import read_arrays, read_rows, write_rows
from . import stopping
from .cli import run_command

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


def collect(run, group):
    """Write results/<run>/<group>.rows.csv and what belongs to it, from the run's jobs."""
    places, columns = run.collected(group), (ROW_COLUMNS, TIME_COLUMNS + COLUMNS)
    jobs, repeats = [("", path) for path in run.group_rows(group)], None
    if "data" in places:
        write_rows(places["data"], DATA_COLUMNS, [data_row(run, d) for d in run.group(group)])
    if "curve" in places:
        columns = MATCH_ROW_COLUMNS, MATCH_TIME_COLUMNS + COLUMNS
        curves = [beside(path, "curve") for _, path in jobs]
        points = [point for path in curves for point in read_rows(path)]  # none without data
        write_rows(places["curve"], CURVE_COLUMNS, points)
    if group in run.ablations.tables:
        jobs = run.ablations.jobs(group)
        if run.ablations.tables[group]["kind"] == "stopping":
            columns = stopping.COLUMNS, stopping.TIME_COLUMNS
        else:
            columns = ["variant", *columns[0]], ["variant", *columns[1]]
        repeats = run.ablations.tables[group]["repeats"]
    rows = _gathered(jobs, repeats)
    times = _gathered([(label, beside(path, "times")) for label, path in jobs], repeats)
    write_rows(places["times"], columns[1], times)
    write_rows(places["rows"], columns[0], rows)
    print(f"{places['rows']}: {len(rows)} rows")
    return rows


def _gathered(files, repeats):
    """The rows of all files, with their labels; of the first repetitions if there is a number."""
    rows = []
    for label, path in files:
        here = read_rows(path)
        if not here:
            raise PipelineError(f"{path} has no rows; delete it and run again")
        rows += [
            {**row, "variant": label}
            for row in here
            if repeats is None or int(row["repeat"]) < repeats
        ]
    return rows


def data_row(run, dataset):
    """What a data set is, with the sizes of the smallest fold and of the rest."""
    facts = dict(read_arrays(f"results/data/{dataset}.npz")[0])
    if facts["status"] == "ok":
        fold_of = read_split(f"results/{run.name}/splits/{dataset}.npz")[1][0]
        n_test = min(int((fold_of == f).sum()) for f in range(int(fold_of.max()) + 1))
        facts.update(n_train=facts["n_samples"] - n_test, n_test=n_test)
    return {**facts, "dataset": dataset}


def main():
    run_command("collect", __doc__, collect)
