"""The short table of errors: the paper's methods, and whether its errors are reproduced."""

from ...analysis.compared import compared_methods, our_results, paper_errors
from ...analysis.error_rates import printed_errors, value_at
from ...analysis.ranks import compare_ranks
from ...analysis.verdict import RULE
from ..table import Cell, Column, Row, Table
from ._common import (
    DATASET,
    SIGNS,
    error_cell,
    extra_methods_remark,
    missing_remark,
    paper_error_rows,
    table_title,
)

NO_OTHERS = "no other method has a result"
SHOWN = ("euclidean", "pcml", "ncml")
paper = paper_error_rows


def make(run, name, item, collected):
    paper_values = paper_errors(run, item)
    results = our_results(run, item, collected["rows"])
    methods = compared_methods(run, item)
    shown = [method for method in SHOWN if method in methods]
    columns = [Column(method, run.title(method)) for method in shown]
    table = Table(
        name,
        f"{table_title(run, name)}: 1-NN error rate (%), ours and the paper's.",
        [DATASET],
        [*columns, Column("others", "best of the others")],
        legend="Ours ± standard deviation, then the paper's. " + SIGNS,
    )
    for dataset, means in results.items():
        cells = _error_cells(run, dataset, means, paper_values, shown)
        table.rows.append(Row([dataset], [run.dataset_title(dataset)], cells))
    table.rows.append(_rank_row(run, printed_errors(results), paper_values, shown))
    table.remarks = [
        "Best of all compared methods in bold.",
        *missing_remark(table),
        RULE,
        "Average rank: ties share the mean of their places; the paper's is computed by the same "
        "rule, from its errors of the same methods on the same data sets.",
        *extra_methods_remark(run, item, "of the best of the others and of the ranks"),
    ]
    return table


def _error_cells(run, dataset, means, paper_values, shown):
    """The errors of the shown methods, then of the best of the others."""
    known = {method: mean.value for method, mean in means.items() if mean.value is not None}
    lowest = min((round(value, 2) for value in known.values()), default=None)

    def cell(method, label=""):
        made = error_cell(
            means[method],
            value_at(paper_values, dataset, method),
            fixed=run.datasets[dataset]["fixed"],
            best=method in known and round(known[method], 2) == lowest,
            label=label,
        )
        made.facts["method"] = method
        return made

    others = sorted((method for method in known if method not in shown), key=known.__getitem__)
    last = [cell(method, run.title(method)) for method in others[:1]]
    return [*[cell(method) for method in shown], *(last or [Cell(note=NO_OTHERS)])]


def _rank_row(run, errors, paper_values, shown):
    ranks, paper_ranks, n_datasets = compare_ranks(errors, paper_values)
    others = sorted((method for method in ranks if method not in shown), key=ranks.__getitem__)

    def cell(method, label=""):
        if method not in ranks:
            return Cell()
        return Cell(
            ranks[method],
            paper=paper_ranks.get(method),
            best=ranks[method] == min(ranks.values()),
            label=label,
            facts={"method": method, "datasets": n_datasets},
        )

    cells = [cell(method) for method in shown]
    cells += [cell(method, run.title(method)) for method in others[:1]] or [Cell()]
    title = f"Average rank over {n_datasets} data set{'' if n_datasets == 1 else 's'}"
    return Row(["average_rank"], [title], cells, rule=True, summary=True)
