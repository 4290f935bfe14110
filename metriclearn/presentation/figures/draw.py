"""The pictures. Rows come in as they stand in the csv beside each figure."""

import textwrap
from math import ceil
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: E402

# Okabe and Ito's palette, safe for colour-blind readers; PCML and NCML keep the strong ones.
COLOURS = {
    "pcml": "#D55E00",
    "ncml": "#0072B2",
    "doublet_svm": "#999999",
    "nca": "#E69F00",
    "itml": "#56B4E9",
    "mcml": "#009E73",
    "ldml": "#CC79A7",
    "lmnn": "#C9B400",
    "plml": "#8C6D31",
    "dml_eig": "#5E4FA2",
    "kissme": "#882255",
}
MARKERS = {"pcml": "o", "ncml": "s"}
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
NAMES = {"method.C": "C", "protocol.pca": "PCA dimension", "pairs.k": "k"}


def colour(method):
    return COLOURS.get(method, "#444444")


def styled(draw):
    """Draw with our style, and leave matplotlib's own as it was."""

    def wrapped(*args):
        with matplotlib.rc_context(STYLE):
            return draw(*args)

    wrapped.__doc__ = draw.__doc__
    return wrapped


@styled
def draw_hole(title, message):
    """A figure that cannot be drawn says why."""
    lines = [f"{title}: not drawn", "", *textwrap.wrap(message, 70)]
    figure = Figure(figsize=(5, max(2.2, 0.6 + 0.15 * len(lines))), layout="constrained")
    axes = figure.subplots()
    axes.axis("off")
    axes.text(
        0.5,
        0.5,
        "\n".join(lines),
        ha="center",
        va="center",
        fontsize=8,
        transform=axes.transAxes,
        color="#555555",
    )
    return figure


@styled
def draw_gap(rows, dataset, titles):
    """Figures 1 and 2: the gap per iteration, left the paper's alternation, right ours."""
    method = rows[0]["method"]
    figure = Figure(figsize=(7.2, 2.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, solver, name in (
        (left, "libsvm", "alternation with LibSVM"),
        (right, "fast", "fast solver"),
    ):
        part = [row for row in rows if row["solver"] == solver]
        if not part:
            continue
        x = [int(row["iteration"]) for row in part]
        axes.plot(
            x,
            [float(row["gap"]) for row in part],
            marker=MARKERS.get(method, "o"),
            ms=3.5,
            color=colour(method),
            label="certified gap",
        )
        formula = [
            (i, float(row["paper_gap"])) for i, row in zip(x, part, strict=True) if row["paper_gap"]
        ]
        if formula:
            axes.plot(
                *zip(*formula, strict=True),
                "--",
                marker="x",
                ms=3.5,
                color="#444444",
                lw=1,
                label="paper's formula",
            )
        # Logarithmic, but the paper's formula can be negative: linear within one decade of 0.
        largest = max(abs(float(row["gap"])) for row in part)
        smallest = min((v for row in part if (v := abs(float(row["gap"]))) > 0.0), default=1.0)
        linear = 10.0 ** _floor_log10(max(10.0 * smallest, 1e-3 * largest))
        axes.set_yscale("symlog", linthresh=linear, linscale=1.0)
        axes.axhline(0.0, color="#888888", lw=0.8)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlabel("iteration")
        axes.set_ylabel("duality gap")
        samples, pairs = int(part[0]["n_samples"]), int(part[0]["n_pairs"])
        axes.set_title(f"{name}: {samples:,} samples, {pairs:,} pairs", fontsize=8.5)
        axes.legend(fontsize=8)
    figure.suptitle(f"{titles[method]} on {dataset}, C = {float(rows[0]['C']):g}", fontsize=9.5)
    return figure


@styled
def draw_sweep(rows, dataset, key, measure):
    """Figure 3: error against C. Figure 6: training time against PCA dimension."""
    figure = Figure(figsize=(4.6, 3.0), layout="constrained")
    axes = figure.subplots()
    for method in dict.fromkeys(row["method"] for row in rows):
        part = [row for row in rows if row["method"] == method and row["status"] == "ok"]
        if not part:
            continue
        x = [float(row["value"]) for row in part]
        axes.plot(
            x,
            [row[measure] for row in part],
            marker=MARKERS.get(method, "o"),
            ms=4,
            color=colour(method),
            label=part[0]["title"],
        )
        if measure == "fit_cpu_s":
            low, high = ([row[f"fit_cpu_s_{end}"] for row in part] for end in ("low", "high"))
            axes.fill_between(x, low, high, color=colour(method), alpha=0.15, lw=0)
    if key == "method.C":
        axes.set_xscale("log")
    axes.set_xlabel(NAMES.get(key, key))
    folds = next(row["folds"] for row in rows if row["status"] == "ok")
    if measure == "fit_cpu_s":
        axes.set_ylabel("training time (CPU s)")
        axes.set_ylim(bottom=0)
        if folds > 1:
            axes.set_title(f"{dataset}: median and range of {folds} folds", fontsize=9)
        else:
            axes.set_title(dataset, fontsize=9)
    else:
        axes.set_ylabel("classification error rate (%)")
        axes.set_title(dataset, fontsize=9)
    axes.legend()
    return figure


@styled
def draw_times(rows, threads):
    """Figures 4 and 5: mean training time of each method on each data set, log scale."""
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    methods = [
        m
        for m in dict.fromkeys(row["method"] for row in rows)
        if any(row.get("fit_cpu_s") for row in rows if row["method"] == m)
    ]
    width = max(5.0, min(11.0, 1.2 + 0.105 * len(datasets) * (len(methods) + 2)))
    figure = Figure(figsize=(width, 3.3), layout="constrained")
    axes = figure.subplots()
    bar = 0.84 / len(methods)
    values = [row["fit_cpu_s"] for row in rows if row.get("fit_cpu_s")]
    floor = 10.0 ** _floor_log10(0.5 * min(values))
    for j, method in enumerate(methods):
        for i, dataset in enumerate(datasets):
            row = next(r for r in rows if r["method"] == method and r["dataset"] == dataset)
            x = i - 0.42 + (j + 0.5) * bar
            label = row["method_title"] if i == 0 else None
            if row.get("fit_cpu_s"):
                axes.bar(
                    x,
                    row["fit_cpu_s"] - floor,
                    bar * 0.9,
                    bottom=floor,
                    color=colour(method),
                    edgecolor="#333333",
                    lw=0.3,
                    label=label,
                )
            else:
                axes.bar(
                    x,
                    0,
                    bar,
                    bottom=floor,
                    color=colour(method),
                    edgecolor="#333333",
                    lw=0.3,
                    label=label,
                )
                axes.plot(x, floor * 1.25, marker="x", ms=4, color="#666666", ls="none")
    axes.set_yscale("log")
    axes.set_ylim(floor, None)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    titles = [next(r["title"] for r in rows if r["dataset"] == d) for d in datasets]
    names = ["\n".join(textwrap.wrap(title, 12, break_long_words=False)) for title in titles]
    axes.set_xticks(range(len(datasets)), names, fontsize=8)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("training time (CPU s)")
    hole = any(not row.get("fit_cpu_s") for row in rows if row["method"] in methods)
    holes = " (× marks a hole)" if hole else ""
    axes.set_title(
        f"Mean CPU time of fit, {threads} thread{'s' * (threads > 1)} per job{holes}", fontsize=9
    )
    axes.margins(x=0.01)
    lines = ceil(len(methods) / max(3, int(width / 0.95)))
    columns = ceil(len(methods) / lines)
    figure.legend(
        loc="outside lower center", ncols=columns, fontsize=8, handlelength=1.2, columnspacing=1.4
    )
    return figure


def _floor_log10(value):
    from math import floor, log10

    return floor(log10(value))
