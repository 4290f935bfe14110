"""Make a table of the paper from our rows, beside the paper's numbers.

    metriclearn tables table3 --experiment paper

It is saved as json, and rendered as csv with a line per cell, as Markdown and as LaTeX.
"""

from ..presentation.make import make_table
from .cli import run_command


def command(run, name):
    """Make it and print where it is."""
    make_table(run, name)
    print(f"{run.places.table(name, 'md')}, .tex, .csv, .json")


def main():
    run_command("tables", __doc__, command)
