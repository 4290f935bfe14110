"""Panels as SVG that takes its colours from the page, and the points that its read-out knows.

Drawn here and not in the browser, so that charts are there without scripts and on paper.
"""

import re
import textwrap
from xml.sax.saxutils import escape, quoteattr

from .axes import Log

LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 10.0, 46.0
LINES, SQUARE = (470.0, 300.0), (380.0, 380.0)
BAR, BAR_HEIGHT = 9.5, 320.0


def draw_panel(panel, ident, describe):
    """(svg, read-out) of a panel; the read-out has the places of all points and their texts."""
    size = _size(panel)
    frame = Frame(panel, *size)
    parts = [_axes(frame)]
    shapes = _bars(frame) if panel.groups else _lines(frame)
    parts += [shape for shape, _ in shapes]
    name, words = f"{ident}-title", f"{ident}-desc"
    head = (
        f'<svg viewBox="0 0 {size[0]:g} {size[1]:g}" role="img" '
        f'aria-labelledby="{name} {words}" class="chart{" bars" * bool(panel.groups)}" '
        f'style="--w:{size[0]:g}px">'
        f'<title id="{name}">{escape(describe[0])}</title>'
        f'<desc id="{words}">{escape(describe[1])}</desc>'
    )
    ring = '<circle class="ring" r="6" cx="-20" cy="-20"/>'
    readout = {
        "bars": bool(panel.groups),
        "series": [
            {"name": s.name, "points": points}
            for s, (_, points) in zip(panel.series, shapes, strict=True)
        ],
    }
    return "".join([head, *parts, ring, "</svg>"]), readout


def _size(panel):
    if panel.groups:
        bars = len(panel.groups) * (len(panel.series) + 2)
        return max(430.0, LEFT + RIGHT + BAR * bars), BAR_HEIGHT
    return SQUARE if panel.square else LINES


class Frame:
    """Places of values in the picture."""

    def __init__(self, panel, width, height):
        self.panel = panel
        self.left, self.right = LEFT, width - RIGHT
        self.top, self.bottom = TOP, height - BOTTOM

    def x(self, value):
        return self.left + self.panel.x.place(value) * (self.right - self.left)

    def y(self, value):
        return self.bottom - self.panel.y.place(value) * (self.bottom - self.top)


def _tag(name, text=None, **attributes):
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_show(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{written}/>" if text is None else f"<{name}{written}>{escape(text)}</{name}>"


def _show(value):
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def colour_class(key):
    """The class that gives a method's colour."""
    return "s-" + re.sub(r"[^a-z0-9_-]", "", key.lower())


def _axes(frame):
    panel, parts = frame.panel, []
    for value, text in panel.y.ticks():
        y = frame.y(value)
        kind = "zero" if value == 0 else "grid"
        parts.append(_tag("line", class_=kind, x1=frame.left, x2=frame.right, y1=y, y2=y))
        parts.append(_tag("text", text, x=frame.left - 7, y=y + 4, class_="end"))
    if panel.groups:
        parts += [_group_label(frame, i, name) for i, name in enumerate(panel.groups)]
    else:
        for value, text in panel.x.ticks():
            x = frame.x(value)
            parts.append(_tag("line", class_="grid", x1=x, x2=x, y1=frame.top, y2=frame.bottom))
            parts.append(_tag("text", text, x=x, y=frame.bottom + 16, class_="mid"))
    corner = f"M{frame.left:g},{frame.top:g}V{frame.bottom:g}H{frame.right:g}"
    parts.append(_tag("path", class_="frame", d=corner))
    middle = (frame.left + frame.right) / 2
    parts.append(_tag("text", panel.x_label, x=middle, y=frame.bottom + 37, class_="mid name"))
    height = (frame.top + frame.bottom) / 2
    parts.append(
        _tag(
            "text",
            panel.y_label,
            x=0,
            y=0,
            class_="mid name",
            transform=f"translate(13 {height:g}) rotate(-90)",
        )
    )
    return "".join(parts)


def _group_label(frame, i, name):
    lines = textwrap.wrap(name, 14, break_long_words=False)[:3]
    spans = "".join(
        _tag("tspan", line, x=frame.x(i), y=frame.bottom + 15 + 13 * j)
        for j, line in enumerate(lines)
    )
    return f'<text class="mid">{spans}</text>'


def _lines(frame):
    """(shapes, points) of every series."""
    out = []
    for series in frame.panel.series:
        at = [(frame.x(p.x), frame.y(p.y)) for p in series.points]
        shapes = [_band(frame, series)] if any(p.low is not None for p in series.points) else []
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in at)
        shapes.append(_tag("path", class_="line dashed" if series.dashed else "line", d=path))
        if series.marked:
            shapes += [_marker(series.key, x, y) for x, y in at]
        group = f'<g class="{colour_class(series.key)}">{"".join(shapes)}</g>'
        points = [[round(x, 1), round(y, 1), p.text] for (x, y), p in zip(at, series.points)]
        out.append((group, points))
    return out


def _band(frame, series):
    known = [p for p in series.points if p.low is not None]
    clip = frame.panel.y
    top = [(frame.x(p.x), frame.y(min(p.high, clip.high))) for p in known]
    low = [(frame.x(p.x), frame.y(max(p.low, clip.low))) for p in reversed(known)]
    path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in top + low) + "Z"
    return _tag("path", class_="band", d=path)


def _marker(key, x, y):
    if key == "ncml":
        return _tag("rect", class_="dot", x=x - 3.5, y=y - 3.5, width=7, height=7)
    if key == "formula":
        return _cross(x, y)
    return _tag("circle", class_="dot", cx=x, cy=y, r=4)


def _cross(x, y):
    return _tag("path", class_="cross", d=f"M{x - 3:.1f},{y - 3:.1f}l6,6m-6,0l6,-6")


def _bars(frame):
    panel = frame.panel
    assert isinstance(panel.y, Log)
    slot = (frame.x(1) - frame.x(0)) if len(panel.groups) > 1 else frame.right - frame.left
    width = 0.84 * slot / len(panel.series)
    out = []
    for j, series in enumerate(panel.series):
        shapes, points = [], []
        for p in series.points:
            x = frame.x(p.x) - 0.42 * slot + j * width
            y = frame.bottom - 7 if p.y is None else frame.y(p.y)
            if p.y is None:
                shapes.append(_cross(x + width / 2, y))
            else:
                shapes.append(
                    _tag("rect", class_="bar", x=x, y=y, width=0.9 * width, height=frame.bottom - y)
                )
            points.append([round(x + 0.45 * width, 1), round(y, 1), p.text])
        out.append((f'<g class="{colour_class(series.key)}">{"".join(shapes)}</g>', points))
    return out
