"""The pair lists of LFW.

``pairs.txt`` (View 2): the first line holds the number of folds and the number of pairs of each
kind per fold, ``10<tab>300``; per fold 300 lines ``person<tab>i<tab>j`` for the same person and 300
lines ``person<tab>i<tab>other<tab>j`` for different ones. ``pairsDevTrain.txt`` and
``pairsDevTest.txt`` (View 1): the first line holds the number of pairs only, there is one fold.
"""

from pathlib import Path

from ..filedata import FileData
from ..parsing.pairs import PairLines, pair_data


def read(path: str | Path, names: object = None, *, n_folds: int, n_each: int) -> FileData:
    """The pairs; View 1's files have ``n_folds=1`` and 1100 or 500 pairs of each kind."""
    lines = PairLines(path)
    header = lines.numbers()
    expected = [n_folds, n_each] if n_folds > 1 else [n_each]
    if header not in (expected, [n_folds, n_each]):
        raise lines.error(f"expected the counts {expected} in the first line, got {header}")
    rows = []
    for fold in range(n_folds):
        rows += [(*lines.pair(3), True, fold) for _ in range(n_each)]
        rows += [(*lines.pair(4), False, fold) for _ in range(n_each)]
    lines.finish()
    return pair_data(rows, path)
