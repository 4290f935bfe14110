"""Untrusted text files, of bounded size, as text and numbers."""

from pathlib import Path

from ...datasets import DatasetError
from ...datasets.text import read_bounded

MAX_BYTES = 64 << 20


def read_text(path: str | Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of a file, compressed or not, of at most ``max_bytes``."""
    data = read_bounded(Path(path), max_bytes)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not a text in UTF-8; get a fresh copy") from error


def real(cell: str) -> float:
    """A number as files write it; ``ValueError`` for anything else."""
    if "_" in cell:  # float() takes 1_000, a data file should not
        raise ValueError(f"could not convert string to float: {cell!r}")
    return float(cell)


def counting(cell: str) -> int | None:
    """A whole number from 1 with at most nine digits, or None."""
    cell = cell.strip()
    valid = cell.isascii() and cell.isdigit() and len(cell) < 10 and int(cell) > 0
    return int(cell) if valid else None
