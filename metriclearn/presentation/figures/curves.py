"""Figures 7 to 10: ROC and CMC curves, the mean over the folds with a band of one deviation."""

from matplotlib.figure import Figure

from .draw import colour, styled

AXES = {
    "roc": ("false positive rate", "true positive rate"),
    "cmc": ("rank", "recognition rate (%)"),
}
FOREMOST = ("pcml", "ncml")


@styled
def draw_curves(rows, title, kind):
    """One panel per feature. ``rows`` are points of mean curves, as in the figure's csv."""
    features = list(dict.fromkeys(row["feature"] for row in rows))
    figure = Figure(figsize=(4.4 * len(features), 3.7), layout="constrained")
    panels = figure.subplots(1, len(features), squeeze=False)[0]
    for axes, feature in zip(panels, features, strict=True):
        _panel(axes, [row for row in rows if row["feature"] == feature], kind)
        axes.set_title(feature.replace("_", " + "), fontsize=9)
    figure.suptitle(title, fontsize=9.5)
    return figure


def _panel(axes, rows, kind):
    scale = 100.0 if kind == "cmc" else 1.0
    methods = sorted(dict.fromkeys(row["method"] for row in rows), key=lambda m: m in FOREMOST)
    for method in methods:
        points = [row for row in rows if row["method"] == method]
        if points[0]["status"] != "ok":
            axes.plot(
                [],
                [],
                color=colour(method),
                ls=":",
                label=f"{points[0]['title']}: {points[0]['status']}",
            )
            continue
        x = [float(row["x"]) for row in points]
        y = [scale * float(row["y"]) for row in points]
        spread = [scale * float(row["std"] or 0.0) for row in points]
        strong = method in FOREMOST
        axes.plot(
            x,
            y,
            color=colour(method),
            lw=1.8 if strong else 1.1,
            ls="--" if method == "euclidean" else "-",
            zorder=3 if strong else 2,
            label=f"{points[0]['title']} ({points[0]['legend']})",
        )
        low, high = ([v + sign * s for v, s in zip(y, spread, strict=True)] for sign in (-1, 1))
        axes.fill_between(x, low, high, color=colour(method), alpha=0.10, lw=0)
    axes.set_xlabel(AXES[kind][0])
    axes.set_ylabel(AXES[kind][1])
    if kind == "roc":
        axes.plot([0, 1], [0, 1], color="#bbbbbb", lw=0.8, zorder=1)
        axes.set(xlim=(0, 1), ylim=(0, 1.005))
        axes.set_aspect("equal", adjustable="box")
    else:
        axes.set(xlim=(1, max(float(row["x"]) for row in rows if row["x"] not in ("", None))))
        axes.set_ylim(top=100.5)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], fontsize=7, loc="lower right", handlelength=1.6)
