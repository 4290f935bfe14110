"""Tables 2 and 4: the data sets, counted from the data."""

import pandas as pd

from ...analysis.error_rates import read_paper, value_at
from ..table import Cell, Column, Row, Table
from ._common import DATASET, paper_table_rows, table_title

QUANTITIES = {
    "n_train": "training samples",
    "n_test": "test samples",
    "n_features": "features",
    "pca": "PCA dimension",
    "n_classes": "classes",
}
paper = paper_table_rows


def make(run, name, item, collected):
    counted = collected["data"]
    paper_counts = read_paper(item["paper"]) if item["paper"] else pd.DataFrame()
    with_pca = any(row["pca"] for row in counted)
    columns = [
        Column(key, title, number=",d", paper="differing")
        for key, title in QUANTITIES.items()
        if with_pca or key != "pca"
    ]
    table = Table(
        name,
        f"{table_title(run, name)}: the data sets, counted from the data.",
        [DATASET],
        columns,
        remarks=[
            "Cross-validated data sets: the sizes of the smallest fold and of the rest, as the "
            "paper counts."
        ],
        legend="The paper's number is given where ours differs or the data are unavailable.",
    )
    for row in counted:
        cells = [_cell(row, c.key, value_at(paper_counts, row["dataset"], c.key)) for c in columns]
        table.rows.append(Row([row["dataset"]], [row["title"]], cells))
    return table


def _cell(row, key, paper_value):
    paper_count = None if paper_value is None else int(paper_value)
    if row["status"] != "ok":
        return Cell(paper=paper_count, note=row["message"] or row["status"])
    return Cell(int(row[key]) if row[key] else "none", paper=paper_count)
