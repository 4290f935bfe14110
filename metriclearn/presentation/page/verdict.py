"""The verdict on the reproduction in a few sentences, counted from the saved tables."""

from collections import Counter

from ...analysis.compared import PROPOSED, SOURCES
from ..words import listed

NAMED = ("euclidean", *PROPOSED)  # whose counts are said
UNDER = {"ours": "under our protocol", "protocol": "under the paper's protocol"}
RANKED_BY = {
    "ours": "Under our protocol",
    "protocol": "Under the paper's protocol",
    "paper": "In the paper's numbers",
}


def verdict(items):
    """Sentences about the tables; ``items`` are those of ``folder.read_items``."""
    errors = [item for item in items if item.content.kind == "errors"]
    statistics = [item.content for item in items if item.content.kind == "statistics"]
    return [*_reproduced(errors), *(text for table in statistics for text in _ranks(table))]


def _reproduced(items):
    """How many errors are reproduced, in all and of some methods, for each edition of ours."""
    judged, reproduced, titles = Counter(), Counter(), {}
    for table in (item.content for item in items):
        for row in table.rows:
            edition = row.keys[1] if len(row.keys) > 1 else "ours"
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell.verdict:
                    titles[column.key] = column.title
                    for key in ((edition, None), (edition, column.key)):
                        judged[key] += 1
                        reproduced[key] += cell.verdict == "reproduced"
    tables = names([item.label for item in items])
    for edition, under in UNDER.items():
        if total := judged[edition, None]:
            own = [
                f"{titles[m]} {reproduced[edition, m]} of {judged[edition, m]}"
                for m in NAMED
                if judged[edition, m]
            ]
            yield (
                f"{reproduced[edition, None]} of {total} errors in {tables} are reproduced {under}"
                f"{': ' * bool(own)}{listed(own)}."
            )


def _ranks(table):
    """Who has the best average rank, and whether PCML and NCML differ from it."""
    found = {row.keys[0]: row.cells for row in table.rows if row.keys[0] != "average_rank"}
    ranked = [row for row in table.rows if row.keys[0] == "average_rank"]
    for i, column in enumerate(table.columns):
        source, _, breadth = column.key.partition("_all_")
        if breadth != "methods" or source not in SOURCES:
            continue
        ranks = {row.keys[1]: (row.cells[i].value, row.titles[1]) for row in ranked}
        ranks = {m: pair for m, pair in ranks.items() if pair[0] is not None}
        if ranks:
            limit = found["nemenyi_cd"][i].value
            yield _rank_sentence(source, ranks, found["datasets"][i].value, limit)


def _rank_sentence(source, ranks, n_datasets, limit):
    order = sorted(ranks, key=ranks.__getitem__)
    best, rest = order[0], [method for method in order[1:] if method in PROPOSED]
    rest = rest if len(rest) == len(PROPOSED) else order[1:2] + [m for m in rest if m != order[1]]
    said = f"{RANKED_BY[source]}, {_named(ranks, [best])} has the best average rank over "
    said += f"{n_datasets} data set{'s' * (n_datasets != 1)}"
    if not rest:
        return f"{said}."
    if limit is None:
        return f"{said}, before {_named(ranks, rest)}; too few for a test."
    near = [m for m in rest if ranks[m][0] - ranks[best][0] < limit]
    far = [m for m in rest if m not in near]
    parts = []
    if near:
        parts.append(f"{_named(ranks, near)} {'do' if len(near) > 1 else 'does'} not differ")
    if far:
        parts.append(f"{_named(ranks, far)} {'differ' if len(far) > 1 else 'differs'}")
    said += f"; {' and '.join(parts)} significantly from it"
    return f"{said} (critical difference {limit:.2f})."


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
