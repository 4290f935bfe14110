"""A table or a figure of a run: made from the rows that it takes, and saved in all its forms."""

from ..analysis.verdict import RULE
from ..experiment.items import find_item
from ..files.store import read_all, write_json, write_rows, write_text
from .figures._style import save
from .kinds import inputs_of, load_kind
from .render import csv_rows, latex, markdown


def make_table(run, name):
    """Save a table as json, and render it as csv with a line per cell, as Markdown and LaTeX."""
    table = _made(run, "tables", name)
    table.folded = find_item(run.experiment, "tables", name)["folded"]
    if banner := run.experiment["banner"]:
        table = without_verdicts(table, banner)
    write_json(run.places.table(name, "json"), table.to_dict())
    write_rows(run.places.table(name, "csv"), *csv_rows(table))
    write_text(run.places.table(name, "md"), markdown(table))
    write_text(run.places.table(name, "tex"), latex(table))
    return table


def without_verdicts(table, reason):
    """The table of a run that is no evidence: it compares with the paper, and judges nothing."""
    for cell in table.cells():
        cell.verdict = cell.limit = None
        if "holds" in cell.facts:
            cell.value, cell.facts = "not judged", {"holds": None}
    table.remarks = [reason, *(remark for remark in table.remarks if remark != RULE)]
    table.legend = ""
    return table


def make_figure(run, name):
    """Save a figure as SVG, PDF and PNG, as csv, and as json for the report page.

    Without data there is no picture: its files, which the workflow waits for, are empty.
    """
    figure = _made(run, "figures", name)
    save(figure.draw and figure.draw(), f"{run.places.figures()}/{name}")
    write_rows(run.places.figure(name, "csv"), figure.columns, figure.rows)
    write_json(run.places.figure(name, "json"), figure.to_dict())
    return figure


def _made(run, folder, name):
    item = find_item(run.experiment, folder, name)
    kind = load_kind(folder, name, item["kind"])
    made = kind.make(run, name, item, read_all(inputs_of(run, folder, name)))
    made.kind = item["kind"]
    return made
