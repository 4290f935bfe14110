"""Stage 6: the paper's tables from our rows, beside the paper's numbers.

    metriclearn tables table3 --experiment paper

Each comes as a tidy csv, and as Markdown and LaTeX made from that csv's content.
"""

from ..experiment.items import find_item
from ..files.errors import PipelineError
from ..files.store import read_all, write_rows, write_text
from ..presentation.render import latex, markdown
from ..presentation.tables.ablation import make_stopping, make_variants
from ..presentation.tables.claims import make_claims
from ..presentation.tables.datasets import make_datasets
from ..presentation.tables.errors import make_errors
from ..presentation.tables.headline import make_headline
from ..presentation.tables.matching import make_matching
from ..presentation.tables.pairwise import make_pairwise
from ..presentation.tables.statistics import make_statistics
from .cli import run_command

# From a run, a caption, the table's name and item, and the collected rows by their kind, to the
# columns and rows of the csv, and the table.
KINDS = {
    "datasets": make_datasets,
    "errors": make_errors,
    "headline": make_headline,
    "claims": make_claims,
    "statistics": make_statistics,
    "pairwise": make_pairwise,
    "matching": make_matching,
    "variants": make_variants,
    "stopping": make_stopping,
}


def make_table(run, name):
    """Write results/<run>/tables/<name>.csv, .md and .tex."""
    item = find_item(run.experiment, "tables", name)
    if item["kind"] not in KINDS:
        kinds = ", ".join(KINDS)
        raise PipelineError(f"{name}: unknown kind {item['kind']!r}; kinds are {kinds}")
    done = read_all(run.table_inputs(name))
    columns, rows, table = KINDS[item["kind"]](run, caption(run, name), name, item, done)
    base = f"results/{run.name}/tables/{name}"
    write_text(f"{base}.md", markdown(table))
    write_text(f"{base}.tex", latex(table))
    write_rows(f"{base}.csv", columns, rows)
    return rows


def caption(run, name):
    """What a table is called."""
    number = name.removeprefix("table")
    title = f"Table {number}" if number.isdigit() else name.replace("_", " ").capitalize()
    return title if run.name == "paper" else f"{title} (run {run.name})"


def command(run, name):
    """Make it and say where it lies."""
    make_table(run, name)
    print(f"results/{run.name}/tables/{name}.md, .tex, .csv")


def main():
    run_command("tables", __doc__, command)
