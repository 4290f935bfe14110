"""What the paper says, what our rows say, and whether it holds."""

from math import exp, log
from typing import Any

from ...analysis.compared import our_errors, paper_errors, paper_tables
from ...analysis.error_rates import DEVIATIONS, POINTS, comes_back, mean_and_std, read_paper_rows
from ...analysis.ranks import average_ranks, complete_part
from ..render import Cell, Table
from .matching import match_rows

CLAIM_COLUMNS = ["claim", "paper", "ours", "holds", "note"]
# Section 5 of the paper, by group of data sets: how many times faster than PLML.
FASTER_THAN_PLML = {"uci": {"pcml": 23, "ncml": 18}, "digits": {"pcml": 61, "ncml": 27}}
GROUPS = {"uci": "UCI sets", "digits": "digit sets"}
COMING_BACK = ("euclidean", "pcml", "ncml")
FOREMOST = ("pcml", "ncml")


def make_claims(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    rows = claim_rows(run, item, done)
    return CLAIM_COLUMNS, rows, claim_table(caption, name, rows)


def claim_rows(run, item, done):
    """One row per claim; ``holds`` is 1, 0, or empty where there are no results to tell."""
    ours, theirs = our_errors(run, item, done["rows"]), paper_errors(run, item)
    rows = [_comes_back(run, method, done["rows"], ours, theirs) for method in COMING_BACK]
    rows.append(_best_ranks(run, ours, theirs))
    for group, claim in FASTER_THAN_PLML.items():
        if run.group(group):
            rows += _fast(run, group, claim, done["times"])
    for table in run.matches.tables.values():
        if table["paper"]:
            rows += _best_match(run, table, done[table["images"]])
    return rows


def _comes_back(run, method, rows, ours, theirs):
    """The paper's error lies within half a point or two deviations of ours."""
    near, far = 0, []
    for dataset, values in ours.items():
        paper = theirs.get(dataset, {}).get(method)
        if values.get(method) is None or paper is None:
            continue
        mine = [r for r in rows if (r["dataset"], r["method"]) == (dataset, method)]
        if comes_back(mean_and_std(mine), paper):
            near += 1
        else:
            far.append(f"{run.dataset_title(dataset)} {values[method]:.2f} ({paper:.2f})")
    total = near + len(far)
    return {
        "claim": f"the errors of {run.title(method)}",
        "paper": f"{total} data sets",
        "ours": f"{near} of {total} come back",
        "holds": int(not far) if total else None,
        "note": f"not: {', '.join(far)}" if far else None,
    }


def _best_ranks(run, ours, theirs):
    part = complete_part(ours)
    ranks = {m: r for m, r in average_ranks(part, "min").items() if r is not None}
    order = sorted(ranks, key=ranks.__getitem__)
    paper = average_ranks(complete_part(theirs), "min")
    named = ", ".join(f"{run.title(m)} {paper[m]:.2f}" for m in FOREMOST if paper.get(m))
    return {
        "claim": "PCML and NCML have the two best average ranks",
        "paper": named,
        "ours": ", ".join(f"{run.title(m)} {ranks[m]:.2f}" for m in order[:4]),
        "holds": int(set(order[:2]) == set(FOREMOST)) if order else None,
        "note": f"over {len(part)} data sets on which every method has a result",
    }


def _fast(run, group, claim, times):
    """Training times against PLML's, and who is third; means over the group's data sets."""
    means = {}
    for method in run.methods:
        spent = [
            _mean(
                [
                    float(t["fit_cpu_s"])
                    for t in times
                    if t["fit_cpu_s"] and (t["dataset"], t["method"]) == (dataset, method)
                ]
            )
            for dataset in run.group(group)
        ]
        if method != "euclidean" and all(spent):
            means[method] = spent
    for method, factor in claim.items():
        claimed = f"{run.title(method)} trains faster than PLML on the {GROUPS[group]}"
        row: dict[str, Any] = {"claim": claimed, "paper": f"{factor} times"}
        if method in means and "plml" in means:
            pairs = list(zip(means["plml"], means[method], strict=True))
            ratio = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
            usual = exp(_mean([log(a / b) for a, b in pairs]))
            row.update(
                ours=f"{ratio:.3g} times",
                holds=int(ratio > 1.0),
                note=f"ratio of the mean CPU times; geometric mean {usual:.3g}",
            )
        yield row
    compared = [m for m in means if m in _paper_methods(run)]
    order = sorted(compared, key=lambda m: _mean(means[m]))
    row = {
        "claim": f"PCML and NCML train fastest on the {GROUPS[group]}, PLML is third",
        "paper": "PCML, NCML, PLML",
    }
    if order:
        row.update(
            ours=", ".join(f"{run.title(m)} {_mean(means[m]):.2g} s" for m in order[:4]),
            holds=int(order[:2] in (["pcml", "ncml"], ["ncml", "pcml"]) and order[2:3] == ["plml"]),
        )
    yield row


def _paper_methods(run):
    tables = [read_paper_rows(name) for name in paper_tables(run.experiment, {"group": "all"})]
    return {key for rows in tables for key in rows[0]}


def _best_match(run, table, rows):
    """Who is best on an image set by its first measure, with the preprocessing chosen on it."""
    title, measure = run.matches.facts(table["images"])["title"], table["measures"][0]
    kind = table["preprocess"][-1]
    made = [r for r in match_rows(run, table, rows, []) if r["measure"] == measure]
    for feature in table["features"]:
        here = [r for r in made if r["feature"] == feature and r.get("preprocess") == kind]
        theirs = [(r["paper"], r["method"]) for r in here if r["paper"] is not None]
        mine = sorted(
            ((r["ours"], r["method"]) for r in here if r["ours"] is not None), reverse=True
        )
        row = {
            "claim": f"best on {title}, {feature}, {measure}",
            "paper": _named(run, max(theirs)) if theirs else None,
        }
        if mine:
            row.update(
                ours=", ".join(_named(run, entry) for entry in mine[:3]),
                holds=int(bool(theirs) and mine[0][1] == max(theirs)[1]),
            )
        else:
            row["note"] = here[0]["note"] if here else None
        yield row


def _named(run, entry):
    return f"{run.title(entry[1])} {entry[0]:.2f}"


def _mean(values):
    return sum(values) / len(values) if values else 0.0


def claim_table(caption, name, rows):
    table = Table(
        f"{caption}: what the paper says, and what comes back.",
        f"tab:{name}",
        ["Claim", "Paper", "Ours", "Holds"],
    )
    for row in rows:
        holds = {1: "yes", 0: "no"}.get(row.get("holds"), "no results")
        table.body.append(
            [
                Cell(row["claim"], note=row.get("note")),
                Cell(row["paper"] or ""),
                Cell(row.get("ours") or ""),
                Cell(holds),
            ]
        )
    table.remarks.append(
        f"An error comes back if the paper's lies within {POINTS} points or {DEVIATIONS:g} "
        "standard deviations (over repetitions) of ours. Times are CPU seconds of one thread."
    )
    return table
