"""The page's chart of our errors against the paper's, with filters, and links to the cells."""

import json
from dataclasses import dataclass

from ...analysis.compared import PROPOSED, SOURCES
from ._chart import FIT, legend_below
from ._style import colour

ALL, BOTH = "all", "PCML and NCML"
VERDICTS = {
    "reproduced": "reproduced",
    "higher": "not reproduced, ours is higher",
    "lower": "not reproduced, ours is lower",
    None: "not judged",
}
SHAPES = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "triangle-down",
    "cross",
    "triangle-right",
    "triangle-left",
    "M0,-1L.87,-.5L.87,.5L0,1L-.87,.5L-.87,-.5Z",  # a hexagon
    "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",  # a slanted cross
)


@dataclass(frozen=True)
class Values:
    """What is compared: its name, and the axes for it."""

    name: str
    set_name: str  # what the second filter chooses
    scale: str
    ticks: tuple[int, ...]
    height: int


ERRORS = Values("error rate", "data set", "log", (1, 2, 3, 5, 10, 20, 30, 50), 470)
RATES = Values("rate", "measure", "linear", (0, 20, 40, 60, 80, 100), 380)


def agreement_chart(description, rows, values=ERRORS):
    """``rows`` are those of the csv. A point's ``cell`` is the address of its cell on the page."""
    points = [_point(row) for row in rows]
    domain = [0, 100]
    if values.scale == "log":
        ends = [point[key] for point in points for key in ("paper", "ours")]
        domain = [round(0.87 * min(ends), 3), round(1.15 * max(ends), 3)]
    axes = {"x": _axis("paper", "the paper's", values, domain)}
    axes["y"] = _axis("ours", "our", values, domain)
    titles = {row["method"]: row["method_title"] for row in rows}
    methods = [*[m for m in PROPOSED if m in titles], *[m for m in titles if m not in PROPOSED]]
    names = [titles[method] for method in methods]
    shapes = dict(zip(names, SHAPES * len(names), strict=False))
    datasets = list(dict.fromkeys(row["title"] for row in rows))
    proposed = [titles[method] for method in PROPOSED if method in titles]
    return {
        "description": f"{description}. Filters choose methods and data sets.",
        "width": "container",
        "autosize": FIT,
        "height": values.height,
        "params": [
            _choice("method", [ALL, *([BOTH] if len(proposed) == 2 else []), *names]),
            _choice("dataset", [ALL, *datasets], values.set_name),
            *_edition_choice(rows),
        ],
        "layer": [
            _diagonal(domain, axes),
            _points(points, axes, values, names, methods, shapes, proposed),
        ],
    }


def _point(row):
    number = f"{row['ours']:.2f}"
    if row["deviation"] is not None:
        number += f" ± {row['deviation']:.2f}"
    return {
        "method": row["method_title"],
        "dataset": row["title"],
        "edition": SOURCES[row["edition"]],
        "paper": row["paper"],
        "ours": round(row["ours"], 4),
        "said": number,
        "printed": f"{row['paper']:.2f}",
        "verdict": VERDICTS[row["verdict"]],
        "cell": row["cell"],
    }


def _choice(name, options, label=None):
    """A filter: a list to choose from."""
    bind = {"input": "select", "options": options, "name": label or name}
    return {"name": f"chosen_{name}", "value": options[0], "bind": bind}


def _edition_choice(rows):
    """With two editions, which one is shown."""
    editions = [SOURCES[edition] for edition in dict.fromkeys(row["edition"] for row in rows)]
    if len(editions) == 1:
        return [{"name": "chosen_edition", "value": editions[0]}]
    return [_choice("edition", editions, "protocol")]


def _axis(field, whose, values, domain):
    return {
        "field": field,
        "type": "quantitative",
        "title": f"{whose} {values.name} (%)",
        "scale": {"type": values.scale, "domain": domain, "nice": False},
        "axis": {"values": [tick for tick in values.ticks if domain[0] <= tick <= domain[1]]},
    }


def _diagonal(domain, axes):
    return {
        "data": {"values": [{"paper": end, "ours": end} for end in domain]},
        "mark": {"type": "line", "color": "#666666", "strokeWidth": 1, "aria": False},
        "encoding": axes,
    }


def _points(points, axes, values, names, methods, shapes, proposed):
    def looks(values):
        legend = legend_below(names, symbolSize=70, symbolStrokeWidth=1.5)
        return {
            "field": "method",
            "type": "nominal",
            "title": None,
            "scale": {"domain": names, "range": values},
            "legend": legend,
        }

    strong = {"test": {"field": "method", "oneOf": proposed}, "value": 0.95}
    sizes = {"test": {"field": "method", "oneOf": proposed}, "value": 95}
    said = {
        values.set_name: "dataset",
        "method": "method",
        "ours (%)": "said",
        "paper (%)": "printed",
        "verdict": "verdict",
    }
    return {
        "data": {"values": points},
        "transform": [
            {"filter": "datum.edition === chosen_edition"},
            {"filter": f"chosen_dataset === '{ALL}' || datum.dataset === chosen_dataset"},
            {
                "filter": f"chosen_method === '{ALL}' || datum.method === chosen_method || "
                f"(chosen_method === '{BOTH}' && "
                f"indexof({json.dumps(proposed)}, datum.method) >= 0)"
            },
        ],
        "mark": {"type": "point", "filled": True, "cursor": "pointer"},
        "encoding": {
            **axes,
            "color": looks([colour(method) for method in methods]),
            "shape": looks([shapes[name] for name in names]),
            "opacity": {"condition": strong, "value": 0.75},
            "size": {"condition": sizes, "value": 55},
            "tooltip": [{"title": title, "field": field} for title, field in said.items()],
        },
    }
