"""The csv of a figure as panels of series, one way for each kind of figure.

The kind is known from the columns. A figure of an unknown kind has no panels: its SVG is shown.
"""

from dataclasses import dataclass, field

from ..figures.draw import NAMES
from .axes import Linear, Log, linear_axis, log_axis, plain_number, symlog_axis
from .compare import number

SOLVERS = {"libsvm": "alternation with LibSVM", "fast": "fast solver"}
FOREMOST = ("pcml", "ncml")  # drawn last, on top


@dataclass
class Point:
    x: float
    y: float | None  # None: a hole
    text: str  # what the read-out says
    low: float | None = None
    high: float | None = None


@dataclass
class Series:
    name: str
    key: str  # decides the colour
    points: list[Point] = field(default_factory=list)
    dashed: bool = False
    marked: bool = False  # a marker at every point


@dataclass
class Panel:
    title: str
    x_label: str
    y_label: str
    x: object = None
    y: object = None
    series: list[Series] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)  # not empty: bars
    square: bool = False


def make_panels(item, names):
    """(caption, panels) of a figure; ``names`` maps methods and data sets to their titles.

    Without a result there are no panels; without a caption, the kind is unknown.
    """
    have = set(item.columns)
    good = [row for row in item.rows if row.get("status", "ok") == "ok"]
    if {"iteration", "gap", "paper_gap", "solver"} <= have:
        make, first = gap_panels, "Duality gap per iteration"
    elif {"key", "value", "error", "fit_cpu_s_low"} <= have:
        make, first = sweep_panels, "Sweep"
    elif {"method_title", "fit_cpu_s", "dataset"} <= have:
        make, first = times_panels, "Training time"
        good = [row for row in good if row["fit_cpu_s"]]
    elif {"images", "feature", "kind", "x", "y", "std"} <= have:
        make, first = curve_panels, "Curves"
    else:
        return "", []
    return make(item.rows, names) if good else (first, [])


def gap_panels(rows, names):
    """Figures 1 and 2: a panel per solver; the certified gap and the paper's formula for it."""
    rows = [row for row in rows if row["status"] == "ok"]
    method = rows[0]["method"]
    panels = []
    for solver in dict.fromkeys(row["solver"] for row in rows):
        part = [row for row in rows if row["solver"] == solver]
        size = f"{int(part[0]['n_samples']):,} samples, {int(part[0]['n_pairs']):,} pairs"
        panel = Panel(f"{SOLVERS.get(solver, solver)}: {size}", "iteration", "duality gap")
        for column, name, key in (
            ("gap", "certified gap", method),
            ("paper_gap", "paper’s formula", "formula"),
        ):
            points = [(int(row["iteration"]), number(row[column])) for row in part]
            series = Series(name, key, dashed=key == "formula", marked=True)
            series.points = [
                Point(i, y, f"iteration {i}: {y:.4g}") for i, y in points if y is not None
            ]
            if series.points:
                panel.series.append(series)
        shown = [point for series in panel.series for point in series.points]
        panel.x = Linear(0, max(p.x for p in shown) + 0.5)
        panel.y = symlog_axis([p.y for p in shown], [float(row["gap"]) for row in part])
        panels.append(panel)
    where = f"{names.get(method, method)} on {names.get(rows[0]['dataset'], rows[0]['dataset'])}"
    return f"Duality gap per iteration: {where}, C = {float(rows[0]['C']):g}", panels


def sweep_panels(rows, names):
    """Figure 3: error against C. Figure 6: training time against PCA dimension."""
    rows = [row for row in rows if row["status"] == "ok"]
    key, timed = rows[0]["key"], rows[0]["key"] == "protocol.pca"
    x_name = NAMES.get(key, key)
    column = "fit_cpu_s" if timed else "error"
    y_name = "training time (CPU s)" if timed else "error rate (%)"
    panel = Panel("", x_name, y_name)
    for method in dict.fromkeys(row["method"] for row in rows):
        series = Series(names.get(method, method), method, marked=True)
        for row in (row for row in rows if row["method"] == method):
            x, y = float(row["value"]), float(row[column])
            text = f"{x_name} = {x:g}: " + (f"{y:.3g} s" if timed else f"{y:.2f} %")
            low, high = number(row["fit_cpu_s_low"]), number(row["fit_cpu_s_high"])
            if timed and low != high:
                text += f" ({low:.3g} to {high:.3g})"
            series.points.append(Point(x, y, text, *((low, high) if timed else ())))
        panel.series.append(series)
    points = [point for series in panel.series for point in series.points]
    panel.x = (log_axis if key == "method.C" else linear_axis)([p.x for p in points])
    ends = [v for p in points for v in (p.y, p.high) if v is not None]
    panel.y = linear_axis(ends, low=0.0) if timed else linear_axis(ends)
    dataset = names.get(rows[0]["dataset"], rows[0]["dataset"])
    what = "Training time" if timed else "Error rate"
    return f"{what} against {x_name} on {dataset}", [panel]


def times_panels(rows, names):
    """Figures 4 and 5: bars of mean training times, a group per data set; × for a hole."""
    titles = list(dict.fromkeys(row["title"] for row in rows))
    values = [float(row["fit_cpu_s"]) for row in rows if row["fit_cpu_s"]]
    panel = Panel("", "", "training time (CPU s)", groups=titles)
    for method in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == method]
        series = Series(own[0]["method_title"], method)
        for row in own:
            y = number(row["fit_cpu_s"])
            reason = f"no result, {row['status']}: {row['message']}"
            text = f"{row['title']}: " + (reason if y is None else f"{y:.3g} s")
            series.points.append(Point(titles.index(row["title"]), y, text))
        panel.series.append(series)
    panel.x = Linear(-0.5, len(titles) - 0.5)
    panel.y = Log(0.5 * min(values), 1.3 * max(values))
    return "Mean training time of a fold in CPU seconds, log scale", [panel]


def curve_panels(rows, names):
    """Figures 7 to 10: mean ROC or CMC curves with a band of one deviation, a panel per feature."""
    panels = []
    for feature in dict.fromkeys(row["feature"] for row in rows):
        part = [row for row in rows if row["feature"] == feature and row["status"] == "ok"]
        if part:
            panels.append(_curve_panel(feature, part, names))
    first = next(row for row in rows if row["status"] == "ok")
    images = names.get(first["images"], first["images"])
    kind = "ROC curves" if first["kind"] == "roc" else "Cumulative match curves"
    return f"{kind} on {images}, mean of {first['folds']} folds ± one deviation", panels


def _curve_panel(feature, rows, names):
    roc = rows[0]["kind"] == "roc"
    scale, unit = (1.0, "") if roc else (100.0, " %")
    x_name, y_name = (
        ("false positive rate", "true positive rate") if roc else ("rank", "recognition rate (%)")
    )
    panel = Panel(feature.replace("_", " + "), x_name, y_name, square=roc)
    methods = sorted(dict.fromkeys(row["method"] for row in rows), key=lambda m: m in FOREMOST)
    for method in methods:
        own = [row for row in rows if row["method"] == method]
        name = f"{own[0]['title']} ({own[0]['legend']})"
        series = Series(name, method, dashed=method == "euclidean")
        for row in own:
            x, y, std = float(row["x"]), scale * float(row["y"]), scale * (number(row["std"]) or 0)
            value = f"{y:.3f} ± {std:.3f}" if roc else f"{y:.2f} ± {std:.2f}{unit}"
            text = f"{x_name} {plain_number(round(x, 4))}: {value}"
            series.points.append(Point(x, y, text, y - std, y + std))
        panel.series.append(series)
    points = [point for series in panel.series for point in series.points]
    panel.x = Linear(0, 1) if roc else Linear(1, max(2.0, *(p.x for p in points)))
    panel.y = Linear(0, 1) if roc else linear_axis([p.y for p in points], high=100.0)
    return panel
