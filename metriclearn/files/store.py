"""Reading and atomic writing of text, json, arrays (npz) and rows (csv)."""

import csv
import io
import json
from pathlib import Path

import numpy as np

from .atomic import write_atomically
from .errors import PipelineError, one_line


def write_text(path, text):
    write_atomically(Path(path), text.encode("utf-8"))


def write_json(path, value):
    write_text(path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PipelineError(f"{path}: cannot read it ({error}); delete it and run again") from error


def write_arrays(path, facts, **arrays):
    """Write an npz with arrays and facts (json); the same content gives the same bytes."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, facts=np.array(json.dumps(facts, sort_keys=True)), **arrays)
    write_atomically(Path(path), buffer.getvalue())


def read_arrays(path):
    """The facts of an npz and the archive, whose arrays are read on access."""
    try:
        archive = np.load(path, allow_pickle=False)
        return json.loads(str(archive["facts"])), archive
    except Exception as error:  # a damaged file can make the library fail in any way
        raise _unreadable(path, error) from error


def load_arrays(path):
    """The facts of an npz and all of its arrays."""
    facts, archive = read_arrays(path)
    try:
        with archive:
            return facts, {key: archive[key] for key in archive.files if key != "facts"}
    except Exception as error:
        raise _unreadable(path, error) from error


def _unreadable(path, error):
    return PipelineError(f"{path}: cannot read it ({one_line(error)}); delete it and run again")


def write_rows(path, columns, rows):
    """Write a csv with the given columns; floats with all digits, None as an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    write_text(path, buffer.getvalue())


def _cell(value):
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if isinstance(value, float) else value


def read_rows(path):
    """The rows of a csv as dicts of text."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise PipelineError(f"{path}: cannot read it ({error.strerror})") from error


def read_all(places):
    """The rows of lists of csv files, by kind: ``places`` maps a kind to its paths."""
    return {
        kind: [row for path in paths for row in read_rows(path)] for kind, paths in places.items()
    }
