"""The canonical content of a data set, and its hash.

Copies of one data set differ in bytes (xls, csv, arff, IDX …) but not in content. The hash is
therefore computed from values, labels and split:

1. one line of JSON: format version, shape, class labels in code order, split, digits;
2. the values, row by row, as little-endian float64, each rounded to ``hash_digits`` significant
   decimal digits (as ``%.8e`` prints them for 9 digits), −0 as 0, a missing value as the quiet NaN;
3. the label codes as little-endian int32.

Rounding makes 0.1 read from text, from float32 and from a spreadsheet the same number.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .errors import DatasetError
from .spec import DatasetSpec

BLOCK_VALUES = 1 << 21  # values hashed at a time: bounds the memory of rounding


@dataclass(frozen=True)
class Table:
    """The result of a reader: values (NaN if missing) and label tokens, in the file's order."""

    X: np.ndarray
    labels: Sequence[str]


@dataclass(frozen=True, eq=False)
class Content:
    """Values and label codes in canonical row order."""

    X: np.ndarray
    y: np.ndarray


def canonical_label(token: object) -> str:
    """One spelling per label: surrounding blanks and quotes dropped, 6.0000 and 6 the same."""
    text = str(token).strip().strip("'\"").strip()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def round_significant(values: np.ndarray, digits: int) -> np.ndarray:
    """Round correctly to ``digits`` significant decimal digits, the same on every platform."""
    values = np.asarray(values, dtype=np.float64) + 0.0  # +0.0 turns −0 into 0
    if np.all(np.rint(values) == values) and np.all(np.abs(values) < 10.0**digits):
        return values  # fast path: integers with few digits are their own rounding
    distinct, where = np.unique(values, return_inverse=True)
    rounded = np.array([float(f"{v:.{digits - 1}e}") for v in distinct.tolist()])
    return rounded[where].reshape(values.shape) + 0.0


def content_hash(
    X: np.ndarray,
    y: np.ndarray,
    classes: Iterable[str],
    split: tuple[int, int] | None = None,
    digits: int = 9,
) -> str:
    """sha256 of the canonical content, see the docstring of the module."""
    n, d = X.shape
    head = {"format": 1, "shape": [n, d], "classes": list(classes), "digits": digits}
    head["split"] = list(split) if split else None
    digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode() + b"\n")
    step = max(1, BLOCK_VALUES // max(1, d))
    for start in range(0, n, step):
        block = round_significant(X[start : start + step], digits).astype("<f8")
        block[np.isnan(block)] = np.nan  # one bit pattern for every NaN
        digest.update(np.ascontiguousarray(block).data)
    digest.update(np.ascontiguousarray(y, dtype="<i4").data)
    return digest.hexdigest()


def to_content(table: Table, spec: DatasetSpec, where: str) -> Content:
    """Check a table against the facts of the data set and put it in canonical order."""
    X = np.ascontiguousarray(table.X, dtype=np.float64)
    if X.shape != (spec.n_samples, spec.n_features):
        raise DatasetError(
            f"{where}: {spec.name} has {spec.n_samples} rows × {spec.n_features} features, "
            f"this has {X.shape[0]} × {X.shape[1]}"
        )
    code = {label: i for i, label in enumerate(spec.classes)}
    try:
        y = np.fromiter((code[t] for t in table.labels), dtype=np.int64, count=spec.n_samples)
    except KeyError as error:
        raise DatasetError(
            f"{where}: label {error.args[0]!r} is not one of {spec.name}'s classes "
            f"{', '.join(spec.classes)}"
        ) from None
    if np.isinf(X).any():
        row, column = np.argwhere(np.isinf(X))[0]
        raise DatasetError(f"{where}: infinite value in row {row + 1}, feature {column + 1}")
    if spec.row_order == "sorted":
        rounded = round_significant(X, spec.hash_digits)
        order = np.lexsort((y, *rounded.T[::-1]))
        X, y = np.ascontiguousarray(X[order]), y[order]
    return Content(X, y)


def verify(content: Content, spec: DatasetSpec, where: str) -> str:
    """Compare class counts and hash with the configuration; return the hash."""
    counts = tuple(np.bincount(content.y, minlength=len(spec.classes)).tolist())
    if counts != spec.class_counts:
        raise DatasetError(
            f"{where}: {spec.name} has {_named(spec.classes, spec.class_counts)}, "
            f"this has {_named(spec.classes, counts)}"
        )
    found = content_hash(content.X, content.y, spec.classes, spec.split_sizes, spec.hash_digits)
    if found != spec.content_hash:
        raise DatasetError(
            f"{where}: content hash {found[:12]}… is not {spec.name}'s "
            f"{spec.content_hash[:12]}…: some value, label or the row order differs; "
            f"get a fresh copy ({spec.page})"
        )
    return found


def _named(classes: Sequence[str], counts: Sequence[int]) -> str:
    return " ".join(f"{label}:{count}" for label, count in zip(classes, counts, strict=True))
