"""Figures 4 and 5: the mean training time of each method on each data set, on a log scale.

It is that of fits that were timed alone; without such rows, that of the training jobs.
"""

import textwrap
from math import ceil, floor, log10
from statistics import fmean

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from ..figure import FigureData, Panel
from ..missing import row_reason, summarise_missing
from ._chart import axis, bar_chart, powers_of_ten
from ._style import colour, draw_missing, styled

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
    else:
        figure.draw = lambda: draw_missing("Training time", "no results")
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
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    found = {(row["method"], row["dataset"]): row for row in rows}
    methods = [
        method
        for method in dict.fromkeys(row["method"] for row in rows)
        if any(found[method, dataset].get("fit_cpu_s") for dataset in datasets)
    ]
    width = max(5.0, min(11.0, 1.2 + 0.105 * len(datasets) * (len(methods) + 2)))
    figure = Figure(figsize=(width, 3.3), layout="constrained")
    axes = figure.subplots()
    bar = 0.84 / len(methods)
    bottom = 10.0 ** floor(log10(0.5 * min(r["fit_cpu_s"] for r in rows if r.get("fit_cpu_s"))))
    for j, method in enumerate(methods):
        looks = {"bottom": bottom, "color": colour(method), "edgecolor": "#333333", "lw": 0.3}
        for i, dataset in enumerate(datasets):
            row = found[method, dataset]
            x = i - 0.42 + (j + 0.5) * bar
            label = row["method_title"] if i == 0 else None
            if row.get("fit_cpu_s"):
                axes.bar(x, row["fit_cpu_s"] - bottom, bar * 0.9, label=label, **looks)
            else:
                axes.bar(x, 0, bar, label=label, **looks)
                axes.plot(x, bottom * 1.25, marker="x", ms=4, color="#666666", ls="none")
    axes.set_yscale("log")
    axes.set_ylim(bottom, None)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    titles = [found[methods[0], dataset]["title"] for dataset in datasets]
    names = ["\n".join(textwrap.wrap(title, 12, break_long_words=False)) for title in titles]
    axes.set_xticks(range(len(datasets)), names, fontsize=8)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("training time (CPU s)")
    absent = any(not found[m, d].get("fit_cpu_s") for m in methods for d in datasets)
    axes.set_title(
        f"Mean CPU time of fit, {threads} thread{'s' * (threads > 1)} per job"
        f"{' (×: no result)' * absent}",
        fontsize=9,
    )
    axes.margins(x=0.01)
    lines = ceil(len(methods) / max(3, int(width / 0.95)))
    columns = ceil(len(methods) / lines)
    figure.legend(
        loc="outside lower center", ncols=columns, fontsize=8, handlelength=1.2, columnspacing=1.4
    )
    return figure
