"""Figure 3: the error against C. Figure 6: the training time against the PCA dimension."""

from statistics import fmean

from matplotlib.figure import Figure

from ...analysis.error_rates import row_reason
from ..figure import FigureData, Panel
from ..missing import summarise_missing
from ._chart import Series, axis, line_chart, powers_of_ten
from ._style import AXIS_NAMES, COLUMN_WIDTH, MARKERS, colour, styled

# Times are those of the processor, so that jobs that run side by side can be compared.
COLUMNS = [
    "dataset",
    "method",
    "title",
    "key",
    "value",
    "folds",
    "error",
    "fit_cpu_s",
    "fit_cpu_s_low",
    "fit_cpu_s_high",
    "status",
    "message",
]


def inputs(run, name, item):
    """The rows and times of the figure's own jobs."""
    rows = run.item_rows(name)
    return {"rows": rows, "times": [path.replace(".rows.", ".times.") for path in rows]}


def make(run, name, item, collected):
    rows = []
    for method in item["methods"]:
        own, times = (
            [row for row in collected[kind] if row["method"] == method]
            for kind in ("rows", "times")
        )
        rows += sweep_rows(item, run.title(method), own, times)
    dataset, key = run.dataset_title(item["dataset"]), item["key"]
    timed = key == "protocol.pca"
    x_name = AXIS_NAMES.get(key, key)
    caption = f"{'Training time' if timed else 'Error rate'} against {x_name} on {dataset}"
    figure = FigureData(
        name,
        caption,
        columns=COLUMNS,
        rows=rows,
        missing=summarise_missing(
            {
                (f"{dataset}, {x_name} = {row['value']}", row["title"]): row_reason(row)
                for row in rows
            }
        ),
    )
    good = [row for row in rows if row["status"] == "ok"]
    if not good:
        return figure
    figure.draw = lambda: draw_sweep(good, dataset, key, timed)
    chart = time_chart if timed else error_chart
    figure.panels = [Panel("", chart(f"{caption}. Lines of the methods.", good, x_name, key))]
    return figure


def sweep_rows(item, title, rows, times):
    """The mean error over the folds and the median time, with its range, at each value."""
    for setting in map(str, item["values"]):
        part = [row for row in rows if row["value"] == setting]
        if not part:
            continue
        out = {key: part[0][key] for key in ("dataset", "method", "key", "value")}
        out.update(title=title, folds=len(part), status="ok", message="")
        bad = next((row for row in part if row["status"] != "ok"), None)
        if bad:
            out.update(status=bad["status"], message=bad["message"])
        else:
            seconds = sorted(float(row["fit_cpu_s"]) for row in times if row["value"] == setting)
            out["error"] = 100.0 * fmean(float(row["error"]) for row in part)
            out.update(
                fit_cpu_s=seconds[len(seconds) // 2],
                fit_cpu_s_low=seconds[0],
                fit_cpu_s_high=seconds[-1],
            )
        yield out


def _series(rows):
    return [
        Series(title, colour(method), strong=True, square=MARKERS.get(method) == "s")
        for method, title in {row["method"]: row["title"] for row in rows}.items()
    ]


def _x_axis(rows, x_name, key):
    settings = [float(row["value"]) for row in rows]
    if key != "method.C":
        return axis("x", x_name, format=".6~g")
    ticks = powers_of_ten(min(settings), max(settings), 7)
    return axis("x", x_name, {"type": "log", "nice": False}, values=ticks, format=".6~g")


def error_chart(description, rows, x_name, key):
    points = [
        {"series": row["title"], "x": float(row["value"]), "y": round(row["error"], 6)}
        for row in rows
    ]
    values = {"method": ("series", None), x_name: ("x", ".6~g"), "error rate (%)": ("y", ".2f")}
    y = axis("y", "classification error rate (%)")
    x = _x_axis(rows, x_name, key)
    return line_chart(description, points, _series(rows), x, y, values, marked=True)


def time_chart(description, rows, x_name, key):
    points = [
        {
            "series": row["title"],
            "x": float(row["value"]),
            "y": row["fit_cpu_s"],
            "low": row["fit_cpu_s_low"],
            "high": row["fit_cpu_s_high"],
        }
        for row in rows
    ]
    values = {"method": ("series", None), x_name: ("x", ".6~g")}
    for field, name in (("y", "median"), ("low", "least"), ("high", "most")):
        values[f"{name} (CPU s)"] = field, ".3~g"
    y = axis("y", "training time (CPU s)", {"zero": True})
    x = _x_axis(rows, x_name, key)
    return line_chart(description, points, _series(rows), x, y, values, marked=True, band=True)


@styled
def draw_sweep(rows, dataset, key, timed):
    figure = Figure(figsize=(COLUMN_WIDTH, 2.4), layout="constrained")
    axes = figure.subplots()
    measure = "fit_cpu_s" if timed else "error"
    for method in dict.fromkeys(row["method"] for row in rows):
        part = [row for row in rows if row["method"] == method]
        x = [float(row["value"]) for row in part]
        axes.plot(
            x,
            [row[measure] for row in part],
            marker=MARKERS.get(method, "o"),
            ms=4,
            color=colour(method),
            label=part[0]["title"],
        )
        if timed:
            low, high = ([row[f"fit_cpu_s_{end}"] for row in part] for end in ("low", "high"))
            axes.fill_between(x, low, high, color=colour(method), alpha=0.15, lw=0)
    if key == "method.C":
        axes.set_xscale("log")
    axes.set_xlabel(AXIS_NAMES.get(key, key))
    folds = rows[0]["folds"]
    median = f": median and range of {folds} folds" if timed and folds > 1 else ""
    axes.set_title(f"{dataset}{median}")
    axes.set_ylabel("training time (CPU s)" if timed else "classification error rate (%)")
    if timed:
        axes.set_ylim(bottom=0)
    axes.legend()
    return figure
