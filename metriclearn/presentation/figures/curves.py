"""Figures 7 to 10: ROC and CMC curves, the mean over the folds with a band of one deviation."""

from itertools import product
from math import ceil

import pandas as pd
from matplotlib.figure import Figure

from ...analysis.compared import PROPOSED
from ...analysis.error_rates import read_paper_rows, row_reason
from ...analysis.match_rates import paper_rates
from ...vision.spec import load_image_spec
from ..figure import FigureData, Panel
from ..missing import summarise_missing
from ..words import PREPROCESS
from ._chart import Series, axis, line_chart
from ._style import COLUMN_WIDTH, INK, colour, paper_methods_last, styled

KEYS = ("images", "feature", "preprocess", "method")
COLUMNS = [
    *KEYS,
    "title",
    "status",
    "message",
    "kind",
    "folds",
    "legend",
    "auc",
    "eer",
    "x",
    "y",
    "std",
    "paper",
]
PREPROCESS_WORDS = {**PREPROCESS, "chosen": "chosen preprocessing"}
NAMES = {"roc": "ROC curves", "cmc": "Cumulative match curves"}
# The chart makes the ends of its band: in every point they would be a third of the page's data.
BAND = [
    {"calculate": f"datum.y {sign} datum.std", "as": end}
    for sign, end in (("-", "low"), ("+", "high"))
]
RING = {"ls": "none", "marker": "o", "ms": 3.8, "mfc": "none", "mew": 0.9}
AXES = {
    "roc": ("false positive rate", "true positive rate"),
    "cmc": ("rank", "recognition rate (%)"),
}


def inputs(run, name, item):
    """Those of the table whose jobs the curves are of."""
    return run.gathered(run.experiment["tables"][item["table"]]["images"])


def paper(run, item):
    """The paper's accuracies or recognition rates, which are shown too."""
    table = run.experiment["tables"][item["table"]]
    return read_paper_rows(table["paper"]) if table["paper"] else None


def make(run, name, item, collected):
    table = run.experiment["tables"][item["table"]]
    facts, rows = run.matches.facts(table["images"]), []
    spec, title = load_image_spec(table["images"]), run.matches.title(table)
    papers = paper_rates(table)
    for preprocess in shown_preprocessings(item, table):
        for images, feature, method in run.matches.jobs(item["table"]):
            job = (images, feature, preprocess, method)
            own, points = (_of_job(job, collected[kind]) for kind in ("rows", "curve"))
            printed = papers.get((spec.paper_feature(feature), method), {})
            rows += mean_curve(job, run.title(method), own, points, printed)
    good = [row for row in rows if row["status"] == "ok"]
    kind = "roc" if facts["task"] == "verification" else "cmc"
    means = f", mean of {good[0]['folds']} folds ± one deviation" if good else ""
    figure = FigureData(
        name,
        f"{NAMES[kind]} on {title}{means}",
        columns=COLUMNS,
        rows=rows,
        missing=summarise_missing(
            {
                (f"{facts['title']}, {spec.feature_title(row['feature'])}", row["title"]): (
                    row_reason(row)
                )
                for row in sorted(rows, key=lambda row: row["status"] != "ok")
            }
        ),
    )
    if not good:
        return figure
    features, kinds = (list(dict.fromkeys(row[key] for row in good)) for key in KEYS[1:3])
    shown = {}
    for feature, preprocess in product(features, kinds):
        part = [row for row in good if (row["feature"], row["preprocess"]) == (feature, preprocess)]
        if part:
            shown[spec.feature_title(feature), PREPROCESS_WORDS[preprocess]] = part
    figure.draw = lambda: draw_curves(shown, facts["title"], kind, len(kinds))
    figure.panels = [
        curve_panel(figure.caption, ", ".join(names), part, kind) for names, part in shown.items()
    ]
    return figure


def shown_preprocessings(item, table):
    """That of the item; without one, the first and the last of the table: plain and chosen."""
    if item["preprocess"]:
        return [item["preprocess"]]
    first, last = table["preprocess"][0], table["preprocess"][-1]
    return [first] if first == last else [first, last]


def _of_job(job, rows):
    return [row for row in rows if tuple(row[key] for key in KEYS) == job]


def mean_curve(job, title, rows, points, printed=()):
    """The points of one method's mean curve; one row with the reason where there is none.

    ``printed`` has the paper's rates by their names, in percent: they stand in the legend, those
    of ranks also at their points.
    """
    printed = dict(printed)
    head = dict(zip(KEYS, job, strict=True), title=title)
    bad = [row for row in rows if row["status"] != "ok"]
    if not rows:
        return [{**head, "status": "unavailable", "message": "not run"}]
    if bad:
        return [{**head, "status": bad[0]["status"], "message": bad[0]["message"]}]
    verification = points[0]["kind"] == "roc"
    measure = "accuracy" if verification else "rank1"
    number = _mean_of(rows, measure)
    head.update(status="ok", message="", kind=points[0]["kind"], folds=len(rows))
    head["legend"] = f"{100.0 * number:.1f} %"
    if measure in printed:
        head["legend"] += f", paper {printed[measure]:.1f} %"
    if verification:
        head.update(auc=_mean_of(rows, "auc"), eer=_mean_of(rows, "eer"))
    values = pd.DataFrame(points, columns=["x", "y"]).astype(float)
    means = values.groupby("x", sort=False)["y"].agg(["mean", "std"])
    return [
        {**head, "x": x, "y": y, "std": std, "paper": printed.get(f"rank{x:g}")}
        for x, y, std in means.itertuples()
    ]


def _mean_of(rows, column):
    return pd.Series([row[column] for row in rows], dtype=float).mean()


def curve_panel(caption, feature, rows, kind):
    """The chart of one feature and preprocessing; ``feature`` is the title."""
    good = [row for row in rows if row["status"] == "ok"]
    methods = paper_methods_last(row["method"] for row in good)
    names = {row["method"]: f"{row['title']} ({row['legend']})" for row in good}
    scale, number = (100.0, ".2f") if kind == "cmc" else (1.0, ".3f")
    points = []
    for row in (row for method in methods for row in good if row["method"] == method):
        y, std = scale * row["y"], scale * (row["std"] or 0.0)
        point = {"x": row["x"], "y": y, "std": std}
        rounded = {key: round(number, 4) for key, number in point.items()}
        points.append({"series": names[row["method"]], **rounded})
    series = [
        Series(names[m], colour(m), strong=m in PROPOSED, dashed=m == "euclidean")
        for m in reversed(methods)
    ]
    x_name, y_name = AXES[kind]
    whole = {"domain": [0, 1], "nice": False}
    top = {"domainMax": 100, "nice": True}
    spec = line_chart(
        f"{caption}; {feature}. Lines of the methods, {y_name} against {x_name}.",
        points,
        series,
        axis("x", x_name, whole if kind == "roc" else {"nice": False}, format=".6~g"),
        axis("y", y_name, whole if kind == "roc" else top),
        {
            "method": ("series", None),
            x_name: ("x", ".6~g"),
            y_name: ("y", number),
            "deviation": ("std", number),
        },
        marked=False,
        band=True,
    )
    spec["transform"] = BAND
    printed = [
        {"series": names[row["method"]], "x": row["x"], "y": row["paper"]}
        for row in good
        if row.get("paper") is not None
    ]
    if printed:
        spec["layer"].append(_paper_layer(printed, x_name, y_name))
    return Panel(feature, spec)


def _paper_layer(printed, x_name, y_name):
    """The rates that the paper prints, as rings."""
    values = {"method": "series", x_name: "x", f"the paper's {y_name}": "y"}
    return {
        "data": {"values": printed},
        "mark": {"type": "point", "filled": False, "size": 50, "strokeWidth": 1.6},
        "encoding": {
            "tooltip": [{"title": title, "field": field} for title, field in values.items()]
        },
    }


@styled
def draw_curves(shown, title, kind, columns):
    """A panel for each (feature, preprocessing) of ``shown``, ``columns`` side by side."""
    lines = ceil(len(shown) / columns)
    size = (columns * COLUMN_WIDTH, 3.3 * lines)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False).flat
    for (names, rows), axes in zip(shown.items(), panels, strict=False):
        _draw_panel(axes, rows, kind)
        axes.set_title(f"{title}, " + "\n".join(names))
    for axes in panels:
        axes.set_axis_off()
    return figure


def _draw_panel(axes, rows, kind):
    for method in paper_methods_last(row["method"] for row in rows):
        _draw_method(axes, method, [row for row in rows if row["method"] == method], kind)
    axes.set_xlabel(AXES[kind][0])
    axes.set_ylabel(AXES[kind][1])
    if kind == "roc":
        axes.plot([0, 1], [0, 1], color="#bbbbbb", lw=0.8, zorder=1)
        axes.set(xlim=(0, 1), ylim=(0, 1.005))
        axes.set_aspect("equal", adjustable="box")
    else:
        last = max(row["x"] for row in rows if row["status"] == "ok")
        axes.set(xlim=(1, 1.02 * last))
        axes.set_ylim(top=100.5)
    handles, labels = axes.get_legend_handles_labels()
    if any(row.get("paper") is not None for row in rows):
        handles.insert(0, axes.plot([], [], **RING, mec=INK)[0])
        labels.insert(0, "the paper's rates")
    axes.legend(handles[::-1], labels[::-1], loc="lower right", handlelength=1.6, labelspacing=0.3)


def _draw_method(axes, method, points, kind):
    ink, first = colour(method), points[0]
    if first["status"] != "ok":
        return
    scale = 100.0 if kind == "cmc" else 1.0
    x = [row["x"] for row in points]
    y = [scale * row["y"] for row in points]
    spread = [scale * (row["std"] or 0.0) for row in points]
    strong = method in PROPOSED
    axes.plot(
        x,
        y,
        color=ink,
        lw=1.8 if strong else 1.1,
        ls="--" if method == "euclidean" else "-",
        zorder=3 if strong else 2,
        label=f"{first['title']} ({first['legend']})",
    )
    low, high = ([v + sign * s for v, s in zip(y, spread, strict=True)] for sign in (-1, 1))
    axes.fill_between(x, low, high, color=ink, alpha=0.10, lw=0)
    if printed := [(row["x"], row["paper"]) for row in points if row.get("paper") is not None]:
        axes.plot(*zip(*printed, strict=True), **RING, mec=ink, zorder=4)
