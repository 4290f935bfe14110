"""Reading the dense ARFF files of OpenML, with the strict row parser of ``text.py``."""

import re
from pathlib import Path

from .content import Table
from .errors import DatasetError
from .text import RowFormat, parse_rows, read_bounded

ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)


def read_arff(path: Path, label: str, limit: int) -> tuple[list[str], Table]:
    """Names of the feature columns and the table; ``label`` is the name of the label column."""
    names: list[str] = []
    lines = enumerate(read_bounded(path, limit).splitlines(), 1)
    for number, line in lines:
        text = line.decode("utf-8", errors="replace").strip()
        if text.lower().startswith("@data"):
            break
        if text.lower().startswith("@attribute"):
            match = ATTRIBUTE.match(text)
            if not match:
                raise DatasetError(f"{path}, line {number}: expected '@attribute NAME TYPE'")
            names.append(match[1].strip("'\""))
    else:
        raise DatasetError(f"{path}: expected a line '@data', there is none; not an ARFF file")
    if label not in names:
        raise DatasetError(f"{path}: expected an attribute {label!r}, has {', '.join(names[:8])} …")
    position = names.index(label)
    rows = ((n, line) for n, line in lines if line.strip() and not line.startswith(b"%"))
    form = RowFormat(label=position, missing=frozenset({"?"}))
    table = parse_rows(rows, form, path, len(names))
    return [name for name in names if name != label], table
