"""The pair list of PubFig, ``pubfig_full.txt``.

Comment lines that start with ``#``, a line with the number of folds, then per fold a line
``1000<tab>1000`` (same, different) and that many lines ``person<tab>i<tab>person<tab>j``, those of
the same person first.
"""

from pathlib import Path

from ..filedata import FileData
from ..parsing.pairs import PairLines, pair_data


def read(path: str | Path, names: object = None, *, n_folds: int, n_each: int) -> FileData:
    """The pairs, with as many of the same person as of different persons in each fold."""
    lines = PairLines(path, comments=True)
    if (found := lines.numbers()) != [n_folds]:
        raise lines.error(f"expected {n_folds}, the number of folds, got {found}")
    rows = []
    for fold in range(n_folds):
        if (found := lines.numbers()) != [n_each, n_each]:
            raise lines.error(f"expected the counts {[n_each, n_each]} of a fold, got {found}")
        rows += [(*lines.pair(4), True, fold) for _ in range(n_each)]
        rows += [(*lines.pair(4), False, fold) for _ in range(n_each)]
    lines.finish()
    return pair_data(rows, path)
