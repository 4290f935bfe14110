"""The csv of a table as a grid of cells, one way for each kind of table.

The kind is known from the columns, so that any folder of results can be shown. Methods stand in
the rows: sorting by a column then ranks the methods on a data set.
"""

from dataclasses import dataclass, field

from ..tables.matching import PAPER_ONLY, PREPROCESS
from .compare import Cell, compared, number, plain


@dataclass
class Grid:
    """Column titles and rows of cells; the first column names the row."""

    header: list[str]
    numeric: list[bool]
    rows: list[list[Cell]] = field(default_factory=list)
    compares: bool = False  # cells hold the paper's values too

    def notes(self):
        """A number for each distinct reason of a hole, in order of appearance."""
        found = dict.fromkeys(cell.note for row in self.rows for cell in row if cell.note)
        return {note: i for i, note in enumerate(found, start=1)}

    def cells(self):
        return [cell for row in self.rows for cell in row]

    def counts(self):
        """How many values compare with the paper's, and how."""
        cells = self.cells()
        return {
            "within": sum(c.verdict == "within" for c in cells),
            "outside": sum(c.verdict in ("above", "below") for c in cells),
            "unjudged": sum(c.change_value is not None and not c.verdict for c in cells),
            "holes": sum(c.hole for c in cells),
        }


def make_grid(item, names):
    """The grid of a table, None for other kinds; ``names`` maps methods and data sets to titles."""
    have = set(item.columns)
    if {"dataset", "method", "variant", "error", "std", "paper"} <= have:
        return variants_grid(item.rows, names)
    if {"dataset", "method", "folds", "error", "std", "paper"} <= have:
        return errors_grid(item.rows, names)
    if {"dataset", "quantity", "ours", "paper"} <= have:
        return datasets_grid(item.rows)
    if {"images", "feature", "preprocess", "method", "measure", "ours", "std"} <= have:
        return matching_grid(item.rows, names)
    return None


def errors_grid(rows, names):
    """A row per method, a column per data set, then the average ranks."""
    titles = {row["dataset"]: row["title"] for row in rows}
    found = {(row["method"], row["dataset"]): row for row in rows}
    grid = Grid(["Method", *titles.values()], [False] + [True] * len(titles), compares=True)
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = [
            compared(found[method, d], "error", found[method, d]["best"] == "1")
            if (method, d) in found
            else Cell()
            for d in titles
        ]
        grid.rows.append([_name(names.get(method, method)), *cells])
    return grid


def variants_grid(rows, names):
    """A row per method and variant, a column per data set, then the mean."""
    titles = {row["dataset"]: row["title"] for row in rows}
    found = {(row["method"], row["variant"], row["dataset"]): row for row in rows}
    grid = Grid(["Method", "Variant", *titles.values()], [False] * 2 + [True] * len(titles))
    for method, variant in dict.fromkeys((row["method"], row["variant"]) for row in rows):
        those = [found.get((method, variant, dataset)) for dataset in titles]
        cells = [compared(row, "error", row["best"] == "1") if row else Cell() for row in those]
        grid.rows.append([_name(names.get(method, method)), _name(variant), *cells])
    return grid


def datasets_grid(rows):
    """A row per data set, a column per quantity."""
    quantities = list(dict.fromkeys(row["quantity"] for row in rows))
    found = {(row["dataset"], row["quantity"]): row for row in rows}
    grid = Grid(["Data set", *quantities], [False] + [True] * len(quantities), compares=True)
    for dataset, title in {row["dataset"]: row["title"] for row in rows}.items():
        cells = [compared(found[dataset, q], "ours", digits=0) for q in quantities]
        grid.rows.append([_name(title), *cells])
    return grid


def matching_grid(rows, names):
    """Preprocessings side by side where there is one measure, else measures side by side."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    kinds = list(dict.fromkeys(row["preprocess"] for row in rows if row["preprocess"]))
    one = len(measures) == 1
    across, key = (kinds, "preprocess") if one else (measures, "measure")
    shown = [PREPROCESS.get(k, k) for k in kinds] if one else [_measure(m) for m in measures]
    features = len({row["feature"] for row in rows}) > 1
    labels = ["Method"] + ["Feature"] * features + ["Preprocessing"] * (not one)
    header = [*labels, *shown, "fit (s)"]
    grid = Grid(header, [h not in labels for h in header], compares=True)
    groups = {}
    for row in rows:
        place = row["feature"], "" if one else row["preprocess"], row["method"]
        groups.setdefault(place, {})[row[key]] = row
    for (feature, preprocess, method), found in groups.items():
        only = next(iter(found.values())) if method in PAPER_ONLY else None
        cells = [_name(PAPER_ONLY.get(method) or names.get(method, method))]
        cells[0].note = only["note"] if only else None
        cells += [_name(feature.replace("_", " + "))] * features
        cells += [_name(PREPROCESS.get(preprocess, preprocess))] * (not one)
        for place in across:
            row = found.get(place) or ({**only, "note": ""} if only else None)
            cells.append(compared(row, "ours", row["best"] == "1") if row else Cell())
        grid.rows.append([*cells, _seconds(list(found.values())[-1])])
    return grid


def _measure(name):
    return name.replace("rank", "rank ") if name.startswith("rank") else name


def _seconds(row):
    ours, paper = number(row.get("fit_s")), number(row.get("paper_fit_s"))
    return Cell(
        text="" if ours is None else f"{ours:.3g}",
        paper="" if paper is None else f"{paper:g}",
        ours_value=ours,
        paper_value=paper,
    )


def plain_grid(item):
    """Every column of the csv as it is."""
    rows = [[plain(row[column]) for column in item.columns] for row in item.rows]
    numeric = [
        any(isinstance(row[i].ours_value, float) for row in rows)
        and all(isinstance(row[i].ours_value, float | None) for row in rows)
        for i in range(len(item.columns))
    ]
    return Grid([column.replace("_", " ") for column in item.columns], numeric, rows)


def _name(text):
    return Cell(text=text, ours_value=text)
