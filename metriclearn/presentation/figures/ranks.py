"""Critical-difference diagrams: average ranks on a line, and which of them do not differ."""

from matplotlib.figure import Figure

from ...analysis.compared import PROPOSED, comparisons, paper_tables
from ...analysis.error_rates import read_paper_rows
from ...analysis.statistics import cliques, critical_difference, mean_ranks
from ..figure import FigureData
from ..tables.statistics import too_few
from ._style import COLUMN_WIDTH, INK, SMALL, colour, styled

COLUMNS = [
    "scope",
    "source",
    "breadth",
    "datasets",
    "methods",
    "critical_difference",
    "method",
    "title",
    "rank",
    "groups",
    "note",
]
SOURCE_TITLES = {
    "ours": "Ours",
    "protocol": "Ours by the paper's protocol",
    "paper": "The paper's numbers",
}
MARGIN = 0.98  # inches; it holds the names on either side
STEP = 0.15  # inches between names, and the unit of height
DRAWN = "methods"  # the breadth that is drawn; the csv has the others too


def inputs(run, name, item):
    """The files of the data sets, and the rows with every candidate of their methods."""
    return {**run.gathered(item["group"]), **run.side.grids(item["group"])}


def paper(run, item):
    """The paper's errors that are ranked too."""
    return [read_paper_rows(table) for table in paper_tables(run.experiment, item)]


def make(run, name, item, collected):
    rows = rank_rows(run, item, collected["rows"], collected.get("grid", []))
    drawn = [row for row in rows if row["breadth"] == DRAWN]
    tested = [row for row in drawn if not row.get("note")]
    return FigureData(
        name,
        "Methods by their rank over the data sets; a bar joins those that do not differ "
        "significantly",
        columns=COLUMNS,
        rows=rows,
        draw=(lambda: draw_ranks(tested)) if tested else None,
        missing=[(_panel_title(row), row["note"]) for row in drawn if row.get("note")],
        picture=bool(tested),  # a chart of the page cannot place the names beside the line
    )


def rank_rows(run, item, rows, grid=()):
    """One row per method of each comparison; one row with the reason where there is no test.

    ``groups`` has the numbers of the groups, within which no two methods differ, that a method
    belongs to.
    """
    titles = run.methods_titles()
    return [
        row
        for comparison in comparisons(run, item, rows, grid)
        for row in comparison_ranks(comparison, titles)
    ]


def comparison_ranks(comparison, titles):
    methods, values = comparison.methods, comparison.values()
    head = {
        "scope": comparison.scope,
        "source": comparison.source,
        "breadth": comparison.breadth,
        "datasets": len(values),
        "methods": len(methods),
    }
    if reason := too_few(len(values), len(methods)):
        return [{**head, "note": reason}]
    ranks = mean_ranks(values)
    limit = critical_difference(len(values), len(methods))
    groups = cliques(ranks, limit)
    return [
        {
            **head,
            "critical_difference": limit,
            "method": methods[i],
            "title": titles[methods[i]],
            "rank": float(ranks[i]),
            "groups": " ".join(str(g + 1) for g, group in enumerate(groups) if i in group),
        }
        for i in ranks.argsort(kind="stable")
    ]


@styled
def draw_ranks(rows):
    """One panel per comparison, below each other: ours, then the paper's."""
    panels = {}
    for row in rows:
        panels.setdefault(row["scope"], []).append(row)
    depths = [_depth(part) + 4.0 for part in panels.values()]
    figure = Figure(figsize=(COLUMN_WIDTH, sum(depths) * STEP))
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=depths)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1, wspace=0, hspace=0)
    for axes, part, depth in zip(grid.flat, panels.values(), depths, strict=True):
        axes.axis("off")
        axes.set_ylim(3.5 - depth, 3.5)
        _panel(axes, part)
    return figure


def _depth(part):
    """How far the names reach below the line, in steps."""
    return 0.9 + 0.45 * len(_groups(part)) + (len(part) + 1) // 2


def _groups(part):
    """The lowest and the highest rank of each group."""
    found = {}
    for row in part:
        for group in (row.get("groups") or "").split():
            found.setdefault(int(group), []).append(float(row["rank"]))
    return [(min(ranks), max(ranks)) for _, ranks in sorted(found.items())]


def _panel_title(row):
    n_datasets = row["datasets"]
    size = f"{row['methods']} methods, {n_datasets} data set{'' if n_datasets == 1 else 's'}"
    return f"{SOURCE_TITLES[row['source']]}: {size}"


def _panel(axes, part):
    first = part[0]
    n_methods = first["methods"]
    axes.text(
        0.5,
        3.3,
        _panel_title(first),
        transform=axes.get_yaxis_transform(),
        ha="center",
        va="top",
        fontsize=8,
    )
    unit = (n_methods - 1) / (COLUMN_WIDTH - 2 * MARGIN)  # ranks per inch
    axes.set_xlim(1 - MARGIN * unit, n_methods + MARGIN * unit)
    _scale(axes, n_methods, first["critical_difference"])
    groups = _groups(part)
    for i, (low, high) in enumerate(groups):
        y = -0.55 - 0.45 * i
        axes.plot(
            [low - 0.015 * unit, high + 0.015 * unit],
            [y, y],
            color="#222222",
            lw=2.2,
            solid_capstyle="butt",
            zorder=3,
            gid=f"group{i + 1}",
        )
    top = -0.9 - 0.45 * len(groups)
    better = (len(part) + 1) // 2
    for i, row in enumerate(part):
        place = i if i < better else len(part) - 1 - i
        _name(axes, row, top - place, i < better, unit, n_methods)


def _scale(axes, n_methods, limit):
    axes.plot([1, n_methods], [0, 0], color="#222222", lw=1.0)
    for rank in range(1, n_methods + 1):
        axes.plot([rank, rank], [0, 0.3], color="#222222", lw=0.8)
        axes.text(rank, 0.4, str(rank), ha="center", va="bottom", fontsize=SMALL)
    axes.plot(
        [1, 1 + limit],
        [1.75, 1.75],
        color="#222222",
        lw=1.0,
        marker="|",
        ms=5,
        gid="critical_difference",
    )
    axes.text(1 + limit, 1.75, f"  critical difference {limit:.2f}", va="center", fontsize=SMALL)


def _name(axes, row, y, left, unit, n_methods):
    """A method's name at the side, and a line from it to its rank."""
    rank, strong = float(row["rank"]), row["method"] in PROPOSED
    ink = colour(row["method"]) if strong else INK
    edge = 1 - 0.08 * unit if left else n_methods + 0.08 * unit
    axes.plot(
        [rank, rank, edge],
        [0, y, y],
        color=ink,
        lw=1.4 if strong else 0.8,
        zorder=2,
        gid=row["method"],
    )
    text = f"{row['title']}  {rank:.2f}" if left else f"{rank:.2f}  {row['title']}"
    axes.text(
        edge + (-0.05 if left else 0.05) * unit,
        y,
        text,
        ha="right" if left else "left",
        va="center",
        fontsize=7.5,
        color=ink,
        weight="bold" if strong else "normal",
    )
