"""How much each choice matters: the same methods under several settings, data set by data set."""

import pandas as pd

from ...analysis.compared import paper_errors
from ...analysis.error_rates import NO_ROWS, mean_rates, mean_seconds, value_at
from ..render import signed
from ..table import Cell, Column, Row, Table
from ._common import METHOD, missing_remark, paper_error_rows, table_title

VARIANT = Column("variant", "Variant", words=True)
JOB = ("dataset", "method", "variant")
ALL_GROUPS = {"group": "all"}


def paper(run, item):
    return paper_error_rows(run, ALL_GROUPS)


def make(run, name, item, collected):
    """A row per method and variant, then the paper's errors; a column per data set.

    The mean is over the data sets on which every row has a result.
    """
    groups, paper_values = row_groups(item), paper_errors(run, ALL_GROUPS)
    cells = _cells(item, collected["rows"], collected["times"], paper_values)
    columns = [Column(d, run.dataset_title(d), paper="apart") for d in item["datasets"]]
    if n_complete := _add_means(item, cells):
        columns.append(Column("mean", f"Mean of {n_complete}", paper="apart"))
    title = f"{table_title(run, name)}: {item['title']}, 1-NN error rate (%)."
    table = Table(name, title, [METHOD, VARIANT], columns)
    for group in groups:
        for column in columns:
            _compare([cells[column.key, *job] for job in group])
        for method, variant in group:
            line = [cells[column.key, method, variant] for column in columns]
            first = (method, variant) == group[0]
            table.rows.append(
                Row([method, variant], [run.title(method), variant], line, rule=first)
            )
        method = group[0][0]
        printed = [Cell(paper=value_at(paper_values, column.key, method)) for column in columns]
        if any(cell.paper is not None for cell in printed):
            table.rows.append(Row([method, "paper"], [run.title(method), "paper"], printed))
    method, variant = groups[0][0]
    base = run.title(method) if _by_method(item) else f"the first variant ({variant})"
    table.remarks = [
        "All else as in Tables 3 and 5, parameters tuned on the training part unless set; "
        f"{_repetitions(item)}. Best {'' if len(groups) == 1 else 'per method '}in bold. The "
        "paper's errors are given for comparison, without a verdict.",
        *missing_remark(table),
    ]
    table.legend = f"In brackets: the difference to {base}."
    return table


def _add_means(item, cells):
    """Add the means over the complete data sets; returns how many there are, 0 if no mean is."""
    jobs = sum(row_groups(item), [])
    values = {job: [cells[dataset, *job].value for dataset in item["datasets"]] for job in jobs}
    errors = pd.DataFrame(values, index=item["datasets"], dtype=float).dropna()
    if errors.empty or len(item["datasets"]) < 2:
        return 0
    for job, mean in errors.mean().items():
        cells["mean", *job] = Cell(float(mean))
    return len(errors)


def _by_method(item):
    return len(item["variants"]) == 1


def row_groups(item):
    """(method, variant) of the rows that are compared: a method's variants; with one variant, the
    methods."""
    groups = [[(method, variant) for variant in item["variants"]] for method in item["methods"]]
    return [sum(groups, [])] if _by_method(item) else groups


def _cells(item, rows, times, paper_values):
    means, seconds = mean_rates(rows, JOB), mean_seconds(times, JOB, "fit_cpu_s")
    cells = {}
    for dataset in item["datasets"]:
        for method, variant in sum(row_groups(item), []):
            mean = means.get((dataset, method, variant), NO_ROWS)
            cells[dataset, method, variant] = Cell(
                mean.value,
                mean.std,
                value_at(paper_values, dataset, method),
                note=mean.note,
                facts={
                    "folds": mean.folds,
                    "fit_cpu_s": seconds.get((dataset, method, variant)),
                },
            )
    return cells


def _compare(cells):
    """Mark the best one, and write how far each is from the first."""
    known = [cell for cell in cells if cell.value is not None]
    for cell in known:
        cell.best = round(cell.value, 2) == min(round(other.value, 2) for other in known)
        if cell is not cells[0] and cells[0].value is not None:
            cell.facts["change"] = cell.value - cells[0].value
            cell.detail = signed(cell.facts["change"])


def _repetitions(item):
    return f"{item['repeats']} repetition{'s' * (item['repeats'] > 1)} of the folds"
