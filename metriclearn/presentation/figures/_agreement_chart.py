"""The page's chart of our errors against the paper's, with filters, and links to the cells."""

import json

from ...analysis.compared import PROPOSED, SOURCES
from ..table import cell_anchor
from ._chart import FIT
from ._style import colour

HEIGHT = 470
TICKS = [1, 2, 3, 5, 10, 20, 30, 50]
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


def agreement_chart(description, rows):
    """``rows`` are those of the csv. A point's ``cell`` is the address of its cell on the page."""
    points = [_point(row) for row in rows]
    ends = [point[key] for point in points for key in ("paper", "ours")]
    domain = [round(0.87 * min(ends), 3), round(1.15 * max(ends), 3)]
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
        "height": HEIGHT,
        "params": [
            _choice("method", [ALL, *([BOTH] if len(proposed) == 2 else []), *names]),
            _choice("dataset", [ALL, *datasets], "data set"),
            *_edition_choice(rows),
        ],
        "layer": [_diagonal(domain), _points(points, domain, names, methods, shapes, proposed)],
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
        "cell": cell_anchor(row["table"], row["dataset"], row["method"]),
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


def _axis(field, title, domain):
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "domain": domain, "nice": False},
        "axis": {"values": [tick for tick in TICKS if domain[0] <= tick <= domain[1]]},
    }


def _diagonal(domain):
    return {
        "data": {"values": [{"paper": end, "ours": end} for end in domain]},
        "mark": {"type": "line", "color": "#666666", "strokeWidth": 1, "aria": False},
        "encoding": {
            "x": _axis("paper", "the paper's error rate (%)", domain),
            "y": _axis("ours", "our error rate (%)", domain),
        },
    }


def _points(points, domain, names, methods, shapes, proposed):
    def looks(values):
        legend = {"orient": "right", "symbolSize": 70, "symbolStrokeWidth": 1.5}
        return {
            "field": "method",
            "type": "nominal",
            "title": None,
            "scale": {"domain": names, "range": values},
            "legend": legend,
        }

    strong = {"test": {"field": "method", "oneOf": proposed}, "value": 0.95}
    sizes = {"test": {"field": "method", "oneOf": proposed}, "value": 95}
    values = {
        "data set": "dataset",
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
            "x": _axis("paper", "the paper's error rate (%)", domain),
            "y": _axis("ours", "our error rate (%)", domain),
            "color": looks([colour(method) for method in methods]),
            "shape": looks([shapes[name] for name in names]),
            "opacity": {"condition": strong, "value": 0.75},
            "size": {"condition": sizes, "value": 55},
            "tooltip": [{"title": title, "field": field} for title, field in values.items()],
        },
    }
