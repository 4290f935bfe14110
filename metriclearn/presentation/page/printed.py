"""A table as its Markdown prints it, for kinds that the page does not compare cell by cell."""

import re

from ..render import MINUS
from .compare import Cell
from .grids import Grid
from .prose import plain, table_cells

MARK = re.compile(r"<sup>(\w+)</sup>")
NUMBER = re.compile(rf"[<{MINUS}+-]*\d[\d,]*(\.\d+)?(e[+-]?\d+)?")


def printed_grid(text):
    """The table of a Markdown file with its footnotes as notes; None where it has none."""
    lines = table_cells(text)
    if not lines:
        return None
    notes = dict(_footnotes(text))
    header, *body = lines
    rows = [[_cell(cell, notes) for cell in line] for line in body]
    above = None
    for row in rows:  # a name that is printed once for several rows: sorting takes them apart
        if above and not row[0].text:
            row[0] = Cell(text=above.text, note=above.note, ours_value=above.text)
        above = row[0]
    numeric = [_is_numeric([row[i] for row in rows]) for i in range(len(header))]
    for row in rows:
        for cell, is_number in zip(row, numeric):
            if is_number:
                cell.ours_value = _leading_number(cell.text)
    return Grid([plain(name) for name in header], numeric, rows)


def _footnotes(text):
    for block in re.split(r"\n\s*\n", text):
        if found := MARK.match(block):
            yield found[1], plain(block[found.end() :].strip())


def _cell(text, notes):
    mark = MARK.search(text)
    text = MARK.sub("", text).strip()
    shown = plain(text)
    empty = shown in ("", MINUS)
    return Cell(
        text=shown,
        best=text.startswith("**"),
        note=notes.get(mark[1]) if mark else None,
        ours_value=None if empty else shown,
    )


def _is_numeric(cells):
    filled = [cell.text for cell in cells if cell.ours_value is not None]
    return bool(filled) and all(NUMBER.match(text) for text in filled)


def _leading_number(text):
    """12.5 of "12.5 (3–1)": what a column of such cells is sorted by."""
    found = NUMBER.match(text)
    if not found:
        return None
    return float(found[0].lstrip("<").replace(MINUS, "-").replace(",", ""))
