"""Tables 3 and 5: error rates and average ranks, beside the paper's."""

from functools import partial

import pandas as pd

from ...analysis.compared import expected_folds
from ...analysis.error_rates import printed_errors, read_paper, summarise, value_at
from ...analysis.ranks import compare_ranks
from ...analysis.verdict import RULE
from ..table import Cell, Column, Row, Table
from ._common import (
    DATASET,
    SIGNS,
    error_cell,
    extra_methods_remark,
    missing_remark,
    paper_table_rows,
    table_title,
)

PRINTED = "average_rank"  # the row of conf/paper with the ranks that the paper prints
paper = paper_table_rows


def make(run, name, item, collected):
    titles = {row["dataset"]: row["title"] for row in collected["data"]}
    paper_values = read_paper(item["paper"]) if item["paper"] else pd.DataFrame()
    methods = list(run.methods)
    results = summarise(collected["rows"], titles, methods, partial(expected_folds, run))
    errors = printed_errors(results)
    best = errors.eq(errors.min(axis=1), axis=0)
    with_paper = ", ours and the paper's" if item["paper"] else ""
    table = Table(
        name,
        f"{table_title(run, name)}: 1-NN error rate (%){with_paper}.",
        [DATASET],
        [Column(method, run.title(method)) for method in methods],
        stacked=bool(item["paper"]),
        transposed=True,
    )
    for dataset, means in results.items():
        cells = [
            error_cell(
                mean,
                value_at(paper_values, dataset, method),
                fixed=run.datasets[dataset]["fixed"],
                best=bool(best.at[dataset, method]),
            )
            for method, mean in means.items()
        ]
        table.rows.append(Row([dataset], [titles[dataset]], cells, rule=True))
    in_paper = [m for m in methods if not item["paper"] or m in paper_values.columns]
    ranks, paper_ranks, n_datasets = compare_ranks(errors.reindex(columns=in_paper), paper_values)
    table.rows.append(_rank_row(methods, ranks, paper_ranks, n_datasets))
    table.remarks = [
        _protocol(run),
        *_seeds_remark(run, results, titles),
        *_tuning_remark(run, collected["rows"], titles),
        *missing_remark(table),
    ]
    if item["paper"]:
        table.remarks.append(RULE)
        table.legend = SIGNS
    rank_rule = (
        "Average rank: ties share the mean of their places; over "
        f"{n_datasets} of {len(results)} data sets, those on which every compared method has a "
        "result."
    )
    if PRINTED in paper_values.index:
        cells = [Cell(paper=value_at(paper_values, PRINTED, method)) for method in methods]
        title = "Average rank as the paper prints it"
        table.rows.append(Row(["average_rank_printed"], [title], cells, rule=True))
        rank_rule += (
            " The paper's are computed by the same rule, from its errors of the same methods on "
            "the same data sets. Those that it prints are over all of its data sets, and ties "
            "share the smallest of their places."
        )
    table.remarks.append(rank_rule)
    if item["paper"]:
        table.remarks += extra_methods_remark(run, item, "of the average ranks")
    return table


def _rank_row(methods, ranks, paper_ranks, n_datasets):
    """Average ranks, ours and the paper's, which are not judged."""
    cells = [
        Cell(
            ranks[method],
            paper=paper_ranks.get(method),
            best=ranks[method] == min(ranks.values()),
            facts={"datasets": n_datasets},
        )
        if method in ranks
        else Cell()
        for method in methods
    ]
    return Row(["average_rank"], ["Average rank"], cells, rule=True)


def _seeds_remark(run, results, titles):
    """Over how many seeds of tuning a fixed split has its mean, where there are several."""
    seeds = {
        titles[dataset]: max(mean.folds for mean in means.values())
        for dataset, means in results.items()
        if run.datasets[dataset]["fixed"]
    }
    several = [f"{title} {count}" for title, count in seeds.items() if count > 1]
    if not several:
        return []
    return [
        "Fixed splits: means over seeds of tuning, one for a method with nothing to choose "
        f"({', '.join(several)})."
    ]


def _tuning_remark(run, rows, titles):
    """Where parameters were chosen on a part of the training samples, and on how many."""
    capped = {
        (row["dataset"], row["method"]): f"{int(row['n_tune']):,} of {int(row['n_train']):,}"
        for row in rows
        if row.get("n_tune") and int(row["n_tune"]) < int(row["n_train"])
    }
    if not capped:
        return []
    cells = [f"{run.title(m)} on {titles[d]} {text}" for (d, m), text in capped.items()]
    return [f"Parameters chosen on fewer samples than there are, for time: {', '.join(cells)}."]


def _protocol(run):
    used = run.protocol["use_folds"]
    part = "" if used is None else f" (only the first {used} folds of each)"
    return (
        f"Fixed splits where the paper has them, else {run.protocol['repeats']} × "
        f"{run.protocol['folds']}-fold cross-validation{part}; parameters chosen on the training "
        f"part (tuning: {run.config['tuning']['kind']}). Best of ours in bold."
    )
