"""The part of a run that asks how much each choice matters: tables of variants, and of stopping.

A variant is the run itself with further overrides, in the folder that these would give it, so its
jobs are ordinary training jobs. A table of the kind ``stopping`` has jobs of its own.
"""

from functools import cached_property

from ..files.errors import PipelineError
from .config import repetitions
from .overrides import slug

KINDS = ("variants", "stopping")


class Ablations:
    """The jobs of a run's ablation tables."""

    def __init__(self, run):
        self.run = run
        self.tables = {
            name: item for name, item in run.experiment["tables"].items() if item["kind"] in KINDS
        }
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

    @cached_property
    def runs(self):
        """The run of every variant, by the name of its folder; the run itself is not among them."""
        found = {}
        for item in self.tables.values():
            for overrides in item["variants"].values():
                if overrides:
                    changed = [*self.run.overrides, *overrides]
                    run = type(self.run)(self.run.choice, changed, self.run.places.root)
                    found[run.name] = run
        return found

    def _variants(self, item):
        """label -> run."""
        names = {
            label: slug(self.run.choice, [*self.run.overrides, *overrides])
            for label, overrides in item["variants"].items()
        }
        return {label: self.runs.get(name, self.run) for label, name in names.items()}

    def jobs(self, name):
        """(label, place of the rows) of every job of a table; a label is a variant's name."""
        item = self.tables[name]
        if item["kind"] == "stopping":
            return [
                ("", self.stopping_rows(name, dataset, method))
                for dataset in item["datasets"]
                for method in item["methods"]
            ]
        return [
            (label, run.places.train(dataset, method, batch))
            for label, run in self._variants(item).items()
            for dataset in item["datasets"]
            for method in item["methods"]
            for batch in self._batches(run, dataset, method, item["repeats"])
        ]

    def _batches(self, run, dataset, method, count):
        """The jobs that have the first repetitions; those of the run's own tables may have more."""
        if run is self.run and method in run.methods:
            batches = run.batches(dataset, run.repeats(dataset, method))
            return [batch for batch in batches if repetitions(batch)[0] < count]
        return run.batches(dataset, min(count, run.repeats(dataset, method)))

    def stopping_rows(self, name, dataset, method):
        return self.run.places.item("stopping", name, dataset, method)

    def stopping_config(self, name, dataset, method):
        """The configuration behind a job of a table of the kind stopping."""
        item = {k: self.tables[name][k] for k in ("C", "k", "max_iter", "samples")}
        return {"item": item, "job": self.run.job(dataset, method)}

    def rows(self, name):
        """The rows of the jobs of a table."""
        return [path for _, path in self.jobs(name)]
