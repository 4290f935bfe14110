"""What figures have in common: colours, fonts, means, and how a picture is saved."""

import io
from functools import wraps
from pathlib import Path
from typing import Any
from zlib import crc32

import matplotlib

matplotlib.use("Agg")

from ...analysis.compared import PROPOSED  # noqa: E402
from ...experiment.methods import list_methods, read_method  # noqa: E402
from ...files.atomic import write_atomically  # noqa: E402

# Of the methods whose file has no `colour`: Paul Tol's muted colours.
PALETTE = ("#332288", "#88CCEE", "#44AA99", "#117733", "#999933", "#DDCC77", "#CC6677", "#AA4499")
MARKERS = {"pcml": "o", "ncml": "s"}
OTHER_MARKERS = "Dv^<>PXdhp*8"
INK = "#444444"
COLUMN_WIDTH = 3.4  # inches: a figure fits a column of the paper, so no text shrinks
SMALL = 7  # points: the smallest text
AXIS_NAMES = {"method.C": "C", "protocol.pca": "PCA dimension", "pairs.k": "k"}
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": SMALL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "axes.linewidth": 0.7,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
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


def marker(method):
    """A method's marker, so that colours are not needed to tell it from others."""
    others = [name for name in list_methods() if name not in MARKERS]
    place = others.index(method) if method in others else crc32(method.encode())
    return MARKERS.get(method) or OTHER_MARKERS[place % len(OTHER_MARKERS)]


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
    """The same picture in three formats, without dates, so that equal rows give equal files.

    ``figure`` None: empty files.
    """
    stamps = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    for end, metadata in stamps.items():
        buffer = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": STYLE["svg.hashsalt"]}):
            if figure is not None:
                figure.savefig(buffer, format=end, metadata=metadata, dpi=200)
        write_atomically(Path(f"{base}.{end}"), buffer.getvalue())
