"""Figure 3 for every data set: the error against one parameter of a grid, on the test parts.

The other parameters are those of the candidate with the lowest mean test error.
"""

import json
from math import ceil

from matplotlib.figure import Figure

from ...analysis.chosen_by_test import candidate_errors, choose_by_test
from ...analysis.compared import paper_errors, paper_tables
from ...analysis.error_rates import read_paper_rows, value_at
from ..figure import FigureData, Panel
from ..missing import summarise_missing
from ._chart import Series, axis, line_chart, powers_of_ten
from ._style import COLUMN_WIDTH, MARKERS, SMALL, colour, styled

COLUMNS = [
    "dataset",
    "title",
    "method",
    "method_title",
    "key",
    "value",
    "others",
    "chosen",
    "folds",
    "error",
    "std",
    "paper",
    "note",
]
PANELS_PER_LINE = 3


def paper(run, item):
    """The paper's errors, which are drawn too."""
    return [read_paper_rows(table) for table in paper_tables(run.experiment, item)]


def inputs(run, name, item):
    return run.side.grids(item["group"])


def make(run, name, item, collected):
    rows = grid_rows(run, item, collected["grid"])
    key = item["key"]
    figure = FigureData(
        name,
        f"Error rate against {key} under the paper's protocol, other parameters as chosen there",
        columns=COLUMNS,
        rows=rows,
        missing=summarise_missing({(r["title"], r["method_title"]): r["note"] for r in rows}),
    )
    good = [row for row in rows if not row["note"]]
    if not good:
        return figure
    shown = {d: [row for row in good if row["dataset"] == d] for d in run.group(item["group"])}
    shown = {dataset: part for dataset, part in shown.items() if part}
    figure.draw = lambda: draw_grid(shown, key)
    figure.panels = [
        Panel(part[0]["title"], grid_chart(figure.caption, part, key)) for part in shown.values()
    ]
    return figure


def grid_rows(run, item, grid):
    """A row per data set, method and value of the key, the other parameters as chosen."""
    key, papers = item["key"], paper_errors(run, item)
    chosen, means = choose_by_test(grid), candidate_errors(grid)
    rows = []
    for dataset in run.group(item["group"]):
        for method in item["methods"]:
            head = {
                "dataset": dataset,
                "title": run.dataset_title(dataset),
                "method": method,
                "method_title": run.title(method),
                "key": key,
                "paper": value_at(papers, dataset, method),
                "note": None,
            }
            best = chosen.get((dataset, method))
            if best is None or best.mean.value is None:
                rows.append({**head, "note": best.mean.note if best else "not run"})
                continue
            others = _without(best.candidate, key)
            own = means[(means["dataset"] == dataset) & (means["method"] == method)]
            for candidate, mean in zip(own["candidate"], own["mean"], strict=True):
                found = json.loads(candidate)
                if key in found and _without(found, key) == others and mean.value is not None:
                    value = {
                        "value": found[key],
                        "others": json.dumps(others, sort_keys=True),
                        "chosen": int(found == best.candidate),
                    }
                    result = {"folds": mean.folds, "error": mean.value, "std": mean.std}
                    rows.append({**head, **value, **result})
    return rows


def _without(candidate, key):
    return {name: value for name, value in candidate.items() if name != key}


def _by_method(rows):
    return {
        m: [r for r in rows if r["method"] == m] for m in dict.fromkeys(r["method"] for r in rows)
    }


def _label(row):
    """A method with its other parameters: PCML, k = 1."""
    others = [f"{name} = {value}" for name, value in json.loads(row["others"]).items()]
    return ", ".join([row["method_title"], *others])


def grid_chart(caption, rows, key):
    """The chart of one data set; the paper's errors are dashed lines."""
    points, series = [], []
    values = sorted(row["value"] for row in rows)
    for method, part in _by_method(rows).items():
        name = _label(part[0])
        series.append(Series(name, colour(method), strong=True, square=MARKERS.get(method) == "s"))
        points += [{"series": name, "x": row["value"], "y": round(row["error"], 6)} for row in part]
        if part[0]["paper"] is not None:
            name = f"{part[0]['method_title']}, paper"
            series.append(Series(name, colour(method), dashed=True))
            ends = (values[0], values[-1])
            points += [{"series": name, "x": x, "y": part[0]["paper"]} for x in ends]
    ticks = powers_of_ten(values[0], values[-1], 7)
    return line_chart(
        f"{caption}; {rows[0]['title']}. Lines of the methods.",
        points,
        series,
        axis("x", key, {"type": "log", "nice": False}, values=ticks, format=".6~g"),
        axis("y", "error rate (%)"),
        {"method": ("series", None), key: ("x", ".6~g"), "error rate (%)": ("y", ".2f")},
        marked=True,
    )


@styled
def draw_grid(shown, key):
    """Small multiples: a panel for each data set."""
    columns = min(PANELS_PER_LINE, len(shown))
    lines = ceil(len(shown) / columns)
    figure = Figure(figsize=(COLUMN_WIDTH, 1.25 * lines + 0.7), layout="constrained")
    panels = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axes, rows in zip(panels, shown.values(), strict=False):
        _draw_panel(axes, rows)
    for axes in panels[len(shown) :]:
        axes.axis("off")
    figure.supxlabel(key, fontsize=8)
    figure.supylabel("error rate (%)", fontsize=8)
    handles = {
        row["method_title"]: figure.axes[0].plot([], [], color=colour(m), marker=MARKERS.get(m))[0]
        for m, (row, *_) in _by_method(sum(shown.values(), [])).items()
    }
    handles["the paper's"] = figure.axes[0].plot([], [], "--", color="#666666", lw=1)[0]
    handles["chosen"] = figure.axes[0].plot([], [], **_ring("#666666"))[0]
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=4, handlelength=1.4
    )
    return figure


def _ring(ink):
    return {"marker": "o", "ms": 6, "mfc": "none", "mec": ink, "mew": 1.0, "ls": "none"}


def _draw_panel(axes, rows):
    for method, part in _by_method(rows).items():
        ink = colour(method)
        x, y = ([row[column] for row in part] for column in ("value", "error"))
        axes.plot(x, y, marker=MARKERS.get(method, "o"), ms=2.5, lw=1.1, color=ink)
        axes.plot(
            *zip(*[(r["value"], r["error"]) for r in part if r["chosen"]], strict=True),
            **_ring(ink),
        )
        if part[0]["paper"] is not None:
            axes.axhline(part[0]["paper"], ls="--", lw=0.9, color=ink)
    axes.set_xscale("log")
    axes.set_title("\n".join([rows[0]["title"], _others_text(rows)]).strip(), fontsize=SMALL)
    axes.tick_params(pad=1, length=2)


def _others_text(rows):
    """The other parameters of the methods: k = 2; k = 2, NCML 1 where they differ."""
    parts = [part[0] for part in _by_method(rows).values()]
    found = {row["method_title"]: json.loads(row["others"]) for row in parts}
    texts = []
    for name in dict.fromkeys(name for others in found.values() for name in others):
        values = {title: others[name] for title, others in found.items() if name in others}
        first, *_ = values.values()
        differing = [f"{title} {value}" for title, value in values.items() if value != first]
        texts.append(", ".join([f"{name} = {first}", *differing]))
    return "; ".join(texts)
