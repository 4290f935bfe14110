"""A file of unknown layout as columns of cells: numbers, words, or nothing.

Text is separated by commas, semicolons, tabs or blanks: whichever divides the first lines into the
same number of cells. Between semicolons 1,5 is the number 1.5, as many spreadsheets write it.
"""

import re
from array import array
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from pathlib import Path

import numpy as np

from .errors import DatasetError
from .text import NO_LABEL, read_bounded, split_cells, split_lines

SIZE_LIMIT = 2 << 30
MISSING = NO_LABEL | {"n/a", "#n/a"}  # in lower case
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "blanks"}
SNIFFED_LINES = 20
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


@dataclass
class Cells:
    """A table as it was read; columns are counted from 0 here, from 1 in messages."""

    path: Path
    names: list[str]
    X: np.ndarray  # numbers; NaN where a cell is a word, or nothing
    words: list[dict[int, str]]  # of each column: {row: its word}
    lines: np.ndarray  # where each row stands in the file
    layout: str  # how it was read, in words
    heading: bool = True  # whether the names are the file's

    def title(self, column: int) -> str:
        """A column's number, with its name if the file has names."""
        number, name = f"column {column + 1}", self.names[column]
        if not self.heading:
            return number
        return f"{number} (no name)" if name == number else f"{number} ({name!r})"

    def missing(self, column: int) -> np.ndarray:
        """Which cells of a column hold nothing."""
        found = np.isnan(self.X[:, column])
        found[list(self.words[column])] = False
        return found

    def only(self, rows: np.ndarray) -> "Cells":
        """The table of some of the rows, given as a mask."""
        place = np.cumsum(rows) - 1
        words = [{int(place[i]): w for i, w in of.items() if rows[i]} for of in self.words]
        return Cells(
            self.path,
            self.names,
            self.X[rows],
            words,
            self.lines[rows],
            self.layout,
            self.heading,
        )


def read_cells(path: Path) -> Cells:
    """Read a text file or, by its ending, a parquet file."""
    if path.is_dir():
        raise DatasetError(f"{path}: expected a csv file, this is a folder")
    if not path.is_file():
        raise DatasetError(f"{path}: no such file; check the path")
    return _read_parquet(path) if path.suffix.lower() == ".parquet" else _read_text(path)


def _read_text(path: Path) -> Cells:
    lines = split_lines(read_bounded(path, SIZE_LIMIT))
    if not lines:
        raise DatasetError(f"{path}: the file is empty; expected lines of numbers and a label")
    delimiter = _delimiter(lines[:SNIFFED_LINES], path)
    number, first = lines[0]
    names = split_cells(first, delimiter, f"{path}, line {number}")
    if len(names) < 2:
        raise DatasetError(
            f"{path}, line {number}: expected features and a label separated by commas, "
            f"semicolons, tabs or blanks, got one column: {names[0][:40]!r}"
        )
    heading = not any(is_number(_point(cell, delimiter)) for cell in names)
    layout = f"separated by {DELIMITERS[delimiter]}"
    if heading:
        names = _named(names, f"{path}, line {number}")
        lines = lines[1:]
    else:
        names = [f"x{i + 1}" for i in range(len(names))]
        layout += ", no heading"
    X, words = _parse(lines, delimiter, len(names), path)
    numbers = np.array([number for number, _ in lines])
    return Cells(path, names, X, words, numbers, layout, heading)


def _delimiter(lines: list[tuple[int, bytes]], path: Path) -> str:
    """The one that divides the lines evenly, into the most cells; if none does, the one that the
    first line has most of."""
    if ".tsv" in (suffix.lower() for suffix in path.suffixes):
        return "\t"
    start = lines[0][1]
    found = [d for d in DELIMITERS if d != " " and d.encode() in start] or [" "]
    even = {}
    for delimiter in found:
        try:
            counts = {len(split_cells(line, delimiter, "")) for _, line in lines}
        except DatasetError:  # told with its line when the file is parsed
            continue
        if len(counts) == 1:
            even[delimiter] = counts.pop()
    return max(even or found, key=lambda d: even.get(d) or start.count(d.encode()))


def _named(heading: list[str], where: str) -> list[str]:
    """The names of the columns, all different; one without a name is called by its number."""
    names = [name or f"column {i + 1}" for i, name in enumerate(heading)]
    for name, count in Counter(names).items():
        if count > 1:
            numbers = " and ".join(str(i + 1) for i, other in enumerate(names) if other == name)
            raise DatasetError(
                f"{where}: the heading has the name {name!r} {count} times (columns {numbers}); "
                "rename them"
            )
    return names


def _parse(
    lines: list[tuple[int, bytes]], delimiter: str, width: int, path: Path
) -> tuple[np.ndarray, list[dict[int, str]]]:
    values = array("d")
    words: list[dict[int, str]] = [{} for _ in range(width)]
    spelling: dict[str, str] = {}  # one copy of each word
    for row, (number, line) in enumerate(lines):
        where = f"{path}, line {number}"
        cells = split_cells(line, delimiter, where)
        if delimiter == ";" and b"," in line:
            cells = [_point(cell, delimiter) for cell in cells]
        if len(cells) != width:
            raise DatasetError(
                f"{where}: expected {width} columns as in the first line, got {len(cells)}; "
                "repair or remove this line"
            )
        plain = b"_" not in line  # float() takes 1_000, a data file should not
        for column, cell in enumerate(cells):
            try:
                if not plain and "_" in cell:
                    raise ValueError
                values.append(float(cell))
            except ValueError:
                values.append(np.nan)
                if cell.lower() not in MISSING:
                    words[column][row] = spelling.setdefault(cell, cell)
    return np.frombuffer(values, dtype=np.float64).reshape(len(lines), width), words


def _read_parquet(path: Path) -> Cells:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise DatasetError(
            f"{path}: parquet needs the package pyarrow; pip install 'metriclearn[pipeline]'"
        ) from None
    try:
        file = parquet.ParquetFile(path)
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > SIZE_LIMIT:
            raise DatasetError(f"{path}: expected at most {SIZE_LIMIT:,} bytes, there are more")
        table = file.read()
        names = _named(table.column_names, str(path))
        X = np.full((table.num_rows, len(names)), np.nan)
        words: list[dict[int, str]] = [{} for _ in names]
        for j, column in enumerate(table.columns):
            for i, value in enumerate(column.to_pylist()):
                if isinstance(value, Real | Decimal):
                    X[i, j] = value
                elif value is not None and str(value).lower() not in MISSING:
                    words[j][i] = str(value)
    except DatasetError:
        raise
    except Exception as error:  # pyarrow raises many kinds of errors on damaged files
        raise DatasetError(f"{path}: not a readable parquet file ({error})") from error
    return Cells(path, names, X, words, np.arange(1, len(X) + 1), "parquet")


def _point(cell: str, delimiter: str) -> str:
    """A number with a decimal comma, between semicolons, as one with a point."""
    is_one = delimiter == ";" and DECIMAL_COMMA.fullmatch(cell)
    return cell.replace(",", ".") if is_one else cell


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
