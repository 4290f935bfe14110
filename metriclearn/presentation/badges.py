"""Badges of the README, each drawn from what it states: the published tables, the package."""

from importlib.metadata import metadata

from .page.folder import read_items
from .page.verdict import count_reproduced
from .table import Table

LETTER, SPACE = 6.6, 10  # pixels of a letter of 11, and beside the words
COLOURS = ("#4d4d4d", "#0072B2")
BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{text}">
<title>{text}</title>
<rect width="{middle}" height="20" fill="{colours[0]}"/>
<rect x="{middle}" width="{right}" height="20" fill="{colours[1]}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{first}" y="14">{words[0]}</text>
<text x="{second}" y="14">{words[1]}</text>
</g>
</svg>
"""


def badges(results):
    """{name of a file: its text} for a folder with published tables."""
    package = metadata("metriclearn")
    stated = {
        "version": ("version", package["Version"]),
        "python": ("Python", package["Requires-Python"].removeprefix(">=") + " or later"),
        "licence": ("licence", package["License-Expression"]),
    }
    judged, reproduced = count_reproduced(read_items(results / "tables", Table))
    if total := judged["ours", None]:
        stated["errors"] = ("errors reproduced", f"{reproduced['ours', None]} of {total}")
    return {f"{name}.svg": _badge(words) for name, words in stated.items()}


def _badge(words):
    middle, right = (round(LETTER * len(part)) + 2 * SPACE for part in words)
    return BADGE.format(
        words=words,
        text=": ".join(words),
        middle=middle,
        right=right,
        width=middle + right,
        first=middle / 2,
        second=middle + right / 2,
        colours=COLOURS,
    )
