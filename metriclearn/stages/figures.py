"""Make a figure of the paper from our rows: SVG, PDF, PNG, the csv it is drawn from, and json.

    metriclearn figures figure3 --experiment paper

The json is what the report page shows.
"""

from ..presentation.make import make_figure
from .cli import run_command


def command(run, name):
    """Make it and print where it is."""
    make_figure(run, name)
    print(f"{run.places.figure(name, 'svg')}, .pdf, .png, .csv, .json")


def main():
    run_command("figures", __doc__, command)
