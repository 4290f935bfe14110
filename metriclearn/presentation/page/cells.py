"""A saved table as the page shows it: rows of cells, each with its words and what it sorts by."""

from dataclasses import dataclass, field
from itertools import groupby

from ..render import MINUS, number_text, signed
from ..table import Cell, cell_anchor

MARKS = {"reproduced": "✓", "higher": "▲", "lower": "▼"}
MEANINGS = {
    "reproduced": "reproduced: the difference is at most {limit}",
    "higher": "ours is higher by more than {limit}",
    "lower": "ours is lower by more than {limit}",
}


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
    anchor: str = ""  # the cell's address, where something leads to it
    name: str = ""  # of the cell, in a sentence: PCML, Letter
    edition: str = ""  # which of several values of ours this is, where there are several
    others: list["Shown"] = field(default_factory=list)  # the same cell in other editions
    behind: dict = field(default_factory=dict)

    @property
    def mark(self):
        return MARKS.get(self.verdict, "")

    @property
    def length(self):
        return len(self.text) + len(self.label) + len(self.detail)


Head = tuple[str, bool]


@dataclass
class View:
    """Columns as (title, whether they hold numbers), and rows that begin with their names."""

    header: list[Head]
    rows: list[list[Shown]] = field(default_factory=list)
    summaries: list[list[Shown]] = field(default_factory=list)  # below, whatever the order
    rules: set[int] = field(default_factory=set)  # a line above these rows
    editions: list[str] = field(default_factory=list)  # what the values of a cell are, ours first

    def cells(self):
        return [cell for row in [*self.rows, *self.summaries] for cell in row]

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
    """What the page shows of a table; rows of the same name in a stacked one become one row."""
    shown = [row for row in table.rows if not row.hidden]
    stub = table.stub[:1] if table.stacked else table.stub
    header: list[Head] = [(column.title, False) for column in stub]
    header += [(column.title, not column.words) for column in table.columns]
    view = View(header)
    key = (lambda row: row.keys[0]) if table.stacked else id
    for _, rows in groupby(shown, key=key):
        first, *others = rows
        line = [*_names(first)[: len(stub)], *_cells(table, first)]
        for other in others:
            for cell, same in zip(line[len(stub) :], _cells(table, other), strict=True):
                cell.others.append(same)
        if first.summary:
            view.summaries.append(line)
            continue
        if first.rule and view.rows and not table.stacked:
            view.rules.add(len(view.rows))
        view.rows.append(line)
    found = [cell for row in view.rows for cell in row if cell.others]
    if found:
        view.editions = [found[0].edition, *[other.edition for other in found[0].others]]
    return view


def _names(row):
    """The titles of a row; its note is at the first."""
    return [Shown(text=title, note=None if i else row.note) for i, title in enumerate(row.titles)]


def _cells(table, row):
    parts = 1 if table.stacked else len(row.titles)
    for column, cell in zip(table.columns, row.cells, strict=True):
        shown = show(cell, row.number or column.number)
        if column.paper == "differing" and shown.paper_text == shown.text:
            shown.paper_text = ""
        if cell.behind or cell.paper is not None:
            shown.anchor = cell_anchor(table.name, "-".join(row.keys[:parts]), column.key)
        shown.name = ", ".join([column.title, *row.titles[:parts]])
        if parts < len(row.titles):
            shown.edition = row.titles[parts]
        yield shown


def show(cell: Cell, number):
    """A cell with its numbers written in a format."""
    shown = Shown(
        label=cell.label,
        detail=cell.detail,
        best=cell.best,
        missing=cell.missing,
        note=cell.note,
        behind=cell.behind,
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
