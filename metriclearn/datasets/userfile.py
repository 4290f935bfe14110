"""A user's own table: one csv file, numbers and a label per line.

- Separated by commas (``.tsv``: tabs), UTF-8, optionally compressed (``.gz``, ``.bz2``, ``.xz``).
- A heading is optional: the first line is one if none of its cells is a number.
- The label is the column named ``label`` or ``class`` (any case), or else the last column.
- All other columns are features: finite numbers, no missing values.
"""

from pathlib import Path

import numpy as np

from .content import Table
from .errors import DatasetError
from .text import RowFormat, parse_rows, read_bounded, split_cells, split_lines

LABEL_NAMES = ("label", "class")
SIZE_LIMIT = 2 << 30


def read_user_file(path: Path) -> tuple[Table, tuple[str, ...]]:
    """The table and the names of its features."""
    if path.is_dir():
        raise DatasetError(f"{path}: expected a csv file, this is a folder")
    if not path.is_file():
        raise DatasetError(f"{path}: no such file; check the path")
    lines = split_lines(read_bounded(path, SIZE_LIMIT))
    if not lines:
        raise DatasetError(
            f"{path}: the file is empty; expected lines of numbers with the label last"
        )
    number, first = lines[0]
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    cells = split_cells(first, delimiter, f"{path}, line {number}")
    if len(cells) < 2:
        raise DatasetError(
            f"{path}, line {number}: expected features and a label separated by {delimiter!r}, "
            f"got one column: {cells[0][:40]!r}"
        )
    if any(_is_number(cell) for cell in cells):
        names, position = [f"x{i + 1}" for i in range(len(cells) - 1)], -1
    else:
        position = _label_position(cells, path, number)
        names = [name for i, name in enumerate(cells) if i != position]
        lines = lines[1:]
    table = parse_rows(lines, RowFormat(delimiter, position), path, len(cells))
    return table, tuple(names)


def _label_position(heading: list[str], path: Path, number: int) -> int:
    named = [i for i, name in enumerate(heading) if name.lower() in LABEL_NAMES]
    if len(named) > 1 or len(set(heading)) < len(heading):
        twice = "label columns" if len(named) > 1 else "columns of the same name"
        raise DatasetError(f"{path}, line {number}: the heading has two {twice}; rename one")
    return named[0] if named else len(heading) - 1


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def sorted_classes(labels: list[str]) -> list[str]:
    """Distinct labels, sorted as numbers if all are numbers, else alphabetically."""
    distinct = sorted(set(labels))
    if all(_is_number(label) and np.isfinite(float(label)) for label in distinct):
        distinct.sort(key=float)
    return distinct
