"""The part of a run that asks how much each choice matters: tables of variants, and of stopping.

A variant is the run itself with further overrides. Its fits are made once: where they change
nothing for a method the run's own training jobs have the rows, where an earlier table has the same
overrides that table's jobs. A table's jobs, one for each data set, make the rest. A table of the
kind ``stopping`` has a job for each data set and method.
"""

from typing import NamedTuple

from ..files.errors import PipelineError
from .config import repetitions
from .places import Source

KINDS = ("variants", "stopping")


class Fit(NamedTuple):
    """A method on a data set in a variant of a table: its name there, and what it overrides."""

    label: str
    overrides: tuple[str, ...]
    dataset: str
    method: str


class Ablations:
    """The jobs of a run's ablation tables."""

    def __init__(self, run):
        self.run = run
        self.tables = {
            name: item for name, item in run.experiment["tables"].items() if item["kind"] in KINDS
        }
        self._runs = {(): run}
        for name, item in self.tables.items():
            self._check(name, item)

    def _check(self, name, item):
        for key in ("datasets", "methods"):
            if not item[key]:
                raise PipelineError(f"{name}: a table of the kind {item['kind']} needs {key}")
        if item["kind"] == "variants" and (
            not item["variants"] or len(item["variants"]) * len(item["methods"]) < 2
        ):
            raise PipelineError(
                f"{name}: a table of the kind variants needs at least 2 variants, or one and "
                "2 methods"
            )
        for dataset in item["datasets"]:
            if dataset not in self.run.datasets:
                known = ", ".join(self.run.datasets)
                raise PipelineError(f"{name}: unknown data set {dataset!r}; the run has {known}")

    def check(self):
        """Compose every variant, so that a mistake is found before anything runs."""
        for item in self.tables.values():
            for overrides in item["variants"].values():
                self.variant(overrides)

    # Variants -------------------------------------------------------------------------------

    def variant(self, overrides):
        """The run with further overrides; without any, the run itself."""
        key = tuple(overrides)
        if key not in self._runs:
            changed = [*self.run.overrides, *key]
            self._runs[key] = type(self.run)(self.run.choice, changed, self.run.places.root)
        return self._runs[key]

    def fits(self, name):
        """The fits of a table of the kind variants, in the order of its rows."""
        item = self.tables[name]
        return [
            Fit(label, tuple(overrides), dataset, method)
            for label, overrides in item["variants"].items()
            for dataset in item["datasets"]
            for method in item["methods"]
        ]

    def own_fits(self, name, dataset):
        """(variant, method) of what the job of a table on a data set makes."""
        own = [
            (fit.overrides, fit.method)
            for fit in self.fits(name)
            if fit.dataset == dataset and not self._in_run(fit) and self._maker(name, fit) == name
        ]
        return [(self.variant(overrides), method) for overrides, method in dict.fromkeys(own)]

    def _in_run(self, fit):
        """Whether the run's own training jobs have the rows of a fit."""
        run, variant = self.run, self.variant(fit.overrides)
        return (
            fit.dataset in run.main_datasets()
            and fit.method in run.methods
            and variant.repeats(fit.dataset, fit.method) == run.repeats(fit.dataset, fit.method)
            and variant.job(fit.dataset, fit.method) == run.job(fit.dataset, fit.method)
        )

    def _maker(self, name, fit):
        """The first table that has a fit, with all its repetitions."""
        return next(
            other
            for other, item in self.tables.items()
            if list(fit.overrides) in item["variants"].values()
            and fit.dataset in item["datasets"]
            and fit.method in item["methods"]
            and item["repeats"] >= self.tables[name]["repeats"]
        )

    # Files ----------------------------------------------------------------------------------

    def sources(self, name):
        """Where the rows of a table lie, in their order."""
        item = self.tables[name]
        if item["kind"] == "stopping":
            return [
                Source("", self.stopping_rows(name, dataset, method), {})
                for dataset in item["datasets"]
                for method in item["methods"]
            ]
        return [source for fit in self.fits(name) for source in self._sources(name, fit)]

    def _sources(self, name, fit):
        if self._in_run(fit):
            batches = self.run.batches(fit.dataset, fit.method)
            wanted = [b for b in batches if repetitions(b)[0] < self.tables[name]["repeats"]]
            files = [self.run.places.train(fit.dataset, fit.method, batch) for batch in wanted]
            maker = self.run
        else:
            files = [self.variants_rows(self._maker(name, fit), fit.dataset)]
            maker = self.variant(fit.overrides)
        chosen = {"experiment": maker.name, "method": fit.method}
        return [Source(fit.label, file, chosen) for file in files]

    def variants_rows(self, name, dataset):
        return self.run.places.item("variants", name, dataset)

    def stopping_rows(self, name, dataset, method):
        return self.run.places.item("stopping", name, dataset, method)

    # What jobs depend on --------------------------------------------------------------------

    def variants_config(self, name, dataset):
        """The configurations behind the job of a table of the kind variants on a data set."""
        return {
            "repeats": self.tables[name]["repeats"],
            "jobs": [
                [variant.name, variant.protocol["repeats"], variant.job(dataset, method)]
                for variant, method in self.own_fits(name, dataset)
            ],
        }

    def stopping_config(self, name, dataset, method):
        """The configuration behind a job of a table of the kind stopping."""
        item = {k: self.tables[name][k] for k in ("C", "k", "max_iter", "samples")}
        return {"item": item, "job": self.run.job(dataset, method)}

    def repetitions(self, name, dataset):
        """How many repetitions the fits of the job of a table on a data set have together."""
        count = self.tables[name]["repeats"]
        own = self.own_fits(name, dataset)
        return sum(min(count, variant.repeats(dataset)) for variant, _ in own)

    def code(self, name, dataset):
        """The fingerprint of the source that the job of a table of the kind variants runs."""
        methods = [method for _, method in self.own_fits(name, dataset)]
        return self.run.code("variants", *dict.fromkeys(methods))
