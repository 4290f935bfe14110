"""Charts of the page as Vega-Lite: lines with values at the pointer, and labelled bars.

Plain dicts: a chart of altair needs more words for the same, and is checked only when it is drawn.
Axes, sizes of text and their colours are set once, by the page.
"""

import json
from dataclasses import dataclass
from math import ceil, floor, log10

HEIGHT, BAR_HEIGHT = 300, 18
MOST_TICKS = 6
FIT = {"type": "fit-x", "contains": "padding"}
NEAREST = {
    "name": "near",
    "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"},
}


@dataclass(frozen=True)
class Series:
    """A line: its name in the legend and its looks."""

    name: str
    colour: str
    strong: bool = False
    dashed: bool = False
    square: bool = False


def axis(field, title, scale=None, **options):
    """The encoding of a position by a number."""
    scale = scale or {}
    if scale.get("type") != "log":
        scale = {"zero": False, **scale}
    place = {"field": field, "type": "quantitative", "title": title}
    return {**place, "scale": scale, "axis": options}


def tooltip(values):
    """What is said of the point nearest to the pointer: ``{title: (field, format or None)}``.

    The datum is that of the point, or, where the pointer is beside it, the point itself; Vega-Lite
    writes the second of its own accord for numbers only.
    """
    parts = []
    for title, (field, number) in values.items():
        found = f"(datum.datum || datum)[{json.dumps(field)}]"
        found = f"format({found}, {json.dumps(number)})" if number else found
        parts.append(f"{json.dumps(title)}: {found}")
    return {"expr": f"{{{', '.join(parts)}}}"}


def legend_below(names, **looks):
    """A legend under the axes, in as many columns as fit."""
    wide = 36 + 6 * max(map(len, names))  # pixels of an entry
    # The width of the place, and not that of the axes, which shrinks while all is laid out;
    # named all the same, so that this follows a change.
    columns = f"max(1, floor((containerSize()[0] - 60 + 0 * width) / {wide}))"
    return {"orient": "bottom", "columns": {"expr": columns}, **looks}


def line_chart(description, points, series, x, y, values, *, marked, band=False, height=HEIGHT):
    """Lines over ``points``, dicts with ``series``; those with ``band`` have ``low`` and ``high``.

    ``values`` are those of a tooltip. The order of the points is that of drawing, the order of
    ``series`` that of the legend. A point that is not ``marked`` is seen only while the pointer is
    near it.
    """
    legend = legend_below([one.name for one in series], symbolType="stroke", symbolOpacity=1)

    def by_series(values):
        scale = {"domain": [one.name for one in series], "range": values}
        looks = {"field": "series", "type": "nominal", "title": None}
        return {**looks, "scale": scale, "legend": legend}

    def only(names, chosen, other):
        test = {"field": "series", "oneOf": names}
        return {"condition": {"test": test, "value": chosen}, "value": other}

    lines = {
        "mark": {"type": "line", "strokeJoin": "round", "aria": False},
        "encoding": {
            "strokeWidth": only([one.name for one in series if one.strong], 2.4, 1.5),
            "strokeDash": by_series([[5, 4] if one.dashed else [1, 0] for one in series]),
        },
    }
    shown = {"condition": {"param": "near", "empty": False, "value": 1}, "value": int(marked)}
    dots = {
        "mark": {
            "type": "point",
            "filled": True,
            "size": 55,
            "aria": marked,
            "tooltip": tooltip(values),
        },
        "params": [NEAREST],
        "encoding": {
            "shape": only([one.name for one in series if one.square], "square", "circle"),
            "opacity": shown,
        },
    }
    layers = [lines, dots]
    if band:
        area = {"type": "area", "opacity": 0.12, "aria": False, "clip": True}
        ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
        layers.insert(0, {"mark": area, "encoding": ends})
    return {
        "description": description,
        "width": "container",
        "autosize": FIT,
        "height": height,
        "data": {"values": points},
        "encoding": {
            "x": x,
            "y": y,
            "color": by_series([one.colour for one in series]),
        },
        "layer": layers,
    }


def bar_chart(description, bars, colours, x, low, values):
    """A labelled bar per method from ``low``: dicts with ``method``, ``value`` and ``text``.

    One whose ``value`` is missing has its text only.
    """
    known = {"filter": "isValid(datum.value)"}
    names = list(colours)
    fill = {
        "field": "method",
        "type": "nominal",
        "scale": {"domain": names, "range": list(colours.values())},
        "legend": None,
    }
    label = {"type": "text", "align": "left", "baseline": "middle", "dx": 5, "aria": False}
    text = {"field": "text", "type": "nominal"}
    return {
        "description": description,
        "width": "container",
        "autosize": FIT,
        "height": BAR_HEIGHT * len(bars),
        "data": {"values": bars},
        "encoding": {
            "y": {
                "field": "method",
                "type": "nominal",
                "sort": names,
                "axis": {"title": None, "ticks": False, "domain": False, "grid": False},
            },
            "tooltip": [{"title": title, "field": field} for title, field in values.items()],
        },
        "layer": [
            {
                "transform": [known],
                "mark": {"type": "bar", "height": {"band": 0.72}},
                "encoding": {"x": x, "x2": {"datum": low}, "color": fill},
            },
            {"transform": [known], "mark": label, "encoding": {"x": x, "text": text}},
            {
                "transform": [{"filter": "!isValid(datum.value)"}],
                "mark": {**label, "fontStyle": "italic", "aria": True},
                "encoding": {"x": {"datum": low}, "text": text},
            },
        ],
    }


def powers_of_ten(low, high, most=MOST_TICKS):
    """Ticks of a logarithmic axis, few enough to be read."""
    first, last = ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)
    every = max(1, ceil((last - first + 1) / most))
    return [float(f"1e{i}") for i in range(first, last + 1, every)]
