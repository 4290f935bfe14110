"""What in a user's table is probably not what was meant.

What cannot be a class label, or no feature, is refused with the option that helps; a column that
can be a feature but looks like an index, is constant, or is one-hot coded from words that are all
different, is named.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .cells import Cells
from .errors import DatasetError

INDEX_NAMES = ("id", "index", "no", "nr", "row")
FEW_ROWS = 5  # of which nothing is said: 1, 2, 3 may be anything
MANY_CLASSES = 20  # up to here the labels may be all different
SHOWN = 4  # columns or words that a message names


def describe_missing(cells: Cells, absent: Mapping[int, np.ndarray]) -> str:
    """How many cells are missing, in how many rows and in which columns."""
    counts = {j: int(found.sum()) for j, found in absent.items() if found.any()}
    shown = ", ".join(f"{cells.title(j)}: {n}" for j, n in list(counts.items())[:SHOWN])
    more = ", …" if len(counts) > SHOWN else ""
    rows = np.any(list(absent.values()), axis=0)
    cells_are = "cell is" if sum(counts.values()) == 1 else "cells are"
    return (
        f"{sum(counts.values())} {cells_are} missing in {rows.sum()} of {len(rows)} rows "
        f"({shown}{more})"
    )


def check_classes(cells: Cells, label: int, labels: Sequence[str], *, chosen: bool) -> None:
    """Refuse labels that are no classes: one only, continuous values, another one in each row."""
    n, distinct = len(labels), set(labels)
    where = f"{cells.path}: the label, {cells.title(label)},"
    name_it = "" if chosen else f"; if another column is the label{_candidates(cells, label)}"
    if len(distinct) < 2:
        rows = "in the only row" if n == 1 else f"in all {n} rows"
        raise DatasetError(
            f"{where} is {labels[0]!r} {rows}, but a metric needs at least 2 classes{name_it}"
        )
    numbers = cells.X[:, label]
    fractions = bool((numbers != np.rint(numbers)).any()) and not cells.words[label]
    if len(distinct) > (max(2, n // 10) if fractions else max(MANY_CLASSES, n // 2)):
        kind = "has" if cells.words[label] else "looks continuous, with"
        raise DatasetError(
            f"{where} {kind} {len(distinct)} different values in {n} rows, but labels must be "
            f"classes of several samples each{name_it}"
        )


def _candidates(cells: Cells, label: int) -> str:
    """How to name the label column, with those that look like one."""
    likely = " or ".join(cells.title(j) for j in label_like(cells, label)[:SHOWN])
    return f"{f' ({likely} may be it)' if likely else ''}, give dataset.label=NAME or its number"


def label_like(cells: Cells, label: int) -> list[int]:
    """Other columns that could be the label: few different words, or integers."""
    found = []
    for j in range(len(cells.names)):
        words, numbers = set(cells.words[j].values()), cells.X[:, j]
        if cells.missing(j).any() or j == label:
            continue
        pure = np.isnan(numbers).all() if words else (numbers == np.rint(numbers)).all()
        distinct = len(words) or len(np.unique(numbers))
        if pure and 2 <= distinct <= max(2, min(MANY_CLASSES, len(numbers) // 4)):
            found.append(j)
    return found


def odd_columns(
    cells: Cells, features: Sequence[int], *, encode: bool, labels: Sequence[int]
) -> Iterator[str]:
    """Refuse columns that can be no feature; yield a message for each that should be none.

    ``encode``: words are allowed; ``labels``: columns that may be the label.
    """
    infinite = np.argwhere(np.isinf(cells.X[:, features]))
    if len(infinite):
        row, j = infinite[0]
        raise DatasetError(
            f"{cells.path}, line {cells.lines[row]}: expected a finite number in "
            f"{cells.title(features[j])}, got {cells.X[row, features[j]]}; correct the cell or "
            "remove this line"
        )
    for j in features:
        if cells.words[j]:
            yield from _words(cells, j, encode=encode, label=j in labels)
        else:
            yield from _numbers(cells, j)


def _words(cells: Cells, j: int, *, encode: bool, label: bool) -> Iterator[str]:
    words = cells.words[j]
    column = cells.title(j)
    n_numbers = int((~np.isnan(cells.X[:, j])).sum())
    if n_numbers > len(words):
        row = min(words)
        raise DatasetError(
            f"{cells.path}, line {cells.lines[row]}: expected a number in {column} as in "
            f"{n_numbers} other rows, got {words[row][:40]!r}; correct the cell or remove this line"
        )
    counts = Counter(words.values())
    each = len(counts) == len(words) and len(words) > FEW_ROWS
    shown = ", ".join(repr(word[:20]) for word in list(counts)[:3])
    if encode:
        if each:
            yield (
                f"{column} has another word in each row ({shown}, …): it is no category, "
                f"leave it out with dataset.drop=[{j + 1}]"
            )
        return
    options = [f"leave it out with dataset.drop=[{j + 1}]"]
    if not each:
        options.insert(0, "make columns of 0 and 1 of it with dataset.categorical=onehot")
    if label:
        options.append(f"if it is the label, give dataset.label={j + 1}")
    kind = "another word in each row" if each else f"words ({len(counts)} different ones)"
    raise DatasetError(
        f"{cells.path}, line {cells.lines[min(words)]}: expected numbers in {column}, it has "
        f"{kind}: {shown}; {', or '.join(options)}"
    )


def _numbers(cells: Cells, j: int) -> Iterator[str]:
    values = cells.X[:, j]
    column, out = cells.title(j), f"dataset.drop=[{j + 1}]"
    known = values[~np.isnan(values)]
    if (known == known[0]).all():
        yield f"{column} is constant ({known[0]:g}): it says nothing, leave it out with {out}"
        return
    if len(known) < max(FEW_ROWS, len(values)) or (known != np.rint(known)).any():
        return
    ordered = np.unique(known)
    counted = ordered[-1] - ordered[0] == len(known) - 1
    named = cells.names[j].lower() in (*INDEX_NAMES, f"column {j + 1}")
    if len(ordered) == len(known) and (counted or named):
        yield (
            f"{column} looks like an index ({ordered[0]:g} to {ordered[-1]:g}, another number in "
            f"each row): if it is one, leave it out with {out}"
        )
