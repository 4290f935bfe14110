"""Our errors against the paper's: a point per data set and method of the tables of errors.

The page's first chart, and a picture for the README, come from the same rows. The page has a second
chart, with the rates of the tables of faces and persons.
"""

from math import log

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ...analysis.compared import (
    PROPOSED,
    our_results,
    paper_errors,
    paper_tables,
    protocol_results,
)
from ...analysis.error_rates import judge_error, read_paper_rows, value_at
from ...analysis.verdict import DEVIATIONS
from ..figure import FigureData, Panel
from ..table import cell_anchor
from ._agreement_chart import RATES, agreement_chart
from ._agreement_rates import rate_rows
from ._style import COLUMN_WIDTH, INK, MARKERS, SMALL, colour, styled

COLUMNS = [
    "table",
    "dataset",
    "title",
    "method",
    "method_title",
    "edition",
    "ours",
    "deviation",
    "paper",
    "verdict",
    "cell",  # its address on the page
]
TICKS = (2, 5, 10, 20, 50)
MOST_OTHERS = 3  # names at points of other methods
NAME = (0.7, 0.2)  # width and height of a name, and what is near the diagonal, as logarithms
NEAR = 0.15
OTHERS = "#9AA0A6"


def inputs(run, name, item):
    """The files of the data sets, the rows with every candidate, and those of each image set."""
    images = {name: [run.collected(name)["rows"]] for name in run.matches.images()}
    return {**run.gathered(item["group"]), **run.side.grids(item["group"]), **images}


def paper(run, item):
    """The paper's errors and rates."""
    tables = paper_tables(run.experiment, item)
    tables += [table["paper"] for table in run.matches.tables.values() if table["paper"]]
    return [read_paper_rows(table) for table in dict.fromkeys(tables)]


def make(run, name, item, collected):
    rows = agreement_rows(run, item, collected["rows"], collected.get("grid", []))
    figure = FigureData(
        name,
        "Our error rates against the paper's, a point per data set and method; on the line both "
        "are equal",
        columns=COLUMNS,
        rows=[*rows, *(rates := rate_rows(run, collected))],
    )
    if not rows:
        figure.missing = [("everything", "no error of ours has one of the paper beside it")]
        return figure
    figure.draw = lambda: draw_agreement([row for row in rows if row["edition"] == "ours"])
    figure.panels = [Panel("", agreement_chart(figure.caption, rows))]
    if rates:
        title = "Faces and persons: our rates against the paper's"
        figure.panels.append(Panel(title, agreement_chart(title, rates, RATES)))
    return figure


def agreement_rows(run, item, rows, grid=()):
    """A row per edition, data set and method that both have, the proposed methods last."""
    papers, tables = paper_errors(run, item), _table_of(run, item)
    if not len(papers):
        return []
    editions = {"ours": our_results(run, item, rows)}
    if grid:
        editions["protocol"] = protocol_results(run, grid, editions["ours"])
    made = []
    for edition, results in editions.items():
        for dataset, means in results.items():
            for method, mean in means.items():
                printed = value_at(papers, dataset, method)
                if mean.value is None or printed is None:
                    continue
                fixed = run.datasets[dataset]["fixed"]
                deviation, verdict, _ = judge_error(mean, printed, fixed=fixed)
                head = {"table": tables[dataset], "dataset": dataset, "method": method}
                titles = {
                    "title": run.dataset_title(dataset),
                    "method_title": run.title(method),
                    "edition": edition,
                }
                numbers = {"ours": mean.value, "deviation": deviation, "paper": printed}
                verdict = None if run.experiment["banner"] else verdict
                cell = cell_anchor(tables[dataset], dataset, method)
                made.append({**head, **titles, **numbers, "verdict": verdict, "cell": cell})
    return sorted(made, key=lambda row: row["method"] in PROPOSED)


def _table_of(run, item):
    """The table of errors that shows a data set."""
    return {
        dataset: name
        for name, table in run.experiment["tables"].items()
        if table["kind"] == "errors" and table["paper"] and item["group"] in ("all", table["group"])
        for dataset in run.group(table["group"])
    }


@styled
def draw_agreement(rows):
    """The proposed methods in colour with two deviations, the others small and grey."""
    figure = Figure(figsize=(COLUMN_WIDTH, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log")
    ends = [row[key] for row in rows for key in ("paper", "ours")]
    low, high = 0.65 * min(ends), 1.18 * max(ends)
    axes.plot([low, high], [low, high], color=INK, lw=0.8, zorder=1)
    others = [row for row in rows if row["method"] not in PROPOSED]
    if others:
        x, y = ([row[key] for row in others] for key in ("paper", "ours"))
        count = len({row["method"] for row in others})
        label = f"{count} other method{'s' * (count > 1)}"
        axes.scatter(x, y, s=9, marker="D", color=OTHERS, alpha=0.75, lw=0, label=label)
    for method in dict.fromkeys(row["method"] for row in rows if row["method"] in PROPOSED):
        _draw_proposed(axes, [row for row in rows if row["method"] == method])
    for row in _labelled(rows):
        _label(axes, row, 2.2 * low)
    axes.set(xlim=(low, high), ylim=(low, high))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator(TICKS))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("the paper's error rate (%)")
    axes.set_ylabel("our error rate (%)")
    axes.legend(loc="lower right")
    return figure


def _draw_proposed(axes, rows):
    method = rows[0]["method"]
    axes.errorbar(
        [row["paper"] for row in rows],
        [row["ours"] for row in rows],
        yerr=[DEVIATIONS * (row["deviation"] or 0.0) for row in rows],
        fmt=MARKERS.get(method, "o"),
        ms=4.5,
        mec="white",
        mew=0.5,
        color=colour(method),
        elinewidth=0.9,
        label=f"{rows[0]['method_title']} ± {DEVIATIONS:g} deviations",
        zorder=3,
    )


def _label(axes, row, edge):
    """A name away from the diagonal, near which most points lie; with a line to a point on it.

    A point whose paper's error is below ``edge`` has no room for a name at its left.
    """
    strong, above = row["method"] in PROPOSED, row["ours"] > row["paper"]
    near = abs(log(row["ours"] / row["paper"])) < NEAR
    side = "center" if near or (above and row["paper"] < edge) else "right" if above else "left"
    shift = {"center": -6 if near else 0, "right": -4, "left": 4}[side]
    away = 26 if near else 4 if above else 9  # below, names would lie over other points
    axes.annotate(
        row["title"] if strong else f"{row['method_title']}, {row['title']}",
        (row["paper"], row["ours"]),
        xytext=(shift, away if above else -away),
        textcoords="offset points",
        ha=side,
        va="bottom" if above else "top",
        fontsize=SMALL,
        color=colour(row["method"]) if strong else "#555555",
        arrowprops={"arrowstyle": "-", "lw": 0.6, "color": INK} if near else None,
    )


def _labelled(rows):
    """Those of the proposed methods that are not reproduced, and the farthest of the others."""
    missed = [row for row in rows if row["verdict"] in ("higher", "lower")]
    found = [row for row in missed if row["method"] in PROPOSED]
    others = sorted(
        (row for row in missed if row["method"] not in PROPOSED),
        key=lambda row: -abs(log(row["ours"] / row["paper"])),
    )
    most = len(found) + MOST_OTHERS
    for row in others:
        if len(found) < most and not any(_crowded(row, other) for other in found):
            found.append(row)
    return found


def _crowded(row, other):
    """Whether the names of two points would lie over each other."""
    apart = [abs(log(row[key] / other[key])) for key in ("paper", "ours")]
    return apart[0] < NAME[0] and apart[1] < NAME[1]
