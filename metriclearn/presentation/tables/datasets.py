"""Tables 2 and 4: the data sets, counted from the data."""

from ...analysis.error_rates import read_paper
from ..render import BRACKETS, MINUS, Cell, Table

COLUMNS = ["dataset", "title", "quantity", "ours", "paper", "difference", "note"]
QUANTITIES = {
    "n_train": "training samples",
    "n_test": "test samples",
    "n_features": "features",
    "pca": "PCA dimension",
    "n_classes": "classes",
}


def make_datasets(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    chosen = {row["dataset"]: row for row in done["data"]}
    paper = read_paper(item["paper"]) if item["paper"] else {}
    pca = any(facts["pca"] for facts in chosen.values())
    quantities = {key: text for key, text in QUANTITIES.items() if pca or key != "pca"}
    rows = []
    for dataset, facts in chosen.items():
        there = facts["status"] == "ok"
        for key, text in quantities.items():
            theirs = paper.get(dataset, {}).get(key) or None
            value = int(facts[key]) if there and facts[key] else None
            rows.append(
                {
                    "dataset": dataset,
                    "title": facts["title"],
                    "quantity": text,
                    "ours": value,
                    "paper": theirs,
                    "difference": value - int(theirs) if value is not None and theirs else None,
                    "note": facts["message"] or None,
                }
            )
    table = Table(
        f"{caption}: the data sets, counted from the data.",
        f"tab:{name}",
        ["Data set", *quantities.values()],
    )
    for dataset, facts in chosen.items():
        cells = [Cell(facts["title"], note=facts["message"] or None)]
        for row in (row for row in rows if row["dataset"] == dataset):
            text = "" if row["ours"] is None else f"{row['ours']:,}"
            if facts["status"] != "ok":
                text = MINUS if row["paper"] is None else f"({int(row['paper']):,})"
            elif row["difference"]:
                text += f" (paper {int(row['paper']):,})"
            cells.append(Cell(text or "none"))
        table.body.append(cells)
    table.remarks.append(
        "Cross-validated data sets: the sizes of the smallest fold and of the rest, as the paper "
        "counts."
    )
    table.remarks.append(
        f"{BRACKETS}the paper's number, where ours differs or the data are missing."
    )
    return COLUMNS, rows, table
