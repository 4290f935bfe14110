"""A value of ours beside the paper's: how far apart, and whether that is within our spread."""

from dataclasses import dataclass

from ..render import MINUS

DEVIATIONS = 2.0
MARKS = {"within": "✓", "above": "▲", "below": "▼"}


@dataclass
class Cell:
    """One cell of a table; the numbers in it are what it can be sorted by."""

    text: str = ""
    spread: str = ""
    paper: str = ""
    change: str = ""
    verdict: str = ""  # a key of MARKS; empty without a spread or without the paper's value
    best: bool = False
    note: str | None = None  # why there is no value
    ours_value: float | str | None = None
    paper_value: float | None = None
    change_value: float | None = None

    @property
    def mark(self):
        return MARKS.get(self.verdict, "")

    @property
    def hole(self):
        return self.ours_value is None and bool(self.note)


def number(text):
    """The number in a csv's cell; None where it is empty."""
    return float(text) if text not in ("", None) else None


def verdict(ours, std, paper):
    """Whether the paper's value lies within two standard deviations of ours, or on which side."""
    if ours is None or std is None or paper is None:
        return ""
    if abs(ours - paper) <= DEVIATIONS * std:
        return "within"
    return "above" if ours > paper else "below"


def compared(row, key, best=False, digits=2):
    """The cell of a csv row with our value in column ``key``, and std, paper and note beside it."""
    ours, std, paper = number(row[key]), number(row.get("std")), number(row.get("paper"))
    change = None if ours is None or paper is None else ours - paper
    return Cell(
        text="" if ours is None else f"{ours:,.{digits}f}".replace("-", MINUS),
        spread="" if std is None else f"± {std:.{digits}f}",
        paper="" if paper is None else f"{paper:,.{digits}f}",
        change="" if change is None else _signed(change, digits),
        verdict=verdict(ours, std, paper),
        best=best,
        note=row.get("note") or None,
        ours_value=ours,
        paper_value=paper,
        change_value=change,
    )


def _signed(change, digits):
    """A difference with its sign; none where it vanishes in rounding."""
    rounded = round(change, digits)
    if rounded == 0:
        return "=" if digits == 0 else f"{0.0:.{digits}f}"
    return f"{rounded:+,.{digits}f}".replace("-", MINUS)


def plain(text):
    """The cell of a table of which nothing is known: a number with few digits, or the text."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return Cell(text=text or "", ours_value=text or None)
    if value != value:
        return Cell()
    whole = value == int(value) if abs(value) < 1e15 else False
    shown = text if whole and "." not in text else f"{value:.4g}"
    return Cell(text=shown.replace("-", MINUS), ours_value=value)
