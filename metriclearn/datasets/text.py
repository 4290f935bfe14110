"""Reading untrusted text: bounded decompression and strict rows of numbers.

Every table of text (shipped csv, UCI files, arff, a user's own file) goes through ``parse_rows``,
so a broken row is always reported with its file and line, what was expected and what came.
"""

import bz2
import csv
import gzip
import lzma
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .content import Table, canonical_label
from .errors import DatasetError

CHUNK = 1 << 20
MAGIC: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda f: gzip.GzipFile(fileobj=f),  # type: ignore[dict-item,return-value]
    b"BZh": lambda f: bz2.BZ2File(f),  # type: ignore[dict-item,return-value]
    b"\xfd7zXZ\x00": lambda f: lzma.LZMAFile(f),  # type: ignore[dict-item,return-value]
}
NO_LABEL = {"", "?", "nan", "na", "none", "null"}


def read_bounded(path: Path, limit: int) -> bytes:
    """The file's bytes, decompressed if it is gzip, bzip2 or xz, refusing more than ``limit``."""
    try:
        with open(path, "rb") as raw:
            start = raw.read(6)
            raw.seek(0)
            opened = next((o for magic, o in MAGIC.items() if start.startswith(magic)), None)
            stream = opened(raw) if opened else raw
            data = bytearray()
            while chunk := stream.read(CHUNK):
                data += chunk
                if len(data) > limit:
                    raise DatasetError(
                        f"{path}: expected at most {limit:,} bytes of content, there are more; "
                        "this is not the right file"
                    )
            return bytes(data)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DatasetError(
            f"{path}: damaged or truncated compressed file ({error}); get a fresh copy"
        ) from error
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror or error}") from error


def split_lines(data: bytes) -> list[tuple[int, bytes]]:
    """Non-empty lines with their number, counted from 1."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


@dataclass(frozen=True)
class RowFormat:
    """The layout of the cells of a line: features and a label."""

    delimiter: str = ","  # " " means any run of blanks
    label: int = -1
    drop: tuple[int, ...] = ()
    codes: Mapping[int, Mapping[str, float]] = field(default_factory=dict)  # column → word → value
    missing: frozenset[str] = frozenset()  # cells that stand for a missing value


def split_cells(line: bytes, delimiter: str, where: str) -> list[str]:
    """The cells of one line, blanks around them removed."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise DatasetError(f"{where}: expected UTF-8 text, got other bytes") from None
    if delimiter == " ":
        return text.split()
    if '"' not in text:
        return [cell.strip() for cell in text.split(delimiter)]
    try:
        rows = list(csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise DatasetError(f"{where}: quotes do not match ({error})") from None
    return [cell.strip() for cell in rows[0]]


def parse_rows(
    lines: Iterable[tuple[int, bytes]], form: RowFormat, path: Path | str, width: int | None = None
) -> Table:
    """Parse every line or raise; ``width`` is the number of cells, by default the first line's."""
    values, labels, numbers = array("d"), [], array("q")
    plain = not form.codes
    spelling: dict[str, str] = {}
    kept: list[int] = []
    for number, line in lines:
        where = f"{path}, line {number}"
        cells = split_cells(line, form.delimiter, where)
        if not kept:
            width = _checked_width(cells, width, form, where)
            outside = {i % width for i in (form.label, *form.drop)}
            kept = [i for i in range(width) if i not in outside]
        if len(cells) != width:
            raise DatasetError(
                f"{where}: expected {width} columns, got {len(cells)}; repair or remove this line"
            )
        label = cells[form.label]
        if label not in spelling:
            if label.lower() in NO_LABEL:
                raise DatasetError(f"{where}: the label is missing; fill it in or remove this line")
            spelling[label] = canonical_label(label)
        try:
            if not plain or b"_" in line:  # float() takes 1_000, a data file should not
                raise ValueError
            values.extend([float(cells[i]) for i in kept])
        except ValueError:
            values.extend([_cell(cells[i], i, form, where) for i in kept])
        labels.append(spelling[label])
        numbers.append(number)
    if not numbers:
        raise DatasetError(f"{path}: expected rows of data, the file has none")
    X = np.frombuffer(values, dtype=np.float64).reshape(len(numbers), len(kept))
    wrong = np.isinf(X) if form.missing else ~np.isfinite(X)
    if wrong.any():
        row, feature = np.argwhere(wrong)[0]
        raise DatasetError(
            f"{path}, line {numbers[row]}: expected a finite number in column "
            f"{kept[feature] + 1}, got {X[row, feature]}; correct the cell or remove this line"
        )
    return Table(X, labels)


def _checked_width(cells: list[str], width: int | None, form: RowFormat, where: str) -> int:
    """The number of columns that all lines must have."""
    width = len(cells) if width is None else width
    columns = (form.label, *form.drop, *form.codes)
    if width < 2 or any(not -width <= i < width for i in columns):
        raise DatasetError(
            f"{where}: expected features and a label separated by "
            f"{'blanks' if form.delimiter == ' ' else repr(form.delimiter)}, "
            f"got {len(cells)} column(s): {cells[0][:40] if cells else ''!r}"
        )
    return width


def _cell(cell: str, column: int, form: RowFormat, where: str) -> float:
    coded = form.codes.get(column)
    if coded is not None and cell in coded:
        return float(coded[cell])
    if cell in form.missing:
        return float("nan")
    try:
        if coded is not None or "_" in cell:
            raise ValueError
        value = float(cell)
    except ValueError:
        expected = f"one of {sorted(coded)}" if coded is not None else "a number"
        raise DatasetError(
            f"{where}: expected {expected} in column {column + 1}, got {cell[:40]!r}; "
            "correct the cell or remove this line"
        ) from None
    if not np.isfinite(value):
        raise DatasetError(
            f"{where}: expected a finite number in column {column + 1}, got {cell!r}; "
            "correct the cell or remove this line"
        )
    return value
