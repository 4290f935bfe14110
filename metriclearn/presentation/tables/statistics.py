"""The table of tests over all data sets: is any method better, and which pairs differ?"""

from itertools import combinations

from ...analysis.compared import all_titles, comparisons
from ...analysis.statistics import (
    ALPHA,
    MIN_DATASETS,
    MIN_METHODS,
    critical_difference,
    friedman,
    holm,
    iman_davenport,
    mean_ranks,
    nemenyi,
    signed_ranks,
)
from ..render import MINUS, Cell, Table

COLUMNS = [
    "test",
    "scope",
    "method_a",
    "method_b",
    "statistic",
    "p",
    "p_holm",
    "significant",
    "wins",
    "losses",
    "datasets",
    "methods",
    "note",
]
FOREMOST = ("pcml", "ncml")  # the paper's claim is about these


def make_statistics(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    titles = all_titles(run, item)
    rows = [
        row
        for comparison in comparisons(run, item, done["rows"])
        for row in comparison_rows(comparison, titles)
    ]
    return COLUMNS, rows, statistics_table(caption, name, rows, titles)


def comparison_rows(comparison, titles):
    """All tests of one comparison; instead of them, one row that says why there are none."""
    methods, values = comparison.methods, comparison.values()
    head = {"scope": comparison.scope, "datasets": len(values), "methods": len(methods)}
    out = [{**head, "test": "scope", "note": _left_out(comparison, titles)}]
    ranks = dict(zip(methods, map(float, mean_ranks(values)), strict=True)) if values else {}
    out += [
        {**head, "test": "average_rank", "method_a": m, "statistic": r} for m, r in ranks.items()
    ]
    if reason := too_few(len(values), len(methods)):
        return [*out, {**head, "test": "friedman", "note": reason}]
    size = len(values), len(methods)
    chi_square, p = friedman(values)
    out.append(
        {**head, "test": "friedman", "statistic": chi_square, "p": p, "significant": int(p < ALPHA)}
    )
    value, p = iman_davenport(chi_square, *size)
    out.append(
        {
            **head,
            "test": "iman_davenport",
            "statistic": value,
            "p": p,
            "significant": int(p < ALPHA),
        }
    )
    out.append(
        {
            **head,
            "test": "nemenyi_cd",
            "statistic": critical_difference(*size),
            "note": f"at {ALPHA}",
        }
    )
    adjusted = nemenyi(list(ranks.values()), len(values))
    for i, j in combinations(range(len(methods)), 2):
        a, b = methods[i], methods[j]
        out.append(
            {
                **head,
                "test": "nemenyi",
                "method_a": a,
                "method_b": b,
                "statistic": ranks[a] - ranks[b],
                "p": float(adjusted[i, j]),
                "significant": int(adjusted[i, j] < ALPHA),
            }
        )
    out += [{**head, **row} for row in _wilcoxon(comparison, combinations(methods, 2), "wilcoxon")]
    for first in FOREMOST:
        if first in methods:
            pairs = [(first, other) for other in methods if other != first]
            out += [{**head, **row} for row in _wilcoxon(comparison, pairs, f"wilcoxon_{first}")]
    return out


def _wilcoxon(comparison, pairs, test):
    """One family of signed-rank tests. A win is a data set on which ``method_a`` errs less."""
    family = []
    for a, b in pairs:
        differences = [values[b] - values[a] for values in comparison.errors.values()]
        result = signed_ranks(differences)
        family.append(
            {
                "test": test,
                "method_a": a,
                "method_b": b,
                "p": result.p,
                "statistic": min(result.plus, result.minus),
                "wins": sum(d > 0 for d in differences),
                "losses": sum(d < 0 for d in differences),
            }
        )
    for row, p in zip(family, holm([row["p"] for row in family]), strict=True):
        row.update(p_holm=float(p), significant=int(p < ALPHA))
    return family


def too_few(n_datasets, n_methods):
    """Why a comparison cannot be tested, or None."""
    if n_datasets < MIN_DATASETS:
        return (
            f"{_count(n_datasets, 'data set')}: too few for a test, which needs "
            f"at least {MIN_DATASETS}"
        )
    if n_methods < MIN_METHODS:
        return (
            f"{_count(n_methods, 'method')}: too few for a test, which needs at least {MIN_METHODS}"
        )
    return None


def _count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _left_out(comparison, titles):
    """One line that names what is not compared; None if everything is."""
    parts = []
    for name, holes in comparison.left_out.items():
        where = ", ".join(titles[hole] for hole in holes[:3]) + ", …" * (len(holes) > 3)
        parts.append(f"{titles[name]} ({f'hole: {where}' if holes else 'no results'})")
    return f"left out: {'; '.join(parts)}" if parts else None


# The rows as a table of text ----------------------------------------------------------------


def statistics_table(title, name, rows, titles):
    """Scopes side by side: the tests, the average ranks, then PCML and NCML against the others."""
    scopes = list(dict.fromkeys(row["scope"] for row in rows))
    found = {(r["test"], r["scope"], r.get("method_a"), r.get("method_b")): r for r in rows}
    header = ["Statistic", *[_scope_title(scope) for scope in scopes]]
    table = Table(f"{title}: do the methods differ, over all data sets?", f"tab:{name}", header)

    def line(title, show, *key):
        return [Cell(title), *[show(found, scope, *key) for scope in scopes]]

    table.body += [
        line("Data sets", _size, "datasets"),
        line("Methods", _size, "methods"),
        line("Friedman: chi-square (p)", _test, "friedman"),
        line("Iman–Davenport: F (p)", _test, "iman_davenport"),
        line("Nemenyi: critical difference", _difference),
        line("Pairs that differ, Nemenyi", _pairs, "nemenyi"),
        line("Pairs that differ, Wilcoxon–Holm", _pairs, "wilcoxon"),
    ]
    ranked = dict.fromkeys(r["method_a"] for r in rows if r["test"] == "average_rank")
    table.rules.add(len(table.body))
    table.body += [line(f"Average rank of {titles[m]}", _rank, m) for m in ranked]
    for first in FOREMOST:
        table.rules.add(len(table.body))
        table.body += [
            line(f"{titles[first]} against {titles[other]}", _against, first, other)
            for other in ranked
            if first in ranked and other != first
        ]
    table.remarks += [
        f"Tests of Demšar (2006) at {ALPHA}: on the mean errors of ours, and on those that the "
        "paper prints. All methods: those of the paper, on the data sets where each has a result. "
        "All data sets: the methods that have a result on each.",
        "Average ranks: ties share the mean of their places; in bold the best, and those that do "
        "not differ from it by Nemenyi's test.",
        "Against another: p of Wilcoxon's signed-rank test (exact) after Holm's correction over "
        "the comparisons of that method, with wins–losses over the data sets; in bold if below "
        f"{ALPHA}. Pairs that differ are corrected over all pairs.",
    ]
    return table


def _scope_title(scope):
    source, _, breadth = scope.partition("_all_")
    return f"{source}, all {breadth.replace('datasets', 'data sets')}"


def p_text(p):
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _size(found, scope, key):
    row = found["scope", scope, None, None]
    return Cell(str(row[key]), note=row["note"] if key == "datasets" else None)


def _test(found, scope, test):
    row = found.get((test, scope, None, None))
    if row is None or row.get("p") is None:
        return Cell(MINUS, note=row["note"] if row else None)
    return Cell(f"{row['statistic']:.2f} ({p_text(row['p'])})", bold=bool(row["significant"]))


def _difference(found, scope):
    row = found.get(("nemenyi_cd", scope, None, None))
    return Cell(f"{row['statistic']:.2f}" if row else MINUS)


def _pairs(found, scope, test):
    family = [r for (t, s, *_), r in found.items() if (t, s) == (test, scope)]
    return Cell(f"{sum(r['significant'] for r in family)} of {len(family)}" if family else MINUS)


def _rank(found, scope, method):
    row = found.get(("average_rank", scope, method, None))
    if row is None:
        return Cell(MINUS)
    limit = found.get(("nemenyi_cd", scope, None, None))
    best = min(
        r["statistic"] for (t, s, *_), r in found.items() if (t, s) == ("average_rank", scope)
    )
    equal = limit is not None and row["statistic"] - best < limit["statistic"]
    return Cell(f"{row['statistic']:.2f}", bold=equal)


def _against(found, scope, first, other):
    row = found.get((f"wilcoxon_{first}", scope, first, other))
    if row is None:
        return Cell(MINUS)
    text = f"{p_text(row['p_holm'])} ({row['wins']}–{row['losses']})"
    return Cell(text, bold=bool(row["significant"]))
