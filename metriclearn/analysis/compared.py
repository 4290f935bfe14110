"""Which methods are compared on which data sets, from our rows and from the paper's own tables.

A comparison needs a result of each method on each data set. Where there are holes it is made
twice: with all methods, on the data sets that are complete; and on all data sets, with the methods
that are complete. Only methods of the paper are compared, where the experiment has its numbers.
"""

from dataclasses import dataclass
from functools import partial

from ..datasets import load_spec
from .error_rates import read_paper, summarise
from .ranks import complete_part

SOURCES = ("ours", "paper")
BREADTHS = ("methods", "datasets")  # of which all are kept


@dataclass
class Comparison:
    source: str  # of SOURCES
    breadth: str  # of BREADTHS
    errors: dict  # errors[dataset][method] in percent, two decimals, without holes
    left_out: dict  # {data set or method: [where it has holes]}, [] if it has nothing else

    @property
    def scope(self):
        return f"{self.source}_all_{self.breadth}"

    @property
    def methods(self):
        return list(next(iter(self.errors.values()), {}))

    def values(self):
        """One row per data set, one column per method."""
        return [list(values.values()) for values in self.errors.values()]


def comparisons(run, item, rows):
    """Ours and the paper's in both breadths; in one, where both give the same."""
    tables = {"ours": our_errors(run, item, rows), "paper": paper_errors(run, item)}
    sources = [source for source in SOURCES if tables[source]]
    methods, datasets = (
        [_compare(source, breadth, tables[source]) for source in sources] for breadth in BREADTHS
    )
    return methods + [b for a, b in zip(methods, datasets, strict=True) if a.errors != b.errors]


def _compare(source, breadth, table):
    part = complete_part(table) if breadth == "methods" else complete_methods(table)
    columns = {m: {d: values[m] for d, values in table.items()} for m in next(iter(table.values()))}
    kept = next(iter(part.values()), {})
    left_out = {
        name: _holes(values)
        for lines, there in ((table, part), (columns, kept))
        for name, values in lines.items()
        if name not in there
    }
    return Comparison(source, breadth, part, left_out)


def _holes(values):
    holes = [name for name, value in values.items() if value is None]
    return holes if len(holes) < len(values) else []


def complete_methods(table):
    """The methods that have a result on every data set that has any, without the others."""
    alive = {d: row for d, row in table.items() if any(v is not None for v in row.values())}
    names = next(iter(alive.values()), {})
    kept = [m for m in names if all(row[m] is not None for row in alive.values())]
    return {d: {m: row[m] for m in kept} for d, row in alive.items()} if kept else {}


def compared_methods(run, item):
    """The run's methods that the paper's tables of errors have; without such tables, all."""
    papers = [read_paper(name) for name in paper_tables(run.experiment, item)]
    named = dict.fromkeys(m for table in papers for row in table.values() for m in row)
    return [method for method in named or run.methods if method in run.methods]


def paper_tables(experiment, item):
    """The paper's tables beside the experiment's tables of errors, for the item's group."""
    return [
        table["paper"]
        for table in experiment["tables"].values()
        if table["kind"] == "errors" and table["paper"] and item["group"] in ("all", table["group"])
    ]


def paper_errors(run, item):
    """The paper's own errors, every method and data set of its tables."""
    tables = [read_paper(name) for name in paper_tables(run.experiment, item)]
    methods = list(dict.fromkeys(m for table in tables for row in table.values() for m in row))
    return {
        dataset: {m: float(row[m]) if row.get(m) else None for m in methods}
        for table in tables
        for dataset, row in table.items()
        if dataset != "average_rank"
    }


def our_errors(run, item, rows):
    """Our mean errors as Tables 3 and 5 print them, so that what ties there ties here."""
    entries = summarise(
        rows, run.group(item["group"]), compared_methods(run, item), partial(expected_folds, run)
    )
    return {
        dataset: {m: None if e["error"] is None else round(e["error"], 2) for m, e in row.items()}
        for dataset, row in entries.items()
    }


def all_titles(run, item):
    """Titles of all methods, and of the data sets of the run and of the paper's tables."""
    titles = run.methods_titles()
    for dataset in [*run.group(item["group"]), *paper_errors(run, item)]:
        own = "path" in run.datasets.get(dataset, {})
        titles[dataset] = dataset if own else load_spec(dataset).title
    return titles


def expected_folds(run, dataset):
    """The number of folds, over all repetitions, that make a result complete."""
    folds = 1 if run.datasets[dataset]["fixed"] else run.protocol["folds"]
    used = run.protocol["use_folds"]
    return (folds if used is None else min(folds, used)) * run.repeats(dataset)
