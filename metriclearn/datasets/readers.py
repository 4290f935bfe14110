"""Readers of the public files of data sets; each returns a table.

A reader takes the paths (by file name), the facts of the data set and the options of its
``reader:`` entry. Files are read in the order of the configuration and their rows are concatenated:
training rows come first if the paper has a fixed split. Nothing is unpickled.
"""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .content import Table, canonical_label
from .errors import DatasetError
from .spec import DatasetSpec
from .text import RowFormat, parse_rows, read_bounded, split_lines

Paths = Mapping[str, Path]
Reader = Callable[[Paths, DatasetSpec, Mapping[str, Any]], Table]


def read_files(paths: Paths, spec: DatasetSpec) -> Table:
    """Read a data set's files with the reader that its configuration names."""
    options = dict(spec.reader)
    kind = options.pop("kind", None)
    if kind not in READERS:
        raise DatasetError(
            f"conf/dataset/{spec.name}.yaml: reader kind is one of {sorted(READERS)}, got {kind!r}"
        )
    return READERS[kind](paths, spec, options)


def _joined(tables: list[Table]) -> Table:
    if len(tables) == 1:
        return tables[0]
    if len({table.X.shape[1] for table in tables}) > 1:
        widths = " and ".join(str(table.X.shape[1]) for table in tables)
        raise DatasetError(f"files of one data set have {widths} features; they must agree")
    labels = [label for table in tables for label in table.labels]
    return Table(np.concatenate([table.X for table in tables]), labels)


def read_delimited(paths: Paths, spec: DatasetSpec, options: Mapping[str, Any]) -> Table:
    """Lines of numbers and a label: csv, blanks, optionally below a few lines of heading."""
    form = RowFormat(
        delimiter=options.get("delimiter", ","),
        label=options.get("label", -1),
        drop=tuple(options.get("drop", ())),
        codes={int(k): v for k, v in options.get("codes", {}).items()},
        missing=frozenset(options.get("missing_tokens", ())),
    )
    heading = options.get("skip_lines", 0)
    width = spec.n_features + 1 + len(form.drop)
    return _joined(
        [
            parse_rows(
                (
                    (number, line)
                    for number, line in split_lines(read_bounded(paths[name], spec.text_limit))
                    if number > heading
                ),
                form,
                paths[name],
                width,
            )
            for name in spec.files
        ]
    )


def read_one_hot(paths: Paths, spec: DatasetSpec, options: Mapping[str, Any]) -> Table:
    """Semeion: blank-separated values, then one 0/1 column per class with a single 1."""
    path = paths[spec.files[0]]
    c = len(spec.classes)
    lines = split_lines(read_bounded(path, spec.text_limit))
    # The last indicator is read as the label, so that the strict parser can be used.
    table = parse_rows(lines, RowFormat(delimiter=" "), path, spec.n_features + c)
    last = np.array([label == "1" for label in table.labels])
    indicators = np.column_stack([table.X[:, spec.n_features :], last])
    if not np.isin(indicators, (0, 1)).all() or not (indicators.sum(axis=1) == 1).all():
        row = int(np.argmax((indicators == 1).sum(axis=1) != 1))
        raise DatasetError(
            f"{path}, line {lines[row][0]}: expected a single 1 among the last {c} columns"
        )
    codes = indicators.argmax(axis=1)
    return Table(table.X[:, : spec.n_features], [spec.classes[i] for i in codes])


def read_svmlight(paths: Paths, spec: DatasetSpec, options: Mapping[str, Any]) -> Table:
    """LIBSVM's sparse text ``label index:value …``; ``labels`` maps its labels to ours."""
    names = {str(k): str(v) for k, v in options.get("labels", {}).items()}
    tables = []
    for name in spec.files:
        path = paths[name]
        lines = split_lines(read_bounded(path, spec.text_limit))
        X = np.zeros((len(lines), spec.n_features))
        labels = []
        for row, (number, line) in enumerate(lines):
            token, *pairs = line.split()
            try:
                for pair in pairs:
                    index, value = pair.split(b":")
                    column = int(index) - 1
                    if column < 0:
                        raise IndexError
                    X[row, column] = float(value)
            except (ValueError, IndexError):
                raise DatasetError(
                    f"{path}, line {number}: expected 'index:value' with an index from 1 to "
                    f"{spec.n_features}, got {pair[:40].decode(errors='replace')!r}"
                ) from None
            label = canonical_label(token.decode(errors="replace"))
            labels.append(names.get(label, label))
        tables.append(Table(X, labels))
    return _joined(tables)


def read_idx(paths: Paths, spec: DatasetSpec, options: Mapping[str, Any]) -> Table:
    """MNIST's IDX files: images, labels, images, labels … of unsigned bytes."""
    tables = []
    for images, labels in zip(spec.files[::2], spec.files[1::2], strict=True):
        X = _idx_array(paths[images], spec)
        y = _idx_array(paths[labels], spec)
        if y.ndim != 1 or len(y) != len(X):
            raise DatasetError(
                f"{paths[labels]}: expected {len(X)} labels for {paths[images]}, "
                f"got shape {y.shape}"
            )
        X = X.reshape(len(X), int(np.prod(X.shape[1:])))
        tables.append(Table(X, [str(label) for label in y.tolist()]))
    return _joined(tables)


def _idx_array(path: Path, spec: DatasetSpec) -> np.ndarray:
    data = read_bounded(path, spec.n_samples * spec.n_features + 64)
    if len(data) < 4 or data[:3] != b"\x00\x00\x08" or not 1 <= data[3] <= 3:
        raise DatasetError(
            f"{path}: expected an IDX file of bytes (starting 00 00 08 01..03), "
            f"got {data[:4].hex(' ') or 'an empty file'}"
        )
    n_dims = data[3]
    head = 4 + 4 * n_dims
    if len(data) < head:
        raise DatasetError(f"{path}: the IDX header is cut short; get a fresh copy")
    shape = struct.unpack(f">{n_dims}I", data[4:head])
    size = 1
    for length in shape:  # Python integers: huge lengths must not overflow
        size *= length
    if size != len(data) - head:
        raise DatasetError(
            f"{path}: its header states {'×'.join(map(str, shape))} = {size:,} bytes, "
            f"{len(data) - head:,} follow; get a fresh copy"
        )
    return np.frombuffer(data, dtype=np.uint8, offset=head).reshape(shape)


def read_xls(paths: Paths, spec: DatasetSpec, options: Mapping[str, Any]) -> Table:
    """A sheet of an old Excel file; features are the columns ``first`` … ``last`` by heading."""
    try:
        import xlrd
    except ImportError:
        raise DatasetError(
            f"reading {spec.files[0]} needs the package xlrd; pip install xlrd (the shipped copy "
            "of this data set needs nothing)"
        ) from None
    path = paths[spec.files[0]]
    data = read_bounded(path, 32 << 20)
    try:
        book = xlrd.open_workbook(file_contents=data, on_demand=True, logfile=_Silence())
        sheet = book.sheet_by_name(options["sheet"])
        rows = [sheet.row_values(i) for i in range(sheet.nrows)]
    except Exception as error:  # xlrd raises many kinds of errors on damaged files
        raise DatasetError(
            f"{path}: not a readable .xls with a sheet {options['sheet']!r} "
            f"({type(error).__name__}: {error})"
        ) from error
    heading = options.get("heading", 0)
    try:
        names = [str(cell).strip() for cell in rows[heading]]
        first, last = names.index(options["first"]), names.index(options["last"])
        label = names.index(options["label"])
    except (IndexError, ValueError):
        raise DatasetError(
            f"{path}: expected columns {options['first']!r} … {options['last']!r} and "
            f"{options['label']!r} in row {heading + 1} of sheet {options['sheet']!r}"
        ) from None
    body = [(i, row) for i, row in enumerate(rows[heading + 1 :], heading + 2) if row[label] != ""]
    for i, row in body:  # sums below the table have no label and are not rows of data
        if wrong := [cell for cell in row[first : last + 1] if not isinstance(cell, float)]:
            raise DatasetError(f"{path}, row {i}: expected numbers, got {wrong[0]!r}")
    X = np.array([row[first : last + 1] for _, row in body], dtype=np.float64)
    return Table(
        X.reshape(len(body), last + 1 - first), [canonical_label(row[label]) for _, row in body]
    )


class _Silence:
    """A log file that discards the warnings that xlrd prints to stdout by default."""

    def write(self, text: str) -> None: ...

    def flush(self) -> None: ...


def read_shipped(path: Path, spec: DatasetSpec) -> Table:
    """A file of ``data/``: heading, features in the configured order, label last, '' if missing."""
    lines = split_lines(read_bounded(path, spec.text_limit))
    expected = [*spec.names_of_features, "label"]
    found = lines[0][1].decode("utf-8", errors="replace").split(",") if lines else []
    if found != expected:
        raise DatasetError(
            f"{path}, line 1: expected the heading {','.join(expected)[:60]}…, "
            f"got {','.join(found)[:60]!r}"
        )
    missing = frozenset({""}) if spec.missing else frozenset()
    return parse_rows(lines[1:], RowFormat(missing=missing), path, len(expected))


READERS: dict[str, Reader] = {
    "delimited": read_delimited,
    "one_hot": read_one_hot,
    "svmlight": read_svmlight,
    "idx": read_idx,
    "xls": read_xls,
}
