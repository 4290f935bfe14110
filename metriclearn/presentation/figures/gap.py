"""Figures 1 and 2: the duality gap per iteration, of the paper's alternation and of our solver."""

from math import floor, log10

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...analysis.error_rates import row_reason
from ..figure import FigureData, Panel
from ..missing import summarise_missing
from ._chart import Series, axis, line_chart, powers_of_ten
from ._style import COLUMN_WIDTH, INK, MARKERS, SMALL, colour, styled

SOLVERS = {"libsvm": "alternation with LibSVM", "fast": "fast solver"}
CERTIFIED, FORMULA = "certified gap", "paper's formula"


def inputs(run, name, item):
    """The rows of the figure's own jobs."""
    return {"rows": run.item_rows(name)}


def make(run, name, item, collected):
    rows = collected["rows"]
    dataset, titles = run.dataset_title(item["dataset"]), run.methods_titles()
    methods = ", ".join(titles[method] for method in item["methods"])
    where = f"{methods} on {dataset}, C = {float(item['C']):g}"
    figure = FigureData(
        name,
        f"Duality gap per iteration: {where}",
        columns=list(rows[0]),
        rows=rows,
        missing=summarise_missing(
            {(dataset, titles[row["method"]]): row_reason(row) for row in rows}
        ),
    )
    if all(row["status"] == "ok" for row in rows):
        figure.draw = lambda: draw_gap(rows, where)
        figure.panels = [
            gap_panel(where, [row for row in rows if row["solver"] == solver])
            for solver in dict.fromkeys(row["solver"] for row in rows)
        ]
    return figure


def linear_part(rows):
    """The axis is logarithmic, but the paper's formula can be negative: linear up to this size."""
    sizes = [abs(float(row["gap"])) for row in rows]
    smallest = min((size for size in sizes if size > 0.0), default=1.0)
    return 10.0 ** floor(log10(max(10.0 * smallest, 1e-3 * max(sizes), 1e-300)))


def panel_title(rows):
    samples, pairs = int(rows[0]["n_samples"]), int(rows[0]["n_pairs"])
    solver = rows[0]["solver"]
    return f"{SOLVERS.get(solver, solver)}: {samples:,} samples, {pairs:,} pairs"


def gap_panel(where, rows):
    """The chart of one solver."""
    method = rows[0]["method"]
    points = [
        {"series": series, "iteration": int(row["iteration"]), "gap": float(row[column])}
        for series, column in ((CERTIFIED, "gap"), (FORMULA, "paper_gap"))
        for row in rows
        if row[column]
    ]
    gaps = [float(row[column]) for row in rows for column in ("gap", "paper_gap") if row[column]]
    linear = linear_part(rows)
    low, high = 1.5 * min(0.0, *gaps), 1.5 * max(linear, *gaps)
    ticks = [0.0, *powers_of_ten(linear, high, 4)]
    if -low >= linear:
        ticks += [-tick for tick in powers_of_ten(linear, -low, 4)]
    scale = {"type": "symlog", "constant": linear, "domain": [low, high], "nice": False}
    zero = {"condition": {"test": "datum.value === 0", "value": 1.6}, "value": 0.6}
    title = panel_title(rows)
    spec = line_chart(
        f"{where}, {title}. Lines of the certified gap and of the paper's formula for it.",
        points,
        [Series(CERTIFIED, colour(method), strong=True, square=MARKERS.get(method) == "s")]
        + [Series(FORMULA, INK, dashed=True)] * any(p["series"] == FORMULA for p in points),
        axis("iteration", "iteration", {"nice": False}, tickMinStep=1, format="d"),
        axis("gap", "duality gap", scale, values=sorted(ticks), format=".6~g", gridWidth=zero),
        {
            "gap": ("series", None),
            "iteration": ("iteration", None),
            "value": ("gap", ".4~g"),
        },
        marked=True,
    )
    return Panel(title, spec)


@styled
def draw_gap(rows, title):
    """Above the paper's alternation, below our solver."""
    figure = Figure(figsize=(COLUMN_WIDTH, 4.2), layout="constrained")
    for axes, solver in zip(figure.subplots(2, 1), SOLVERS, strict=True):
        if part := [row for row in rows if row["solver"] == solver]:
            _draw_solver(axes, part)
    figure.suptitle(title, fontsize=8)
    return figure


def _draw_solver(axes, rows):
    method = rows[0]["method"]
    x = [int(row["iteration"]) for row in rows]
    axes.plot(
        x,
        [float(row["gap"]) for row in rows],
        marker=MARKERS.get(method, "o"),
        ms=3.5,
        color=colour(method),
        label=CERTIFIED,
    )
    formula = [
        (i, float(row["paper_gap"])) for i, row in zip(x, rows, strict=True) if row["paper_gap"]
    ]
    if formula:
        places = zip(*formula, strict=True)
        axes.plot(*places, "--", marker="x", ms=3.5, color=INK, lw=1, label=FORMULA)
    axes.set_yscale("symlog", linthresh=linear_part(rows), linscale=1.0)
    axes.axhline(0.0, color="#888888", lw=0.8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_xlabel("iteration")
    axes.set_ylabel("duality gap")
    axes.set_title(panel_title(rows), fontsize=SMALL)
    axes.legend()
