"""Our accuracies and recognition rates against the paper's, as rows of the agreement figure."""

from ...analysis.compared import PROPOSED
from ...vision.spec import load_image_spec
from ..table import cell_anchor
from ..tables.matching import match_cells, measure_title, shown_features


def rate_rows(run, collected):
    """A row per measure and method that both have, with the preprocessing chosen on it.

    ``collected`` has the rows of each image set under its name. Two tables of the same paper's
    table, which differ in the roles of the images, would be the same points twice: the first is
    taken.
    """
    made, papers = [], set()
    for name, table in run.matches.tables.items():
        if table["paper"] and table["paper"] not in papers:
            papers.add(table["paper"])
            made += _table_rows(run, name, table, collected[table["images"]])
    return sorted(made, key=lambda row: row["method"] in PROPOSED)


def _table_rows(run, name, table, rows):
    spec, cells = load_image_spec(table["images"]), match_cells(run, table, rows)
    preprocess, one = table["preprocess"][-1], len(table["measures"]) == 1
    shown = shown_features(table, cells)
    for (feature, kind, method, measure), cell in cells.items():
        if feature not in shown or kind != preprocess or None in (cell.value, cell.paper):
            continue
        place = f"{feature}-{method}" if one else f"{feature}-{kind}-{method}"
        titles = (spec.title, spec.feature_title(feature), measure_title(measure))
        yield {
            "table": name,
            "dataset": spec.name,
            "title": ", ".join(titles),
            "method": method,
            "method_title": run.title(method),
            "edition": "ours",
            "ours": cell.value,
            "deviation": cell.deviation,
            "paper": cell.paper,
            "verdict": None if run.experiment["banner"] else cell.verdict,
            "cell": cell_anchor(name, place, kind if one else measure),
        }
