"""When to stop: iterations, gap, error and time by the paper's rule and by a certified gap."""

import pandas as pd

from ...analysis.error_rates import NO_ROWS, mean_rate
from ..table import Cell, Column, Row, Table
from ._common import DATASET, METHOD, missing_remark, table_title

RULES = {"paper": "the paper's rule", "certified": "certified gap"}
RULE = Column("rule", "Stopped by", words=True)
COLUMNS = [
    Column("iterations", "iterations", number=".1f"),
    Column("relative_gap", "relative gap", number=".1e"),
    Column("error", "error (%)", paper="apart"),
    Column("fit_cpu_s", "fit (s)", number=".3g"),
]


def make(run, name, item, collected):
    """A row per data set, method and stopping rule, means over the folds."""
    table = Table(
        name,
        f"{table_title(run, name)}: {item['title']}.",
        [DATASET, METHOD, RULE],
        COLUMNS,
        remarks=[
            f"C = {item['C']:g}, k = {item['k']}. The paper's rule is its alternation on LibSVM, "
            "stopped when its formula for the gap falls below 0.01 of the first one; the other is "
            "the fast solver with a certified relative gap of 1e-3. The gaps shown are true ones."
        ],
    )
    rows, times = pd.DataFrame(collected["rows"]), pd.DataFrame(collected["times"])
    for dataset in item["datasets"]:
        for method in item["methods"]:
            for rule, title in RULES.items():
                job = dataset, method, rule
                titles = [run.dataset_title(dataset), run.title(method), title]
                cells = _cells(_of(rows, *job), _of(times, *job))
                table.rows.append(Row(list(job), titles, cells, rule=rule == "paper"))
    table.remarks += missing_remark(table)
    return table


def _of(frame, dataset, method, rule):
    """The rows of a job; one that failed before any rule was tried has none in that column."""
    if frame.empty:
        return frame
    own = (frame["dataset"] == dataset) & (frame["method"] == method)
    return frame[own & frame["rule"].isin([rule, ""])]


def _cells(rows, times):
    error = NO_ROWS if rows.empty else mean_rate(rows)
    if error.value is None:
        return [Cell(note=error.note) for _ in COLUMNS]
    facts = {"folds": error.folds}
    return [
        Cell(_mean(rows, "iterations"), facts=facts),
        Cell(_mean(rows, "relative_gap"), facts=facts),
        Cell(error.value, error.std, facts=facts),
        Cell(_mean(times, "fit_cpu_s"), facts=facts),
    ]


def _mean(frame, column):
    return float(frame[column].map(float).mean())
