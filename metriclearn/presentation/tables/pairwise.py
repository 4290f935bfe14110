"""PCML and NCML against each other method on each data set: corrected t-tests over its folds."""

from functools import partial

from ...analysis.compared import all_titles, compared_methods, expected_folds
from ...analysis.error_rates import summarise
from ...analysis.statistics import ALPHA, corrected_t, holm
from ..render import MINUS, Cell, Table, signed
from .statistics import FOREMOST

COLUMNS = [
    "dataset",
    "title",
    "method_a",
    "method_b",
    "folds",
    "difference",
    "statistic",
    "p",
    "p_holm",
    "significant",
    "outcome",
    "note",
]
OUTCOMES = ("win", "tie", "loss")  # of method_a
ONE_SPLIT = "one fixed split: a single difference has no variance to test it with"


def make_pairwise(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    titles = all_titles(run, item)
    rows = pairwise_rows(run, item, done["rows"], titles)
    return COLUMNS, rows, pairwise_table(caption, name, rows, titles)


def pairwise_rows(run, item, rows, titles):
    """The rows of the table's csv: one family of tests per data set, corrected by Holm."""
    methods = compared_methods(run, item)
    datasets = run.group(item["group"])
    results = summarise(rows, datasets, methods, partial(expected_folds, run))
    folds = {}
    for row in rows:
        folds.setdefault((row["dataset"], row["method"]), {})[row["repeat"], row["fold"]] = row
    out = []
    for dataset in datasets:
        family = []
        for a, b in foremost_pairs(methods):
            head = {"dataset": dataset, "title": titles[dataset], "method_a": a, "method_b": b}
            reasons = {titles[m]: note for m in (a, b) if (note := results[dataset][m]["note"])}
            family.append(
                {**head, "note": _reason(reasons)}
                if reasons
                else {**head, **_compare(folds[dataset, a], folds[dataset, b])}
            )
        out += _corrected(family)
    return out


def foremost_pairs(methods):
    """PCML and NCML against each other method, each pair once."""
    pairs = []
    for first in [m for m in FOREMOST if m in methods]:
        others = [m for m in methods if m != first and (m, first) not in pairs]
        pairs += [(first, other) for other in others]
    return pairs


def _reason(reasons):
    """Why one or both of two methods have no result, said once if it is the same."""
    if len(reasons) == 2 and len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    return "; ".join(f"{title}: {reason}" for title, reason in reasons.items())


def _compare(ours, theirs):
    """The test between two methods on the same folds, by repetition and fold."""
    pairs = [(ours[key], theirs[key]) for key in ours]
    differences = [100.0 * (float(a["error"]) - float(b["error"])) for a, b in pairs]
    out = {"folds": len(pairs), "difference": sum(differences) / len(pairs)}
    if len(pairs) < 2:
        return {**out, "note": ONE_SPLIT}
    ratio = sum(int(a["n_test"]) / int(a["n_train"]) for a, _ in pairs) / len(pairs)
    t, p = corrected_t(differences, ratio)
    return {**out, "statistic": t, "p": p}


def _corrected(family):
    tested = [row for row in family if row.get("p") is not None]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        outcome = "tie" if p >= ALPHA else "win" if row["difference"] < 0.0 else "loss"
        row.update(p_holm=float(p), significant=int(p < ALPHA), outcome=outcome)
    return family


# The rows as a table of text ----------------------------------------------------------------


def pairwise_table(title, name, rows, titles):
    """Differences of errors per data set, and how many are wins, ties and losses."""
    found = _both_ways(rows)
    firsts = [m for m in FOREMOST if any(key[1] == m for key in found)]
    others = list(dict.fromkeys(row["method_b"] for row in rows))
    others = [*firsts, *[m for m in others if m not in firsts]]
    header = ["Data set", "Method", *[titles[m] for m in others]]
    table = Table(
        f"{title}: error rate minus that of another method (points), on the same folds.",
        f"tab:{name}",
        header,
    )
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        table.rules.add(len(table.body))
        fixed = any(r.get("note") == ONE_SPLIT for r in rows if r["dataset"] == dataset)
        for first in firsts:
            cells = [_difference(found.get((dataset, first, other))) for other in others]
            head = Cell()
            if first == firsts[0]:
                head = Cell(titles[dataset], note=ONE_SPLIT if fixed else None)
            table.body.append([head, Cell(titles[first]), *cells])
    table.rules.add(len(table.body))
    for first in firsts:
        title = "Wins/ties/losses" if first == firsts[0] else ""
        counts = [_counts(found, first, other) for other in others]
        table.body.append([Cell(title), Cell(titles[first]), *counts])
    table.rules.discard(0)
    table.remarks.append(
        "Negative: fewer errors than the method of the column. In bold: the two differ at "
        f"{ALPHA} by the corrected resampled t-test (Nadeau and Bengio 2003), after Holm's "
        "correction over the comparisons on that data set. Wins, ties and losses count the tested "
        f"data sets; a tie is a difference that is not significant. {MINUS} marks a hole."
    )
    return table


def _both_ways(rows):
    """Each comparison also as seen from the other of PCML and NCML."""
    found = {(r["dataset"], r["method_a"], r["method_b"]): r for r in rows}
    turned = {"win": "loss", "loss": "win"}
    for row in rows:
        if row["method_b"] in FOREMOST:
            back = {**row, "outcome": turned.get(row.get("outcome"), row.get("outcome"))}
            if row.get("difference") is not None:
                back["difference"] = -row["difference"]
            found[row["dataset"], row["method_b"], row["method_a"]] = back
    return found


def _difference(row):
    if row is None:
        return Cell()
    if row.get("difference") is None:
        return Cell(MINUS, note=row["note"])
    return Cell(signed(row["difference"]), bold=bool(row.get("significant")))


def _counts(found, first, other):
    if first == other:
        return Cell()
    seen = [row.get("outcome") for (_, a, b), row in found.items() if (a, b) == (first, other)]
    return Cell("/".join(str(seen.count(outcome)) for outcome in OUTCOMES))
