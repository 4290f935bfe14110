"""What several kinds of tables share: captions, remarks, cells with errors, the paper's rows."""

from ...analysis.compared import compared_methods, paper_tables
from ...analysis.error_rates import judge_error, read_paper_rows
from ..table import Cell, Column
from ..words import listed

DATASET = Column("dataset", "Data set", words=True)
METHOD = Column("method", "Method", words=True)
MISSING = "−: missing; the footnote says why."
SIGNS = "≈: reproduced; ≠: not reproduced."


def table_title(run, name):
    """What a table is called: Table 3; Table 9, text; Headline."""
    number, _, more = name.removeprefix("table").partition("_")
    title = f"Table {number}" if number.isdigit() else name.replace("_", " ").capitalize()
    title += f", {more}" if number.isdigit() and more else ""
    return title if run.name == "paper" else f"{title} (run {run.name})"


def extra_methods_remark(run, item, where):
    """One sentence that names the run's methods that the paper's tables of errors lack, or none."""
    papers = [name.removeprefix("table") for name in paper_tables(run.experiment, item)]
    compared = compared_methods(run, item)
    extra = [run.title(method) for method in run.methods if method not in compared]
    if not papers or not extra:
        return []
    are = "are" if len(extra) > 1 else "is"
    tables = f"Table{'s' if len(papers) > 1 else ''} {listed(papers)}"
    return [f"{listed(extra)} {are} not in the paper's {tables}, and {are} left out {where}."]


def rows_and_grids(run, name, item):
    """The files of the data sets, and the rows with every candidate of their methods."""
    return {**run.gathered(item["group"]), **run.side.grids(item["group"])}


def protocol_remark(run, grid):
    """What the paper's protocol is, where there are rows of it."""
    if not grid:
        return []
    repeats = run.experiment["grid_repeats"]
    return [
        "Paper's protocol: parameters chosen by test errors, as the paper seems to have done it, "
        "one choice for each data set and method; features scaled together with the test samples, "
        f"nearest pairs; repetitions: at most {repeats['small']}, on the larger sets "
        f"{repeats['large']} where there is something to choose. Such errors are too low: the "
        "choice has seen the test samples."
    ]


def missing_remark(table):
    return [MISSING] if any(cell.missing for cell in table.cells()) else []


def error_cell(mean, paper, *, fixed, **more):
    """A mean error beside the paper's, judged."""
    if mean.value is None:
        return Cell(paper=paper, note=mean.note, facts={"folds": mean.folds}, **more)
    deviation, verdict, limit = judge_error(mean, paper, fixed=fixed)
    facts = {"folds": mean.folds}
    if fixed:
        facts["n_test"] = mean.n_test
    return Cell(mean.value, deviation, paper, limit=limit, verdict=verdict, facts=facts, **more)


def paper_table_rows(run, item):
    """The rows of the paper's table beside this one; None where there is none."""
    return read_paper_rows(item["paper"]) if item["paper"] else None


def paper_error_rows(run, item):
    """The rows of the paper's tables of errors for the item's group."""
    return [read_paper_rows(name) for name in paper_tables(run.experiment, item)]
