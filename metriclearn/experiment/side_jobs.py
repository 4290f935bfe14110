"""The jobs beside training: grids scored on test parts, and fits that are timed alone.

Both are collected for each group of data sets, as uci_grid and uci_timing for the group uci.
"""

from .budget import is_quick
from .identity import job_config
from .paper_protocol import as_the_paper

KINDS = ("grid", "timing")


class SideJobs:
    """The grid jobs and the timing jobs of a run."""

    def __init__(self, run):
        self.run = run

    def wanted(self, kind):
        """Whether the experiment asks for jobs of a kind."""
        experiment = self.run.experiment
        return (
            experiment["timing"]["fits"] > 0
            if kind == "timing"
            else any(experiment["grid_repeats"].values())
        )

    def groups(self):
        """What is collected of them."""
        return [
            f"{group}_{kind}"
            for kind in KINDS
            if self.wanted(kind)
            for group in self.run.data_groups()
        ]

    def group_rows(self, name):
        """The rows of the jobs of such a group."""
        group, _, kind = name.rpartition("_")
        places, datasets = self.run.places, self.run.group(group)
        if kind == "timing":
            return [places.item("timing", dataset) for dataset in datasets]
        return [
            places.grid(dataset, method, batch)
            for dataset in datasets
            for method in self.run.methods
            for batch in self.run.in_jobs(dataset, self.grid_repeats(dataset, method))
        ]

    def grids(self, group):
        """The collected grids for a group of data sets, or for ``all``."""
        return {"grid": self._collected("grid", group, "rows")}

    def timings(self, group):
        """The same for the timed fits: their rows, and their seconds."""
        ends = {"timing_rows": "rows", "timing": "times"}
        return {kind: self._collected("timing", group, end) for kind, end in ends.items()}

    def _collected(self, kind, group, end):
        if not self.wanted(kind):
            return []
        members = self.run.data_groups() if group == "all" else [group]
        return [self.run.places.collected(f"{name}_{kind}", end) for name in members]

    def grid_repeats(self, dataset, method=None):
        """Repetitions of the grid of a method, or the least number of them.

        One where the split is fixed; where there is nothing to choose, as many as on small sets.
        """
        facts = self.run.datasets[dataset]
        if facts["fixed"]:
            return 1
        alone = method is not None and not self.run.method(method)["tune"]
        size = "small" if alone or is_quick(facts) else "large"
        return min(self.run.experiment["grid_repeats"][size], self.run.protocol["repeats"])

    def grid_job(self, dataset, method):
        """The part of the configuration that decides the rows of a grid job."""
        return job_config(as_the_paper(self.run.job_settings(dataset, method)))

    def timing_config(self, dataset):
        """The configuration behind a timing job: of each method, and how often it is fitted."""
        jobs = [self.run.job_settings(dataset, method) for method in self.run.methods]
        untuned = [job_config({**job, "tuning": {"kind": "none"}}) for job in jobs]
        return {"timing": self.run.experiment["timing"], "jobs": untuned}
