"""Figures 4 and 5: the mean training time of each method on each data set, on a log scale.

It is that of fits that were timed alone; without such rows, that of the training jobs.
"""

from math import floor, log10
from statistics import fmean

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from ...analysis.compared import PROPOSED
from ...analysis.error_rates import row_reason
from ..figure import FigureData, Panel
from ..missing import summarise_missing
from ._chart import axis, bar_chart, powers_of_ten
from ._style import COLUMN_WIDTH, SMALL, colour, marker, styled

COLUMNS = [
    "dataset",
    "title",
    "method",
    "method_title",
    "folds",
    "fit_cpu_s",
    "status",
    "message",
]
NAMED = 3  # methods without a result that are named; of more their number is said


def inputs(run, name, item):
    return {**run.gathered(item["group"]), **run.side.timings(item["group"])}


def make(run, name, item, collected):
    alone = bool(collected.get("timing"))
    if alone:
        timed = {"rows": collected["timing_rows"], "times": collected["timing"]}
        collected = {**collected, **timed}
    rows = time_rows(run, collected)
    how = "in CPU seconds of a fit that ran alone" if alone else "of a fold in CPU seconds"
    figure = FigureData(
        name,
        f"Mean training time {how}, log scale",
        columns=COLUMNS,
        rows=rows,
        missing=summarise_missing(
            {(row["title"], row["method_title"]): row_reason(row) for row in rows}
        ),
    )
    if any(row.get("fit_cpu_s") for row in rows):
        figure.draw = lambda: draw_times(rows, 1 if alone else run.protocol["threads"])
        figure.panels = time_panels(rows)
    return figure


def time_rows(run, collected):
    """A row per data set and method; nothing is learned by the Euclidean distance."""
    bad, seconds, rows = {}, {}, []
    for row in collected["rows"]:
        if row["status"] != "ok":
            bad.setdefault((row["dataset"], row["method"]), row)
    for row in collected["times"]:
        if row["fit_cpu_s"]:
            seconds.setdefault((row["dataset"], row["method"]), []).append(float(row["fit_cpu_s"]))
    titles = {row["dataset"]: row["title"] for row in collected["data"]}
    for dataset, title in titles.items():
        for method in run.methods:
            if method == "euclidean":
                continue
            key = dataset, method
            row = {"dataset": dataset, "title": title, "method": method, "status": "ok"}
            row.update(method_title=run.title(method), message="")
            if key in bad:
                row.update(status=bad[key]["status"], message=bad[key]["message"])
            elif key in seconds:
                row.update(folds=len(seconds[key]), fit_cpu_s=fmean(seconds[key]))
            rows.append(row)
    return rows


def time_panels(rows):
    """A chart per data set with results, all on the same scale."""
    seconds = [row["fit_cpu_s"] for row in rows if row.get("fit_cpu_s")]
    low = 10.0 ** floor(log10(0.5 * min(seconds)))
    room = (max(seconds) / low) ** 1.25  # the longest bar leaves a place for its number
    ticks = powers_of_ten(low, 1.05 * max(seconds), 5)
    scale = {"type": "log", "domain": [low, low * room], "nice": False}
    x = axis("value", "CPU s", scale, values=ticks, format=".6~g")
    colours = {row["method_title"]: colour(row["method"]) for row in rows}
    values = {"data set": "dataset", "method": "method", "training time": "said"}
    panels = []
    for title in dict.fromkeys(row["title"] for row in rows if row.get("fit_cpu_s")):
        bars = [_bar(row) for row in rows if row["title"] == title]
        words = f"Bars of the mean training time in CPU seconds on {title}, log scale."
        panels.append(Panel(title, bar_chart(words, bars, colours, x, low, values)))
    return panels


def _bar(row):
    bar = {"dataset": row["title"], "method": row["method_title"]}
    if not row.get("fit_cpu_s"):
        return {**bar, "text": "no result", "said": f"no result, {row_reason(row)}"}
    seconds, folds = row["fit_cpu_s"], row["folds"]
    number = f"{seconds:.2g}" if seconds < 100 else f"{seconds:,.0f}"
    said = f"{seconds:.3g} s, mean of {folds} fold{'s' * (folds > 1)}"
    return {**bar, "value": seconds, "text": number, "said": said}


@styled
def draw_times(rows, threads):
    """A line per data set with a point per method; which have none is said at its end."""
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    known = [row for row in rows if row.get("fit_cpu_s")]
    figure = Figure(figsize=(COLUMN_WIDTH, 0.27 * len(datasets) + 1.35), layout="constrained")
    axes = figure.subplots()
    for method in dict.fromkeys(row["method"] for row in rows):
        part = [row for row in known if row["method"] == method]
        if not part:
            continue
        strong = method in PROPOSED
        axes.plot(
            [row["fit_cpu_s"] for row in part],
            [datasets.index(row["dataset"]) for row in part],
            ls="none",
            marker=marker(method),
            ms=5.5 if strong else 4.2,
            mec="white" if strong else "none",
            mew=0.4,
            color=colour(method),
            label=part[0]["method_title"],
            zorder=4 if strong else 3,
        )
    for i, dataset in enumerate(datasets):
        absent = [r["method_title"] for r in rows if r["dataset"] == dataset and r not in known]
        if absent:
            few = len(absent) <= NAMED
            axes.text(
                1.0,
                i - 0.28,
                f"no result: {', '.join(absent) if few else f'{len(absent)} methods'}",
                transform=axes.get_yaxis_transform(),
                ha="right",
                va="center",
                fontsize=SMALL,
                color="#555555",
            )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    titles = {row["dataset"]: row["title"] for row in rows}
    axes.set_yticks(range(len(datasets)), [titles[dataset] for dataset in datasets])
    axes.set_ylim(len(datasets) - 0.5, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"mean training time (CPU s, {threads} thread{'s' * (threads > 1)})")
    figure.legend(
        loc="outside upper center", ncols=4, handlelength=0.8, columnspacing=1.0, handletextpad=0.4
    )
    return figure
