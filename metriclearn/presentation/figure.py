"""A figure: its csv, its picture for print, and its charts for the report page.

A kind of figure makes one ``FigureData``. What the page needs of it is saved as json; the csv and
the pictures are files of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Panel:
    """A chart of the page: Vega-Lite that states its ``description``, data, marks and colours.

    Its width is that of its place; the page gives fonts and the colours of text and axes.
    """

    title: str
    spec: dict[str, Any]


@dataclass
class FigureData:
    name: str
    caption: str
    columns: list[str] = field(default_factory=list)  # of the csv
    rows: list[dict[str, Any]] = field(default_factory=list)
    draw: Callable[[], Any] | None = None  # gives the matplotlib figure; None: nothing to draw
    missing: list[tuple[str, str]] = field(default_factory=list)  # what has no result, and why
    panels: list[Panel] = field(default_factory=list)
    picture: bool = False  # the page shows the SVG file: the kind has no charts
    kind: str = ""  # that of its entry in the experiment's file

    def to_dict(self) -> dict[str, Any]:
        """For json: what the page shows."""
        return {
            "name": self.name,
            "caption": self.caption,
            "missing": [list(entry) for entry in self.missing],
            "panels": [{"title": panel.title, "spec": panel.spec} for panel in self.panels],
            "picture": self.picture,
            "kind": self.kind,
        }

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> "FigureData":
        """What ``to_dict`` gave; without rows, and it cannot be drawn."""
        missing = [(what, reason) for what, reason in saved["missing"]]
        panels = [Panel(**panel) for panel in saved["panels"]]
        return cls(**{**saved, "missing": missing, "panels": panels})
