"""Tables 3 and 5: error rates and average ranks, beside the paper's.

With rows of grids there are two of ours: with parameters chosen on training parts, and under the
paper's protocol.
"""

import json
from functools import partial
from pathlib import Path

import pandas as pd

from ...analysis.behind import chosen_behind, rows_behind
from ...analysis.chosen_by_test import choose_by_test
from ...analysis.compared import SOURCES, expected_folds, protocol_results
from ...analysis.error_rates import printed_errors, read_paper, summarise, value_at
from ...analysis.ranks import compare_ranks, complete_datasets
from ...analysis.verdict import RULE
from ..table import Cell, Column, Row, Table
from ._common import (
    DATASET,
    SIGNS,
    error_cell,
    extra_methods_remark,
    missing_remark,
    paper_table_rows,
    protocol_remark,
    table_title,
)
from ._common import rows_and_grids as inputs  # noqa: F401

EDITION = Column("edition", "Edition", words=True)
JOB = ("dataset", "method")
PRINTED = "average_rank"  # the row of conf/paper with the ranks that the paper prints
paper = paper_table_rows


def make(run, name, item, collected):
    titles = {row["dataset"]: row["title"] for row in collected["data"]}
    paper_values = read_paper(item["paper"]) if item["paper"] else pd.DataFrame()
    methods, grid = list(run.methods), collected.get("grid", [])
    results = summarise(collected["rows"], titles, methods, partial(expected_folds, run))
    editions, chosen = {"ours": results}, choose_by_test(grid)
    if grid:
        editions["protocol"] = protocol_results(run, grid, results)
    with_paper = ", ours and the paper's" if item["paper"] else ""
    table = Table(
        name,
        f"{table_title(run, name)}: 1-NN error rate (%){with_paper}.",
        [DATASET, EDITION] if grid else [DATASET],
        [Column(method, run.title(method)) for method in methods],
        stacked=bool(item["paper"]) or bool(grid),
        sources=[Path(path).name for path in row_files(run, item, grid)],
    )
    behind = {"ours": rows_behind(collected["rows"], JOB), "protocol": chosen_behind(grid, chosen)}
    errors = {edition: printed_errors(found) for edition, found in editions.items()}

    def add(key, title, cells_of):
        """A row for each edition, under one title."""
        for edition in editions:
            keys, names = ([key, edition], [title, SOURCES[edition]]) if grid else ([key], [title])
            rule, summary = edition == "ours", key not in results
            row = Row(keys, names, cells_of(edition), rule=rule, summary=summary)
            table.rows.append(row)

    def error_cells(dataset, edition):
        best = errors[edition].loc[dataset].min()
        fixed = run.datasets[dataset]["fixed"]
        for method, mean in editions[edition][dataset].items():
            is_best = bool(errors[edition].at[dataset, method] == best)
            paper_value = value_at(paper_values, dataset, method)
            cell = error_cell(mean, paper_value, fixed=fixed, best=is_best)
            cell.behind = behind[edition].get((dataset, method), {})
            if edition == "protocol" and mean.value is not None:
                candidate = chosen[dataset, method].candidate
                cell.facts["chosen"] = json.dumps(candidate, sort_keys=True)
            yield cell

    for dataset in results:
        add(dataset, titles[dataset], lambda e, dataset=dataset: list(error_cells(dataset, e)))
    in_paper = [m for m in methods if not item["paper"] or m in paper_values.columns]
    compared = {e: frame.reindex(columns=in_paper) for e, frame in errors.items()}
    if grid:
        add("mean_error", "Mean error", lambda e: _mean_cells(methods, compared[e], paper_values))
    add("average_rank", "Average rank", lambda e: _rank_cells(methods, compared[e], paper_values))
    if grid and item["paper"] and len(in_paper) < len(methods):
        title = "Average rank of all methods"
        add("average_rank_every", title, lambda e: _rank_cells(methods, errors[e], pd.DataFrame()))
    table.remarks = [
        _protocol(run),
        *_seeds_remark(run, results, titles),
        *_tuning_remark(run, collected["rows"], titles),
        *_edge_remark(run, collected["rows"]),
        *protocol_remark(run, grid),
        *missing_remark(table),
    ]
    if item["paper"]:
        table.remarks.append(RULE)
        table.legend = SIGNS
    _add_printed_ranks(table, methods, paper_values)
    table.remarks.append(_rank_rule(compared, paper_values))
    if item["paper"]:
        rows = "the mean errors and of the first average ranks" if grid else "the average ranks"
        table.remarks += extra_methods_remark(run, item, f"of {rows}")
    return table


def row_files(run, item, grid):
    """The files of the rows behind the cells."""
    grids = run.side.grids(item["group"])["grid"] if grid else []
    return [*run.gathered(item["group"])["rows"], *grids]


def _rank_cells(methods, errors, paper_values):
    """Average ranks, ours and the paper's, which are not judged."""
    ranks, paper_ranks, n_datasets = compare_ranks(errors, paper_values)
    return [
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


def _mean_cells(methods, errors, paper_values):
    """Mean errors over the data sets that are ranked."""
    ranked = complete_datasets(errors)
    means = ranked.mean()
    papers = paper_values.reindex(index=ranked.index).mean(skipna=False)
    return [
        Cell(
            float(means[method]),
            paper=None if pd.isna(value := papers.get(method)) else float(value),
            best=bool(means[method] == means.min()),
            facts={"datasets": len(ranked)},
        )
        if method in means
        else Cell()
        for method in methods
    ]


def _add_printed_ranks(table, methods, paper_values):
    """The average ranks as the paper prints them, where it does."""
    if PRINTED not in paper_values.index:
        return
    cells = [Cell(paper=value_at(paper_values, PRINTED, method)) for method in methods]
    key, title = "average_rank_printed", "Average rank as the paper prints it"
    names = ([key, "paper"], [title, "paper"]) if len(table.stub) > 1 else ([key], [title])
    table.rows.append(Row(*names, cells, rule=True, summary=True))


def _rank_rule(compared, paper_values):
    counts = [f"{len(complete_datasets(errors))} of {len(errors)}" for errors in compared.values()]
    text = (
        "Average rank: ties share the mean of their places; over "
        f"{' and '.join(dict.fromkeys(counts))} data sets, those on which every compared method "
        "has a result."
    )
    if PRINTED in paper_values.index:
        text += (
            " The paper's are computed by the same rule, from its errors of the same methods on "
            "the same data sets. Those that it prints are over all of its data sets, and ties "
            "share the smallest of their places."
        )
    return text


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


def _edge_remark(run, rows):
    """How often the grid ended at what was chosen, which more values might improve."""
    known = [(row["method"], bool(row.get("edge"))) for row in rows if row["status"] == "ok"]
    share = pd.DataFrame(known, columns=["method", "at_end"]).groupby("method", sort=False).mean()
    at_end = [
        f"{run.title(method)} {value:.1%}" for method, value in share["at_end"].items() if value
    ]
    if not at_end:
        return []
    return [f"Folds where a value at the end of those tried was chosen: {', '.join(at_end)}."]


def _protocol(run):
    used = run.protocol["use_folds"]
    part = "" if used is None else f" (only the first {used} folds of each)"
    return (
        f"Fixed splits where the paper has them, else {run.protocol['repeats']} × "
        f"{run.protocol['folds']}-fold cross-validation{part}; parameters chosen on the training "
        f"part (tuning: {run.config['tuning']['kind']}). Best of ours in bold."
    )
