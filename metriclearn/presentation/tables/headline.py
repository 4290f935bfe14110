"""The short table of the README: the paper's methods, and whether its errors come back."""

from functools import partial

from ...analysis.compared import compared_methods, expected_folds, paper_errors
from ...analysis.error_rates import DEVIATIONS, POINTS, comes_back, summarise
from ...analysis.ranks import average_ranks, complete_part
from ..render import MINUS, Cell, Table

HEADLINE_COLUMNS = [
    "dataset",
    "title",
    "method",
    "error",
    "std",
    "paper",
    "difference",
    "comes_back",
    "best",
    "note",
]
SHOWN = ("euclidean", "pcml", "ncml")


def make_headline(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    rows = headline_rows(run, item, done["rows"])
    return HEADLINE_COLUMNS, rows, headline_table(run, caption, name, rows)


def headline_rows(run, item, rows):
    """One row per data set and shown method, with the best of the others; then average ranks."""
    methods, theirs = compared_methods(run, item), paper_errors(run, item)
    shown = [m for m in SHOWN if m in methods]
    found = summarise(rows, run.group(item["group"]), methods, partial(expected_folds, run))
    out = []
    for dataset, entries in found.items():
        known = {m: e["error"] for m, e in entries.items() if e["error"] is not None}
        others = [m for m in known if m not in shown]
        for method in shown + ([min(others, key=known.__getitem__)] if others else []):
            entry, paper = entries[method], theirs.get(dataset, {}).get(method)
            both = entry["error"] is not None and paper is not None
            out.append(
                {
                    "dataset": dataset,
                    "title": run.dataset_title(dataset),
                    "method": method,
                    "error": entry["error"],
                    "std": entry["std"],
                    "paper": paper,
                    "difference": entry["error"] - paper if both else None,
                    "comes_back": comes_back(entry, paper),
                    "best": int(
                        method in known and round(known[method], 2) == round(min(known.values()), 2)
                    ),
                    "note": entry["note"],
                }
            )
    return out + _rank_rows(found, theirs, shown)


def _rank_rows(found, theirs, shown):
    printed = {
        d: {m: None if e["error"] is None else round(e["error"], 2) for m, e in entries.items()}
        for d, entries in found.items()
    }
    ranked = complete_part(printed)
    ours = {m: r for m, r in average_ranks(ranked, "min").items() if r is not None}
    paper = average_ranks(complete_part(theirs), "min") if theirs else {}
    others = sorted((m for m in ours if m not in shown), key=ours.__getitem__)
    return [
        {
            "dataset": "rank_min",
            "title": f"Average rank over {len(ranked)} data sets",
            "method": method,
            "error": ours[method],
            "paper": paper.get(method),
            "best": int(ours[method] == min(ours.values())),
        }
        for method in [*[m for m in shown if m in ours], *others[:1]]
    ]


def headline_table(run, caption, name, rows):
    shown = [m for m in SHOWN if any(r["method"] == m for r in rows)]
    table = Table(
        f"{caption}: 1-NN error rate (%), ours and the paper's.",
        f"tab:{name}",
        ["Data set", *map(run.title, shown), "best of the others"],
    )
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        here = [row for row in rows if row["dataset"] == dataset]
        cells = [_cell(row) for method in shown for row in here if row["method"] == method]
        cells += [
            _cell(row, f"{run.title(row['method'])} ") for row in here if row["method"] not in shown
        ]
        cells += [Cell(MINUS)] * (len(table.header) - 1 - len(cells))
        table.body.append([Cell(here[0]["title"]), *cells])
    table.remarks.append(
        "Ours ± deviation over the repetitions, ≈ or ≠ the paper's: ≈ where it lies within "
        f"{POINTS} points or {DEVIATIONS:g} deviations of ours. Best of all methods in bold."
    )
    return table


def _cell(row, before=""):
    if row["error"] is None:
        return Cell(MINUS, note=row["note"])
    text = f"{before}{row['error']:.2f}"
    if row.get("std") is not None:
        text += f" ± {row['std']:.2f}"
    if row["paper"] is not None:
        sign = {1: " ≈ ", 0: " ≠ "}.get(row.get("comes_back"), ", paper ")
        text += f"{sign}{row['paper']:.2f}"
    return Cell(text, bold=bool(row["best"]))
