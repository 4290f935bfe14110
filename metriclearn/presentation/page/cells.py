"""A saved table as the page shows it: rows of cells, each with its words and what it sorts by."""

from dataclasses import dataclass, field

from ..render import MINUS, number_text, signed
from ..table import Cell

MARKS = {"reproduced": "✓", "higher": "▲", "lower": "▼"}
MEANINGS = {
    "reproduced": "reproduced: the difference is at most {limit}",
    "higher": "ours is higher by more than {limit}",
    "lower": "ours is lower by more than {limit}",
}
ROW_TITLE = "Method"  # of a transposed table, whose columns are methods


@dataclass
class Shown:
    """One cell. ``ours``, ``paper`` and ``change`` are what its column can be sorted by."""

    text: str = ""
    label: str = ""
    spread: str = ""
    detail: str = ""
    paper_text: str = ""
    change_text: str = ""
    verdict: str = ""
    meaning: str = ""  # of the verdict, in words
    best: bool = False
    missing: bool = False
    note: str | None = None
    ours: float | None = None
    paper: float | None = None
    change: float | None = None

    @property
    def mark(self):
        return MARKS.get(self.verdict, "")

    @property
    def length(self):
        return len(self.text) + len(self.label) + len(self.detail)


Head = tuple[str, bool, str | None]


@dataclass
class View:
    """Columns as (title, whether they hold numbers, note), and rows that begin with their names."""

    header: list[Head]
    rows: list[list[Shown]] = field(default_factory=list)
    rules: set[int] = field(default_factory=set)  # a line above these rows

    def cells(self):
        return [cell for row in self.rows for cell in row]

    def counts(self):
        """How many values compare with the paper's, and how."""
        cells = self.cells()
        counts = {verdict: sum(cell.verdict == verdict for cell in cells) for verdict in MARKS}
        compared = sum(cell.change is not None for cell in cells)
        counts["not judged"] = compared - sum(counts.values())
        counts["missing"] = sum(cell.missing for cell in cells)
        return counts

    @property
    def judged(self):
        return any(cell.verdict for cell in self.cells())

    @property
    def compared(self):
        return any(cell.change is not None for cell in self.cells())


def view_table(table):
    """What the page shows of a table; a transposed one with its columns as rows."""
    rows = [row for row in table.rows if not row.hidden]
    cells = [
        [show(cell, row.number or column.number) for column, cell in zip(table.columns, row.cells)]
        for row in rows
    ]
    if table.transposed:
        header: list[Head] = [(ROW_TITLE, False, None)]
        header += [(", ".join(row.titles), True, row.note) for row in rows]
        columns = zip(table.columns, zip(*cells, strict=True), strict=True)
        return View(header, [[Shown(text=column.title), *own] for column, own in columns])
    header = [(column.title, False, None) for column in table.stub]
    header += [(column.title, not column.words, None) for column in table.columns]
    lines = [[*_names(row), *own] for row, own in zip(rows, cells, strict=True)]
    return View(header, lines, {i for i, row in enumerate(rows) if row.rule and i})


def _names(row):
    """The titles of a row; its note is at the first."""
    return [Shown(text=title, note=None if i else row.note) for i, title in enumerate(row.titles)]


def show(cell: Cell, number):
    """A cell with its numbers written in a format."""
    shown = Shown(
        label=cell.label, detail=cell.detail, best=cell.best, missing=cell.missing, note=cell.note
    )
    if isinstance(cell.value, str):
        shown.text, shown.ours = cell.value, number_in(cell.value)
    elif cell.value is not None:
        shown.text, shown.ours = number_text(cell.value, number), cell.value
    if cell.deviation is not None:
        shown.spread = f"± {number_text(cell.deviation, number)}"
    if cell.paper is not None:
        shown.paper_text, shown.paper = number_text(cell.paper, number), cell.paper
    if cell.difference is not None:
        shown.change, shown.change_text = cell.difference, signed(cell.difference, number)
    if cell.verdict:
        shown.verdict = cell.verdict
        shown.meaning = MEANINGS[cell.verdict].format(limit=number_text(cell.limit, number))
    return shown


def number_in(text):
    """What words such as <0.001 sort by among numbers; None where they are no number."""
    try:
        return float(text.lstrip("<").replace(",", "").replace(MINUS, "-"))
    except ValueError:
        return None
