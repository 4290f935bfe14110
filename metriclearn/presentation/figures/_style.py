"""What figures have in common: colours, fonts, means, and how a picture is saved."""

import io
import textwrap
from functools import wraps
from pathlib import Path
from typing import Any
from zlib import crc32

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure  # noqa: E402

from ...analysis.compared import PROPOSED  # noqa: E402
from ...experiment.methods import list_methods, read_method  # noqa: E402
from ...files.atomic import write_atomically  # noqa: E402

# Of the methods whose file has no `colour`: Paul Tol's muted colours.
PALETTE = ("#332288", "#88CCEE", "#44AA99", "#117733", "#999933", "#DDCC77", "#CC6677", "#AA4499")
MARKERS = {"pcml": "o", "ncml": "s"}
INK = "#444444"
AXIS_NAMES = {"method.C": "C", "protocol.pca": "PCA dimension", "pairs.k": "k"}
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "metriclearn",
    "pdf.fonttype": 42,
}


def colour(method):
    """A method's colour in every figure: that of its file, or one that depends on its name only."""
    known = read_method(method).get("colour") if method in list_methods() else None
    return known or PALETTE[crc32(method.encode()) % len(PALETTE)]


def paper_methods_last(methods):
    """The order in which lines are drawn."""
    return sorted(dict.fromkeys(methods), key=lambda method: method in PROPOSED)


def styled(draw):
    """Draw with our style, and leave matplotlib's own as it was."""

    @wraps(draw)
    def wrapped(*args):
        with matplotlib.rc_context(STYLE):
            return draw(*args)

    return wrapped


def save(figure, base):
    """The same picture in three formats, without dates, so that equal rows give equal files."""
    stamps = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    for end, metadata in stamps.items():
        buffer = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": STYLE["svg.hashsalt"]}):
            figure.savefig(buffer, format=end, metadata=metadata, dpi=200)
        write_atomically(Path(f"{base}.{end}"), buffer.getvalue())


@styled
def draw_missing(title, message):
    """A figure that cannot be drawn says why."""
    lines = [f"{title}: not drawn", "", *textwrap.wrap(message, 70)]
    figure = Figure(figsize=(5, max(2.2, 0.6 + 0.15 * len(lines))), layout="constrained")
    axes = figure.subplots()
    axes.axis("off")
    axes.text(
        0.5,
        0.5,
        "\n".join(lines),
        ha="center",
        va="center",
        fontsize=8,
        transform=axes.transAxes,
        color="#555555",
    )
    return figure
