"""The verdict on the reproduction in a few sentences, counted from the saved tables."""

from collections import Counter

from ...analysis.compared import PROPOSED, SOURCES
from ..words import listed

NAMED = ("euclidean", *PROPOSED)  # whose counts are said
BY = {
    "ours": "under our protocol",
    "protocol": "under the paper's protocol",
    "paper": "in the paper's numbers",
}


def verdict(items):
    """Sentences about the tables; ``items`` are those of ``folder.read_items``."""
    statistics = [item.content for item in items if item.content.kind == "statistics"]
    found = [_reproduced(items), *map(_ranks, statistics)]
    return [sentence for sentence in found if sentence]


def count_reproduced(items):
    """Numbers of errors by (edition, method; None: all): those judged, those reproduced."""
    judged, reproduced = Counter(), Counter()
    for table in (item.content for item in _errors(items)):
        for row in table.rows:
            edition = row.keys[1] if len(row.keys) > 1 else "ours"
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell.verdict:
                    for key in ((edition, None), (edition, column.key)):
                        judged[key] += 1
                        reproduced[key] += cell.verdict == "reproduced"
    return judged, reproduced


def _errors(items):
    return [item for item in items if item.content.kind == "errors"]


def _reproduced(items):
    """How many errors are reproduced, in all and of some methods, for each edition of ours."""
    judged, reproduced = count_reproduced(items)
    errors = _errors(items)
    titles = {column.key: column.title for item in errors for column in item.content.columns}
    parts = []
    for edition, under in BY.items():
        if total := judged[edition, None]:
            own = [
                f"{titles[m]} {reproduced[edition, m]} of {judged[edition, m]}"
                for m in NAMED
                if judged[edition, m]
            ]
            tables = names([item.label for item in errors])
            what = "" if parts else f"errors in {tables} are reproduced "
            said = f"{reproduced[edition, None]} of {total} {what}{under}"
            parts.append(f"{said} ({listed(own)})" if own else said)
    return f"{', '.join(parts)}." if parts else ""


def _ranks(table):
    """Who has the best average rank, and from what difference on ranks differ significantly."""
    found = {row.keys[0]: row.cells for row in table.rows if row.keys[0] != "average_rank"}
    ranked = [row for row in table.rows if row.keys[0] == "average_rank"]
    parts, breadths = [], []
    for i, column in enumerate(table.columns):
        source, _, breadth = column.key.partition("_all_")
        if breadth != "methods" or source not in SOURCES:
            continue
        ranks = {row.keys[1]: (row.cells[i].value, row.titles[1]) for row in ranked}
        ranks = {m: pair for m, pair in ranks.items() if pair[0] is not None}
        if ranks:
            parts.append(_first(ranks, BY[source]))
            breadths.append((found["datasets"][i].value, found["nemenyi_cd"][i].value))
    if not parts:
        return ""
    if len(set(breadths)) > 1:
        return f"Best average rank: {'; '.join(map(_with_breadth, parts, breadths))}."
    n_datasets, limit = breadths[0]
    over = f"Best average rank over {n_datasets} data set{'s' * (n_datasets != 1)}"
    return f"{over}: {'; '.join(parts)}; {_significance(limit)}."


def _with_breadth(part, breadth):
    n_datasets, limit = breadth
    return f"{part} ({n_datasets} data set{'s' * (n_datasets != 1)}, {_significance(limit)})"


def _significance(limit):
    if limit is None:
        return "too few for a test"
    return f"differences below {limit:.2f} are not significant"


def _first(ranks, by):
    """The best method, and PCML and NCML; the second where one of these is the best."""
    order = sorted(ranks, key=ranks.__getitem__)
    best, rest = order[0], [method for method in order[1:] if method in PROPOSED]
    rest = rest if len(rest) == len(PROPOSED) else order[1:2] + [m for m in rest if m != order[1]]
    return f"{_named(ranks, [best])} {by}{', before ' * bool(rest)}{_named(ranks, rest)}"


def _named(ranks, methods):
    return listed(f"{ranks[method][1]} ({ranks[method][0]:.2f})" for method in methods)


def names(labels):
    """Labels in a sentence: Tables 3 and 5; Table 3 and Claims."""
    families = {}
    for label in labels:
        word, _, number = label.partition(" ")
        families.setdefault(word if number[:1].isdigit() else label, []).append(number)
    parts = [
        f"{word}{'s' * (len(numbers) > 1)} {listed(numbers)}" if numbers[0] else word
        for word, numbers in families.items()
    ]
    return listed(parts)
