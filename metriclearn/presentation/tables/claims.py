"""What the paper claims, what our rows say, and whether it holds."""

import pandas as pd
from scipy.stats import gmean

from ...analysis.compared import PROPOSED, our_results, paper_errors
from ...analysis.error_rates import judge_error, mean_seconds, printed_errors, value_at
from ...analysis.ranks import compare_ranks
from ...analysis.verdict import RULE
from ...vision.spec import load_image_spec
from ..table import Cell, Column, Row, Table
from ._common import extra_methods_remark, paper_error_rows, paper_table_rows, table_title
from .matching import match_cells, measure_title, shown_features

# Section 5 of the paper, by group of data sets: how many times faster than PLML.
FASTER_THAN_PLML = {"uci": {"pcml": 23, "ncml": 18}, "digits": {"pcml": 61, "ncml": 27}}
GROUPS = {"uci": "UCI sets", "digits": "digit sets"}
ERRORS_OF = ("euclidean", "pcml", "ncml")
HOLDS = {True: "yes", False: "no", None: "no results"}


def inputs(run, name, item):
    """The files of the data sets, and the rows of every image set under its name."""
    images = {name: [run.collected(name)["rows"]] for name in run.matches.images()}
    return {**run.gathered(item["group"]), **images}


def paper(run, item):
    tables = [paper_table_rows(run, table) for table in run.matches.tables.values()]
    return [*paper_error_rows(run, item), *[rows for rows in tables if rows]]


def make(run, name, item, collected):
    paper_values = paper_errors(run, item)
    results = our_results(run, item, collected["rows"])
    rows = [reproduced_row(run, method, results, paper_values) for method in ERRORS_OF]
    rows.append(ranks_row(run, printed_errors(results), paper_values))
    for group, factors in FASTER_THAN_PLML.items():
        if run.group(group):
            rows += speed_rows(run, group, factors, collected["times"], list(paper_values.columns))
    for table_name, table in run.matches.tables.items():
        if table["paper"]:
            rows += best_match_rows(run, table_name, table, collected[table["images"]])
    return Table(
        name,
        f"{table_title(run, name)}: what the paper claims, and whether it holds.",
        [Column("claim", "Claim", words=True)],
        [
            Column("paper", "Paper", words=True),
            Column("ours", "Ours", words=True),
            Column("holds", "Holds", words=True),
        ],
        rows,
        remarks=[
            RULE,
            "Average rank: ties share the mean of their places; the paper's is computed by the "
            "same rule, from its errors of the same methods on the same data sets. Times are CPU "
            "seconds of one thread.",
            *extra_methods_remark(run, item, "of the ranks and of the order of the times"),
        ],
    )


def claim_row(key, claim, paper_says, ours=None, holds=None, note=None, **facts):
    """A row of the table; ``holds`` None: there are no results to tell."""
    cells = [
        Cell(paper_says or None),
        Cell(ours or None, note=note, facts=facts),
        Cell(HOLDS[holds], facts={"holds": None if holds is None else int(holds)}),
    ]
    return Row([key], [claim], cells)


def reproduced_row(run, method, results, paper_values):
    """On how many data sets the paper's error is reproduced, and on which not."""
    reproduced, others, not_judged = 0, [], []
    for dataset, means in results.items():
        paper_value = value_at(paper_values, dataset, method)
        if method not in means or means[method].value is None or paper_value is None:
            continue
        fixed = run.datasets[dataset]["fixed"]
        _, verdict, _ = judge_error(means[method], paper_value, fixed=fixed)
        verdict = None if run.experiment["banner"] else verdict
        said = f"{run.dataset_title(dataset)} {means[method].value:.2f} ({paper_value:.2f})"
        if verdict is None:
            not_judged.append(said)
        elif verdict == "reproduced":
            reproduced += 1
        else:
            others.append(said)
    total = reproduced + len(others)
    reason = "see below" if run.experiment["banner"] else "one repetition"
    notes = {"not reproduced": others, f"not judged, {reason}": not_judged}
    return claim_row(
        f"errors_{method}",
        f"The errors of {run.title(method)}",
        f"{total + len(not_judged)} data sets",
        f"{reproduced} of {total} reproduced",
        not others if total else None,
        "; ".join(f"{why}: {', '.join(names)}" for why, names in notes.items() if names) or None,
        reproduced=reproduced,
        judged=total,
    )


def ranks_row(run, errors, paper_values):
    ranks, paper_ranks, n_datasets = compare_ranks(errors, paper_values)
    order = sorted(ranks, key=ranks.__getitem__)
    return claim_row(
        "best_ranks",
        "PCML and NCML have the two best average ranks",
        ", ".join(f"{run.title(m)} {paper_ranks[m]:.2f}" for m in PROPOSED if m in paper_ranks),
        ", ".join(f"{run.title(m)} {ranks[m]:.2f}" for m in order[:4]),
        set(order[:2]) == set(PROPOSED) if order else None,
        f"over {n_datasets} data sets on which every compared method has a result",
    )


def speed_rows(run, group, factors, times, compared):
    """Training times against PLML's, and who is third; means over the group's data sets."""
    seconds = mean_seconds(times, ("method", "dataset"), "fit_cpu_s")
    datasets = run.group(group)
    learned = [method for method in run.methods if method != "euclidean"]
    table = pd.DataFrame(
        {method: [seconds.get((method, d)) for d in datasets] for method in learned},
        index=datasets,
        dtype=float,
    ).dropna(axis=1)
    rows = []
    for method, factor in factors.items():
        claim = f"{run.title(method)} trains faster than PLML on the {GROUPS[group]}"
        found = {}
        if method in table and "plml" in table:
            ratio = float(table["plml"].mean() / table[method].mean())
            geometric = float(gmean(table["plml"] / table[method]))
            found = {
                "ours": f"{ratio:.3g} times",
                "holds": ratio > 1.0,
                "note": f"ratio of the mean CPU times; geometric mean {geometric:.3g}",
                "ratio": ratio,
                "geometric_mean": geometric,
            }
        rows.append(claim_row(f"speed_{group}_{method}", claim, f"{factor} times", **found))
    means = table[[method for method in table if method in compared]].mean()
    order = list(means.sort_values(kind="stable").index)
    rows.append(
        claim_row(
            f"fastest_{group}",
            f"PCML and NCML train fastest on the {GROUPS[group]}, PLML is third",
            "PCML, NCML, PLML",
            ", ".join(f"{run.title(m)} {means[m]:.2g} s" for m in order[:4]),
            set(order[:2]) == set(PROPOSED) and order[2:3] == ["plml"] if order else None,
        )
    )
    return rows


def best_match_rows(run, table_name, table, rows):
    """Who is best on an image set by its first measure, with the preprocessing chosen on it."""
    title, measure = run.matches.title(table), table["measures"][0]
    spec, cells = load_image_spec(table["images"]), match_cells(run, table, rows)
    made = []
    for feature in shown_features(table, cells):
        own = {m: cells[feature, table["preprocess"][-1], m, measure] for m in table["methods"]}
        papers = sorted(((c.paper, m) for m, c in own.items() if c.paper is not None), reverse=True)
        ours = sorted(((c.value, m) for m, c in own.items() if c.value is not None), reverse=True)
        made.append(
            claim_row(
                f"best_{table_name}_{feature}",
                f"The best on {title} ({spec.feature_title(feature)}, {measure_title(measure)})",
                _named(run, papers[:1]),
                _named(run, ours[:3]),
                bool(papers) and ours[0][1] == papers[0][1] if ours else None,
                None if ours else next(iter(own.values())).note,
            )
        )
    return made


def _named(run, entries):
    return ", ".join(f"{run.title(method)} {value:.2f}" for value, method in entries)
