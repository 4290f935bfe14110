"""Stage 7: the paper's figures from our rows, each as SVG, PDF and PNG, with its csv, and as json
for the report page.

metriclearn figures figure3 --experiment paper
"""

from ..experiment.items import find_item
from ..files.store import read_all, write_json, write_rows
from ..presentation.figures._style import save
from ..presentation.kinds import load_kind
from .cli import run_command


def make_figure(run, name):
    """Write figures/<run>/<name>.csv, .svg, .pdf, .png and .json."""
    figure = figure_content(run, name)
    base = f"figures/{run.name}/{name}"
    save(figure.draw(), base)
    write_rows(f"{base}.csv", figure.columns, figure.rows)
    write_json(f"{base}.json", figure.to_dict())
    return figure.rows


def figure_content(run, name):
    """The ``FigureData`` of a figure, from the collected rows."""
    item = find_item(run.experiment, "figures", name)
    kind = load_kind("figures", name, item["kind"])
    return kind.make(run, name, item, read_all(run.figure_inputs(name)))


def command(run, name):
    """Make it and say where it lies."""
    make_figure(run, name)
    print(f"figures/{run.name}/{name}.svg, .pdf, .png, .csv, .json")


def main():
    run_command("figures", __doc__, command)
