"""Stage 6: the paper's tables from our rows, beside the paper's numbers.

    metriclearn tables table3 --experiment paper

Each is saved as json, and rendered as csv with a line per cell, as Markdown and as LaTeX.
"""

from ..experiment.items import find_item
from ..files.store import read_all, write_json, write_rows, write_text
from ..presentation.kinds import load_kind
from ..presentation.render import csv_rows, latex, markdown
from .cli import run_command


def make_table(run, name):
    """Write results/<run>/tables/<name>.json, .csv, .md and .tex."""
    item = find_item(run.experiment, "tables", name)
    kind = load_kind("tables", name, item["kind"])
    table = kind.make(run, name, item, read_all(run.table_inputs(name)))
    base = f"results/{run.name}/tables/{name}"
    write_json(f"{base}.json", table.to_dict())
    write_rows(f"{base}.csv", *csv_rows(table))
    write_text(f"{base}.md", markdown(table))
    write_text(f"{base}.tex", latex(table))
    return table


def command(run, name):
    """Make it and say where it is."""
    make_table(run, name)
    print(f"results/{run.name}/tables/{name}.md, .tex, .csv, .json")


def main():
    run_command("tables", __doc__, command)
