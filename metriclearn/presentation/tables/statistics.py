"""Tests over all data sets: does any method differ, and which pairs do?"""

from itertools import combinations

from ...analysis.compared import PROPOSED, all_titles, comparisons, scope_title
from ...analysis.ranks import average_ranks
from ...analysis.statistics import (
    ALPHA,
    MIN_DATASETS,
    MIN_METHODS,
    critical_difference,
    friedman,
    holm,
    iman_davenport,
    nemenyi,
    signed_ranks,
)
from ..render import number_text
from ..table import Cell, Column, Row, Table
from ._common import extra_methods_remark, paper_error_rows, protocol_remark, table_title
from ._common import rows_and_grids as inputs  # noqa: F401

STUB = [
    Column("test", "Test", words=True),
    Column("method_a", "Method", words=True),
    Column("method_b", "Against", words=True),
]
FACTS = ("statistic", "p", "p_holm", "significant", "wins", "losses", "datasets", "methods")
ADDED = " but those in the columns “with methods that the paper lacks”"
PAIR_TESTS = {"nemenyi": "Nemenyi", "wilcoxon": "Wilcoxon–Holm"}
paper = paper_error_rows


def make(run, name, item, collected):
    """Scopes side by side: the tests, the average ranks, then PCML and NCML against the others."""
    titles = all_titles(run, item)
    grid = collected.get("grid", [])
    found = comparisons(run, item, collected["rows"], grid)
    rows = [row for comparison in found for row in comparison_rows(comparison, titles)]
    table = statistics_table(rows, titles)
    table.name = name
    table.caption = f"{table_title(run, name)}: do the methods differ, over all data sets?"
    table.remarks = [
        f"Tests of Demšar (2006) at {ALPHA}: on our mean errors, and on those that the paper "
        "prints. All methods: on the data sets where each method has a result. All data sets: the "
        "methods that have a result on each.",
        *extra_methods_remark(run, item, "of all tests" + ADDED * bool(grid)),
        *protocol_remark(run, grid),
        "Average rank: ties share the mean of their places; in bold the best, and those that do "
        "not differ from it by Nemenyi's test.",
        "Wilcoxon's signed-rank test (exact): p after Holm's correction over the comparisons of "
        f"the method, and wins–losses over the data sets; in bold if p is below {ALPHA}. Pairs "
        "that differ are corrected over all pairs; the csv has them.",
    ]
    return table


def comparison_rows(comparison, titles):
    """All tests of one comparison; instead of them, one row that says why there are none."""
    errors, methods = comparison.errors, comparison.methods
    size = len(errors), len(methods)
    ranks = average_ranks(errors).to_dict()
    rows = [{"test": "scope", "note": _left_out(comparison, titles)}]
    rows += [{"test": "average_rank", "method_a": m, "statistic": r} for m, r in ranks.items()]
    if reason := too_few(*size):
        rows.append({"test": "friedman", "note": reason})
    else:
        rows += _over_all(errors, ranks)
        rows += _wilcoxon(errors, combinations(methods, 2), "wilcoxon")
        for first in [method for method in PROPOSED if method in methods]:
            pairs = [(first, other) for other in methods if other != first]
            rows += _wilcoxon(errors, pairs, f"wilcoxon_{first}")
    head = {"scope": comparison.scope, "datasets": size[0], "methods": size[1]}
    return [{**head, **row} for row in rows]


def _over_all(errors, ranks):
    """The tests of all methods together, and Nemenyi's of each pair."""
    size = errors.shape
    chi_square, p = friedman(errors)
    yield {"test": "friedman", "statistic": chi_square, **_p(p)}
    value, p = iman_davenport(chi_square, *size)
    yield {"test": "iman_davenport", "statistic": value, **_p(p)}
    yield {"test": "nemenyi_cd", "statistic": critical_difference(*size)}
    adjusted = nemenyi(list(ranks.values()), size[0])
    for (i, a), (j, b) in combinations(enumerate(ranks), 2):
        pair = {"test": "nemenyi", "method_a": a, "method_b": b}
        yield {**pair, "statistic": ranks[a] - ranks[b], **_p(adjusted[i, j])}


def _p(p):
    return {"p": float(p), "significant": int(p < ALPHA)}


def _wilcoxon(errors, pairs, test):
    """One family of signed-rank tests. A win is a data set on which ``method_a`` errs less."""
    family = []
    for a, b in pairs:
        differences = errors[b] - errors[a]
        result = signed_ranks(differences)
        family.append(
            {
                "test": test,
                "method_a": a,
                "method_b": b,
                "p": result.p,
                "statistic": min(result.plus, result.minus),
                "wins": int((differences > 0).sum()),
                "losses": int((differences < 0).sum()),
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
    for name, missing in comparison.left_out.items():
        where = ", ".join(titles[other] for other in missing[:3]) + ", …" * (len(missing) > 3)
        parts.append(f"{titles[name]} ({f'lacks {where}' if missing else 'no results'})")
    return f"left out: {'; '.join(parts)}" if parts else None


# The rows of tests as a table -----------------------------------------------------------------


def statistics_table(rows, titles):
    """A column per scope, without caption and remarks."""
    scopes = list(dict.fromkeys(row["scope"] for row in rows))
    found = {(r["test"], r["scope"], r.get("method_a"), r.get("method_b")): r for r in rows}
    ranked = list(dict.fromkeys(r["method_a"] for r in rows if r["test"] == "average_rank"))
    table = Table("", "", STUB, [Column(scope, scope_title(scope)) for scope in scopes])

    def line(title, show, test, a=None, b=None, **options):
        cells = [show(found, test, scope, a, b) for scope in scopes]
        keys, names = [test, a or "", b or ""], [title, titles.get(a, ""), titles.get(b, "")]
        table.rows.append(Row(keys, names, cells, **options))

    line("Data sets", _size, "datasets", number="d")
    line("Methods", _size, "methods", number="d")
    line("Friedman: chi-square (p)", _test, "friedman")
    line("Iman–Davenport: F (p)", _test, "iman_davenport")
    line("Nemenyi: critical difference", _test, "nemenyi_cd")
    for test, title in PAIR_TESTS.items():
        line(f"Pairs that differ, {title}", _count_pairs, test)
    for method in ranked:
        line("Average rank", _rank, "average_rank", method, rule=method == ranked[0])
    for first in [method for method in PROPOSED if method in ranked]:
        others = [method for method in ranked if method != first]
        for other in others:
            test = f"wilcoxon_{first}"
            rule = other == others[0]
            line("Wilcoxon: p (wins–losses)", _against, test, first, other, rule=rule, number="p")
    for test, title in PAIR_TESTS.items():
        for a, b in combinations(ranked, 2):
            if any((test, scope, a, b) in found for scope in scopes):
                line(title, _pair, test, a, b, hidden=True)
    return table


def _facts(row):
    return {key: row[key] for key in FACTS if row.get(key) is not None}


def _size(found, key, scope, *_):
    row = found["scope", scope, None, None]
    return Cell(row[key], note=row["note"] if key == "datasets" else None)


def _test(found, test, scope, *_):
    row = found.get((test, scope, None, None))
    if row is None:
        return Cell()
    if row.get("statistic") is None:
        return Cell(note=row["note"])
    p, significant = row.get("p"), bool(row.get("significant"))
    detail = "" if p is None else number_text(p, "p")
    return Cell(row["statistic"], best=significant, detail=detail, facts=_facts(row))


def _count_pairs(found, test, scope, *_):
    family = [r for (t, s, *_), r in found.items() if (t, s) == (test, scope)]
    if not family:
        return Cell()
    differ = sum(row["significant"] for row in family)
    return Cell(f"{differ} of {len(family)}", facts={"differ": differ, "pairs": len(family)})


def _rank(found, test, scope, method, _):
    row = found.get((test, scope, method, None))
    if row is None:
        return Cell()
    limit = found.get(("nemenyi_cd", scope, None, None))
    best = min(r["statistic"] for (t, s, *_), r in found.items() if (t, s) == (test, scope))
    equal = limit is not None and row["statistic"] - best < limit["statistic"]
    return Cell(row["statistic"], best=equal, facts=_facts(row))


def _against(found, test, scope, first, other):
    row = found.get((test, scope, first, other))
    if row is None:
        return Cell()
    detail = f"{row['wins']}–{row['losses']}"
    return Cell(row["p_holm"], best=bool(row["significant"]), detail=detail, facts=_facts(row))


def _pair(found, test, scope, a, b):
    row = found.get((test, scope, a, b))
    if row is None:
        return Cell()
    return Cell(row["statistic"], best=bool(row["significant"]), facts=_facts(row))
