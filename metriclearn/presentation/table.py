"""A table: the one object that csv, Markdown, LaTeX and the report page are rendered from.

A table has rows of cells under named columns, and stub columns at its left that name each row. A
cell has our value and, where there are some, its deviation, the paper's value, and the verdict on
it. The object is saved once as json; nothing reads a rendering back.
"""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

Value = float | int | str | None
# beside: 30.99 ± 1.96 ≈ 31.00; differing: as beside, where it is not the same number; difference:
# 30.99 (−0.01); apart: not at all, as another row or column has it.
PAPER_STYLES = ("beside", "differing", "difference", "apart")


@dataclass
class Cell:
    """One value, and what belongs to it."""

    value: Value = None  # ours: a number, or words; None: missing, or nothing to say
    deviation: float | None = None  # the one that the verdict takes, where there is a verdict
    paper: float | None = None
    limit: float | None = None  # the paper's value is reproduced within this distance
    verdict: str | None = None  # of analysis.verdict.VERDICTS; None: not judged
    best: bool = False  # shown in bold
    label: str = ""  # words before the value, e.g. the name of the best method
    detail: str = ""  # words in brackets after the value, e.g. its p
    note: str | None = None  # a footnote, e.g. why the value is missing
    facts: dict[str, Value] = field(default_factory=dict)  # further columns of the csv, e.g. folds
    behind: dict[str, Any] = field(default_factory=dict)  # of analysis.behind, for the page only

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        if self.paper is None or not isinstance(self.value, int | float):
            return None
        return self.value - self.paper

    @property
    def missing(self) -> bool:
        """Whether there should be a value."""
        return self.value is None and self.note is not None


@dataclass
class Column:
    """A column: its name in the csv, its title, and how its numbers are written."""

    key: str
    title: str
    number: str = ".2f"  # a format for numbers, or "p" for probabilities
    words: bool = False  # holds words: aligned left, never sorted as numbers
    paper: str = "beside"  # of PAPER_STYLES: how Markdown and LaTeX print the paper's value


@dataclass
class Row:
    """A row: the values and the titles of its stub, and a cell per column.

    A cell without a value, but with the paper's, is a number that only the paper has.
    """

    keys: list[str]
    titles: list[str]
    cells: list[Cell]
    note: str | None = None  # a footnote to the title, about the whole row
    rule: bool = False  # a line above it
    summary: bool = False  # about the others: it stays below them, however they are sorted
    hidden: bool = False  # in the csv only
    number: str | None = None  # another format for the numbers of this row


@dataclass
class Table:
    name: str
    caption: str
    stub: list[Column]
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # below the footnotes
    left_out: list[list[str]] = field(default_factory=list)  # what is not shown, and why
    legend: str = ""  # how Markdown and LaTeX print a cell; the page has its own way
    stacked: bool = False  # print ours, the paper's and the difference below each other
    kind: str = ""  # that of its entry in the experiment's file
    sources: list[str] = field(default_factory=list)  # files of the rows behind the cells
    folded: bool = False  # on the page, by its entry in the experiment's file

    def cells(self) -> list[Cell]:
        return [cell for row in self.rows for cell in row.cells]

    def notes(self) -> list[str]:
        """The distinct footnotes of what is shown, in order of appearance."""
        shown = [row for row in self.rows if not row.hidden]
        notes = [note for row in shown for note in [row.note, *[cell.note for cell in row.cells]]]
        return list(dict.fromkeys(note for note in notes if note))

    def to_dict(self) -> dict[str, Any]:
        """For json: without what has its default value."""
        table = asdict(self)
        for row in table["rows"]:
            row["cells"] = [_without(cell, Cell()) for cell in row["cells"]]
        table["rows"] = [_without(row, Row([], [], [])) for row in table["rows"]]
        return table

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> "Table":
        """What ``to_dict`` gave."""
        columns = {key: [Column(**c) for c in saved[key]] for key in ("stub", "columns")}
        rows = []
        for row in saved["rows"]:
            cells = [Cell(**cell) for cell in row.get("cells", [])]
            rows.append(Row(**{"keys": [], "titles": [], **row, "cells": cells}))
        return cls(**{**saved, **columns, "rows": rows})


def cell_anchor(table: str, row: str, column: str) -> str:
    """The address of a cell on the page; no two cells share it."""
    return re.sub(r"[^\w-]", lambda found: f".{ord(found[0]):x}", f"{table}-{row}-{column}")


def _without(values: dict[str, Any], defaults: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value != getattr(defaults, key)}
