"""PCML and NCML against each other method on each data set: corrected t-tests over its folds."""

import pandas as pd

from ...analysis.compared import PROPOSED, all_titles, compared_methods, our_results
from ...analysis.statistics import ALPHA, corrected_t, holm
from ..table import Cell, Column, Row, Table
from ._common import (
    DATASET,
    METHOD,
    extra_methods_remark,
    missing_remark,
    paper_error_rows,
    table_title,
)

FACTS = ("folds", "statistic", "p", "p_holm", "significant", "outcome")
FOLD_COLUMNS = ["dataset", "method", "repeat", "fold", "error", "n_train", "n_test"]
OUTCOMES = ("win", "tie", "loss")  # of method_a
ONE_SPLIT = "one fixed split: a single difference has no variance to test it with"
SEEDS = "one fixed split: seeds of tuning do not vary the samples, so there is no test"


paper = paper_error_rows


def make(run, name, item, collected):
    """Differences of errors per data set, and how many are wins, ties and losses."""
    titles = all_titles(run, item)
    table = pairwise_table(pairwise_rows(run, item, collected["rows"], titles), titles)
    table.name = name
    table.caption = (
        f"{table_title(run, name)}: error rate minus that of another method (points), on the same "
        "folds."
    )
    table.remarks = [
        "Negative: fewer errors than the method of the column. In bold: the two differ at "
        f"{ALPHA} by the corrected resampled t-test (Nadeau and Bengio 2003), after Holm's "
        "correction over the comparisons on that data set. Wins, ties and losses count the tested "
        "data sets; a tie is a difference that is not significant.",
        *missing_remark(table),
        *extra_methods_remark(run, item, "of this table"),
    ]
    return table


def pairwise_rows(run, item, rows, titles):
    """One row per data set and pair: a family of tests per data set, corrected by Holm."""
    methods = compared_methods(run, item)
    frame = pd.DataFrame(rows, columns=FOLD_COLUMNS)
    folds = {
        key: part.set_index(["repeat", "fold"])
        for key, part in frame.groupby(["dataset", "method"], sort=False)
    }
    made = []
    for dataset, means in our_results(run, item, rows).items():
        family = []
        for a, b in proposed_pairs(methods):
            reasons = {titles[m]: note for m in (a, b) if (note := means[m].note)}
            if reasons:
                found = {"note": common_reason(reasons)}
            else:
                pair = folds[dataset, a], folds[dataset, b]
                ratio = None if run.datasets[dataset]["fixed"] else sizes_ratio(pair[0])
                found = compare(*pair, "error", ratio)
            family.append({"dataset": dataset, "method_a": a, "method_b": b, **found})
        made += corrected(family)
    return made


def proposed_pairs(methods):
    """PCML and NCML against each other method, each pair once."""
    pairs = []
    for first in [m for m in PROPOSED if m in methods]:
        others = [m for m in methods if m != first and (m, first) not in pairs]
        pairs += [(first, other) for other in others]
    return pairs


def common_reason(reasons):
    """Why one or both of two methods have no result, said once if it is the same."""
    if len(reasons) == 2 and len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    return "; ".join(f"{title}: {reason}" for title, reason in reasons.items())


def compare(first, second, column, test_to_train):
    """The test between two methods on the same folds; parts of 1 become points.

    On a fixed split, ``test_to_train`` None, the means over the seeds of tuning are compared, of
    which a method with nothing to choose has one, and nothing is tested.
    """
    values = pd.DataFrame({"a": first[column], "b": second[column]}).map(float)
    if test_to_train is None:
        difference = 100.0 * float(values["a"].mean() - values["b"].mean())
        note = ONE_SPLIT if len(values) < 2 else SEEDS
        return {"folds": len(values), "difference": difference, "note": note}
    differences = 100.0 * (values["a"] - values["b"])
    found = {"folds": len(values), "difference": float(differences.mean())}
    if len(values) < 2:
        return {**found, "note": ONE_SPLIT}
    t, p = corrected_t(differences, test_to_train)
    return {**found, "statistic": t, "p": p}


def sizes_ratio(folds):
    """Test samples per training sample."""
    return (folds["n_test"].map(int) / folds["n_train"].map(int)).mean()


def corrected(family, higher_is_better=False):
    """A family of tests with Holm's p and who wins."""
    tested = [row for row in family if row.get("p") is not None]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        better = (row["difference"] > 0.0) == higher_is_better
        outcome = "tie" if p >= ALPHA else "win" if better else "loss"
        row.update(p_holm=float(p), significant=int(p < ALPHA), outcome=outcome)
    return family


# The rows of tests as a table -----------------------------------------------------------------


def pairwise_table(rows, titles):
    """A row per data set and proposed method, a column per other one; without caption."""
    found = _both_ways(rows)
    firsts = [m for m in PROPOSED if any(key[1] == m for key in found)]
    others = list(dict.fromkeys([*firsts, *[row["method_b"] for row in rows]]))
    columns = [Column(m, titles[m], number="+.2f") for m in others]
    table = Table("", "", [DATASET, METHOD], columns)
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        notes = {row.get("note") for row in rows if row["dataset"] == dataset}
        untested = next((note for note in (SEEDS, ONE_SPLIT) if note in notes), None)
        for first in firsts:
            cells = [_difference(found.get((dataset, first, other))) for other in others]
            names = [titles[dataset], titles[first]]
            rule = first == firsts[0]
            table.rows.append(Row([dataset, first], names, cells, note=untested, rule=rule))
    for first in firsts:
        counts = [_counts(found, first, other) for other in others]
        names, rule = ["Wins/ties/losses", titles[first]], first == firsts[0]
        row = Row(["wins_ties_losses", first], names, counts, rule=rule, summary=True)
        table.rows.append(row)
    return table


def _both_ways(rows):
    """Each comparison also as seen from the other one of the proposed methods."""
    found = {(r["dataset"], r["method_a"], r["method_b"]): r for r in rows}
    turned = {"win": "loss", "loss": "win"}
    for row in rows:
        if row["method_b"] in PROPOSED:
            back = {**row, "outcome": turned.get(row.get("outcome"), row.get("outcome"))}
            for key in ("difference", "statistic"):
                if row.get(key) is not None:
                    back[key] = -row[key]
            found[row["dataset"], row["method_b"], row["method_a"]] = back
    return found


def _difference(row):
    if row is None:
        return Cell()
    if row.get("difference") is None:
        return Cell(note=row["note"])
    facts = {key: row[key] for key in FACTS if row.get(key) is not None}
    return Cell(row["difference"], best=bool(row.get("significant")), facts=facts)


def _counts(found, first, other):
    if first == other:
        return Cell()
    seen = [row.get("outcome") for (_, a, b), row in found.items() if (a, b) == (first, other)]
    wins, ties, losses = (seen.count(outcome) for outcome in OUTCOMES)
    return Cell(f"{wins}/{ties}/{losses}", facts={"wins": wins, "ties": ties, "losses": losses})
