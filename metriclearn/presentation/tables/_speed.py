"""The paper's claims about training times."""

import pandas as pd
from scipy.stats import gmean

from ...analysis.compared import PROPOSED
from ...analysis.error_rates import mean_seconds, read_paper_rows
from ..table import Cell, Row
from ._common import listed

# Section 5 of the paper, by group of data sets: how many times faster than PLML.
FASTER_THAN_PLML = {"uci": {"pcml": 23, "ncml": 18}, "digits": {"pcml": 61, "ncml": 27}}
GROUPS = {"uci": "UCI sets", "digits": "digit sets"}
AUTHORS = "authors_speed"  # of conf/paper: measured elsewhere
HOLDS = {True: "yes", False: "no", None: "no results"}


def claim_row(key, claim, paper_says, ours=None, holds=None, note=None, **facts):
    """A row of the table of claims; ``holds`` None: there are no results to tell."""
    cells = [
        Cell(paper_says or None),
        Cell(ours or None, note=note, facts=facts),
        Cell(HOLDS[holds], facts={"holds": None if holds is None else int(holds)}),
    ]
    return Row([key], [claim], cells)


def speed_claims(run, collected, compared):
    """All rows about times: of fits that were timed alone where there are some."""
    times = collected.get("timing") or collected["times"]
    return [
        row
        for group, factors in FASTER_THAN_PLML.items()
        if run.group(group)
        for row in speed_rows(run, group, factors, times, compared)
    ]


def speed_rows(run, group, factors, times, compared):
    """Training times against PLML's, and who is third, over the group's data sets."""
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
            ratio = float(table["plml"].sum() / table[method].sum())
            geometric = float(gmean(table["plml"] / table[method]))
            found = {
                "ours": f"{geometric:.3g} times",
                "holds": geometric > 1.0,
                "note": "geometric mean of the ratios of CPU times over the data sets; "
                f"ratio of their sums {ratio:.3g}",
                "ratio": ratio,
                "geometric_mean": geometric,
            }
        rows.append(claim_row(f"speed_{group}_{method}", claim, f"{factor} times", **found))
    means = pd.Series(gmean(table), index=table.columns) if len(table.columns) else pd.Series()
    rows.append(_order_row(run, group, means.sort_values(kind="stable"), compared))
    return rows


def _order_row(run, group, means, compared):
    """Who trains fastest, by the geometric mean of the times over the data sets."""

    def named(methods):
        return ", ".join(f"{run.title(m)} {means[m]:.2g} s" for m in methods)

    order = [method for method in means.index if method in compared]
    others = [method for method in means.index if method not in compared]
    notes = ["geometric means of the CPU times"] if order else []
    notes += [f"not in the paper's tables: {named(others)}"] if others else []
    return claim_row(
        f"fastest_{group}",
        f"PCML and NCML train fastest on the {GROUPS[group]}, PLML is third",
        "PCML, NCML, PLML",
        named(order[:4]),
        set(order[:2]) == set(PROPOSED) and order[2:3] == ["plml"] if order else None,
        "; ".join(notes) or None,
    )


def time_remarks(run, collected):
    """How times were measured, and those of the authors' program, which are quoted."""
    how = (
        "of fits with the parameters of conf/method, in jobs that ran alone"
        if collected.get("timing")
        else "of the training jobs, which ran side by side"
    )
    said = []
    for method in PROPOSED:
        known = [
            f"{float(row['ratio']):g} on {run.dataset_title(row['dataset'])}"
            for row in read_paper_rows(AUTHORS)
            if row["method"] == method and row["dataset"] in run.datasets
        ]
        said += [f"{run.title(method)} {listed(known)}"] if known else []
    sources = dict.fromkeys(row["source"] for row in read_paper_rows(AUTHORS))
    quoted = (
        f"Not measured here but quoted, how many times faster our fits were than those of "
        f"{'; '.join(sources)}: {'; '.join(said)}."
    )
    return [f"Times are CPU seconds of one thread, {how}.", *([quoted] if said else [])]
