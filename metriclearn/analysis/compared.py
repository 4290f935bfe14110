"""Which methods are compared on which data sets, from our rows and from the paper's own tables.

A comparison needs a result of each method on each data set. Where some are missing it is made
twice: with all methods, on the data sets that are complete; and on all data sets, with the methods
that are complete. Only methods of the paper are compared, where the experiment has its numbers;
with rows of grids, which give our errors under the paper's protocol, all methods are compared too.
"""

from dataclasses import dataclass
from functools import partial

import pandas as pd

from ..datasets import load_spec
from .chosen_by_test import summarise_by_test
from .error_rates import printed_errors, read_paper, summarise, widened
from .ranks import complete_datasets, complete_methods

PROPOSED = ("pcml", "ncml")  # the paper's own methods; its claims are about these
# Our errors, with parameters chosen on training parts; ours under the paper's protocol, with
# parameters chosen by test errors; the errors that the paper prints.
SOURCES = {"ours": "ours", "protocol": "paper's protocol", "paper": "paper"}
KEEP_ALL = {"methods": complete_datasets, "datasets": complete_methods}
BREADTHS = {
    "methods": "all methods",
    "datasets": "all data sets",
    "every": "with methods that the paper lacks",
}


@dataclass
class Comparison:
    source: str  # of SOURCES
    breadth: str  # of BREADTHS: all methods are kept, or all data sets, or methods are added
    errors: pd.DataFrame  # in percent, two decimals; data sets × methods, none missing
    left_out: dict[str, list[str]]  # data set or method: where it has no result; [] if nowhere one

    @property
    def scope(self):
        return f"{self.source}_all_{self.breadth}"

    @property
    def methods(self):
        return list(self.errors.columns)

    def values(self):
        """One row per data set, one column per method."""
        return self.errors.to_numpy()


def scope_title(scope):
    """Words for ``Comparison.scope``."""
    source, _, breadth = scope.partition("_all_")
    return f"{SOURCES[source]}, {BREADTHS[breadth]}"


def comparisons(run, item, rows, grid=()):
    """Ours and the paper's, with all methods and on all data sets; once, if both are the same.

    With rows of grids also ours under the paper's protocol, and those of ours with every method.
    """
    tables = {"ours": our_errors(run, item, rows)}
    if grid:
        tables["protocol"] = protocol_errors(run, item, grid)
    tables["paper"] = paper_errors(run, item)
    sources = [source for source in tables if len(tables[source])]
    methods, datasets = (
        [_compare(source, breadth, tables[source]) for source in sources] for breadth in KEEP_ALL
    )
    found = methods + [
        b for a, b in zip(methods, datasets, strict=True) if not a.errors.equals(b.errors)
    ]
    if grid and set(run.methods) - set(compared_methods(run, item)):
        every = list(run.methods)
        found += [
            _compare("ours", "every", our_errors(run, item, rows, every)),
            _compare("protocol", "every", protocol_errors(run, item, grid, every)),
        ]
    return found


def _compare(source, breadth, errors):
    part = KEEP_ALL.get(breadth, complete_datasets)(errors)
    missing = errors.isna()
    left_out = {d: _missing(missing.loc[d]) for d in errors.index if d not in part.index}
    left_out |= {m: _missing(missing[m]) for m in errors.columns if m not in part.columns}
    return Comparison(source, breadth, part, left_out)


def _missing(flags):
    return [] if flags.all() else list(flags[flags].index)


def compared_methods(run, item):
    """The run's methods that the paper's tables of errors have; without such tables, all."""
    named = paper_errors(run, item).columns
    return [method for method in (named if len(named) else run.methods) if method in run.methods]


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
    if not tables:
        return pd.DataFrame()
    return pd.concat(tables).drop(index="average_rank", errors="ignore")


def our_results(run, item, rows, methods=None):
    """Our mean errors, by default with the compared methods: ``{dataset: {method: Mean}}``."""
    methods = methods or compared_methods(run, item)
    return summarise(rows, run.group(item["group"]), methods, partial(expected_folds, run))


def our_errors(run, item, rows, methods=None):
    """Our mean errors as Tables 3 and 5 print them."""
    return printed_errors(our_results(run, item, rows, methods))


def protocol_results(run, grid, ours):
    """The same under the paper's protocol, from the rows of grids; ``ours``: beside these."""
    methods = list(next(iter(ours.values()), {}))
    found = summarise_by_test(grid, list(ours), methods, partial(grid_folds, run))
    return widened(found, ours)


def protocol_errors(run, item, grid, methods=None):
    methods = methods or compared_methods(run, item)
    datasets = run.group(item["group"])
    return printed_errors(summarise_by_test(grid, datasets, methods, partial(grid_folds, run)))


def all_titles(run, item):
    """Titles of all methods, and of the data sets of the run and of the paper's tables."""
    titles = run.methods_titles()
    for dataset in [*run.group(item["group"]), *paper_errors(run, item).index]:
        own = "path" in run.datasets.get(dataset, {})
        titles[dataset] = dataset if own else load_spec(dataset).title
    return titles


def expected_folds(run, dataset, method):
    """The number of folds, over all repetitions or seeds of tuning, that make a result complete."""
    return _used_folds(run, dataset) * run.repeats(dataset, method)


def grid_folds(run, dataset, method):
    """The same for the rows of a candidate."""
    return _used_folds(run, dataset) * run.side.grid_repeats(dataset, method)


def _used_folds(run, dataset):
    folds = 1 if run.datasets[dataset]["fixed"] else run.protocol["folds"]
    used = run.protocol["use_folds"]
    return folds if used is None else min(folds, used)
