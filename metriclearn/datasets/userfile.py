"""A table of your own: features and a label, as ``docs/own_data.md`` says.

- Text (``cells.py``), UTF-8, optionally compressed (``.gz``, ``.bz2``, ``.xz``), or parquet. The
  first line is a heading if none of its cells is a number.
- The label is the column that ``label`` names or numbers, else the one named ``label``, ``class``
  or ``target`` (any case), else the last one. All other columns, but for ``drop``, are features.
- Missing cells are refused, or left in to be filled on the training part of each fold
  (``missing="median"``), or their rows are left out (``missing="drop"``).
- Columns of words are refused, or become a column of 0 and 1 per word (``categorical="onehot"``).
  The words are those of the whole file: they say nothing about labels, and one that only test rows
  have is a constant 0 in training.
"""

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .cells import Cells, is_number, read_cells
from .content import Table, canonical_label
from .errors import DatasetError, DatasetWarning
from .suspects import check_classes, describe_missing, label_like, odd_columns

LABEL_NAMES = ("label", "class", "target")
CHOICES = {"missing": ("refuse", "median", "drop"), "categorical": ("refuse", "onehot")}


@dataclass(frozen=True)
class FileOptions:
    """How a file is read; columns are named, or numbered from 1."""

    label: str | int | None = None
    missing: str = "refuse"
    categorical: str = "refuse"
    drop: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        for key, values in CHOICES.items():
            if (value := getattr(self, key)) not in values:
                raise DatasetError(
                    f"dataset.{key} must be one of {', '.join(values)}, got {value!r}"
                )
        several = isinstance(self.drop, list | tuple)
        object.__setattr__(self, "drop", tuple(self.drop) if several else (self.drop,))
        label = () if self.label is None else (self.label,)
        for key, columns in {"label": label, "drop": self.drop}.items():
            for column in columns:
                if isinstance(column, bool) or not isinstance(column, str | int):
                    raise DatasetError(
                        f"dataset.{key} must name columns, or number them from 1, got {column!r}"
                    )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "FileOptions":
        """From a mapping that may have other keys too; None is the default."""
        return cls(**{key: values[key] for key in OPTIONS if values.get(key) is not None})

    def changed(self) -> dict[str, Any]:
        """The options that are not the default, for a configuration or a note."""
        default = asdict(FileOptions())
        found = {key: value for key, value in asdict(self).items() if value != default[key]}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in found.items()}


OPTIONS = tuple(asdict(FileOptions()))


@dataclass(frozen=True)
class UserTable:
    """What was read, and how."""

    table: Table
    names: tuple[str, ...]  # of the features
    layout: str  # in words
    gaps: bool  # whether cells are missing, to be filled


def read_user_file(path: Path, options: FileOptions | None = None) -> UserTable:
    """Read the file as the options say; what looks like a mistake gives a ``DatasetWarning``."""
    options = options or FileOptions()
    cells = read_cells(path)
    if not len(cells.X):
        raise DatasetError(f"{path}: expected rows of data, the file has none")
    dropped = {_position(cells, column, "drop") for column in options.drop}
    label = _label(cells, options.label, dropped)
    features = [j for j in range(len(cells.names)) if j != label and j not in dropped]
    if not features:
        raise DatasetError(f"{path}: no column is left for the features; check dataset.drop")
    cells, layout = _without_missing(cells, label, features, options.missing)
    labels = _labels(cells, label)
    check_classes(cells, label, labels, chosen=options.label is not None)
    encode = options.categorical == "onehot"
    sure = options.label is not None or cells.names[label].lower() in LABEL_NAMES
    others = [] if sure else label_like(cells, label)
    for message in odd_columns(cells, features, encode=encode, labels=others):
        warnings.warn(f"{path}: {message}", DatasetWarning, stacklevel=4)
    X, names = _encoded(cells, features)
    layout = f"{cells.layout}, label in {cells.title(label)}{layout}"
    if len(names) > len(features):
        layout += f", {len(names)} columns of {len(features)} features by one-hot coding"
    return UserTable(Table(X, labels), names, layout, bool(np.isnan(X).any()))


def _position(cells: Cells, column: str | int, option: str) -> int:
    """The column of that name, in any case if there is one only, or of that number from 1."""
    names = cells.names
    if isinstance(column, int):
        if 1 <= column <= len(names):
            return column - 1
        raise DatasetError(
            f"{cells.path}: dataset.{option} must be a column from 1 to {len(names)}, got {column}"
        )
    alike = [j for j, name in enumerate(names) if name.lower() == column.lower()]
    if column in names:
        return names.index(column)
    if len(alike) == 1:
        return alike[0]
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    known = f"its columns are {shown}" if cells.heading else "it has no heading: give a number"
    raise DatasetError(f"{cells.path}: dataset.{option} names no column, {column!r}; {known}")


def _label(cells: Cells, chosen: str | int | None, dropped: set[int]) -> int:
    if chosen is not None:
        return _position(cells, chosen, "label")
    named = [j for j, name in enumerate(cells.names) if name.lower() in LABEL_NAMES]
    named = [j for j in named if j not in dropped]
    if len(named) > 1:
        both = " and ".join(cells.names[j] for j in named)
        raise DatasetError(
            f"{cells.path}: the heading has {len(named)} label columns, {both}; choose one with "
            "dataset.label=NAME"
        )
    left = [j for j in range(len(cells.names)) if j not in dropped]
    return named[0] if named else left[-1] if left else 0


def _labels(cells: Cells, label: int) -> list[str]:
    words, values = cells.words[label], cells.X[:, label]
    return [canonical_label(words.get(i, value)) for i, value in enumerate(values.tolist())]


def _without_missing(
    cells: Cells, label: int, features: list[int], missing: str
) -> tuple[Cells, str]:
    """The table without the rows that ``missing="drop"`` leaves out, and what to say of them."""
    absent = {j: cells.missing(j) for j in (label, *features)}
    empty = [j for j in features if absent[j].all()]
    if empty:
        raise DatasetError(
            f"{cells.path}: {cells.title(empty[0])} has no value at all; leave it out "
            f"with dataset.drop=[{empty[0] + 1}]"
        )
    rows = np.any(list(absent.values()), axis=0)
    if not rows.any():
        return cells, ""
    if missing == "drop":
        if rows.all():
            raise DatasetError(f"{cells.path}: every row has a missing cell; none is left")
        return cells.only(~rows), f", {rows.sum()} of {len(rows)} rows with missing cells left out"
    if absent[label].any():
        lines = cells.lines[absent[label]]
        raise DatasetError(
            f"{cells.path}, line {lines[0]}: the label is missing (in {len(lines)} rows); fill it "
            "in, or leave such rows out with dataset.missing=drop"
        )
    if missing == "refuse":
        raise DatasetError(
            f"{cells.path}: {describe_missing(cells, absent)}; choose dataset.missing=median (of "
            "the training part of each fold) or dataset.missing=drop (leaves the rows out)"
        )
    return (
        cells,
        f", {describe_missing(cells, absent)}, to be filled with the median of each training part",
    )


def _encoded(cells: Cells, features: list[int]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers as they are, words as columns of 0 and 1: all 0 where the word is missing."""
    parts: list[np.ndarray] = []
    names: list[str] = []
    for j in features:
        column, words = cells.X[:, j], cells.words[j]
        if not words:
            parts.append(column)
            names.append(cells.names[j])
            continue
        texts = [
            words.get(i, "" if np.isnan(value) else canonical_label(value))
            for i, value in enumerate(column.tolist())
        ]
        for word in sorted(set(texts) - {""}):
            parts.append(np.array([text == word for text in texts], dtype=np.float64))
            names.append(f"{cells.names[j]}={word}")
    return np.column_stack(parts), tuple(names)


def sorted_classes(labels: list[str]) -> list[str]:
    """Distinct labels, sorted as numbers if all are numbers, else alphabetically."""
    distinct = sorted(set(labels))
    if all(is_number(label) and np.isfinite(float(label)) for label in distinct):
        distinct.sort(key=float)
    return distinct
