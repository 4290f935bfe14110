"""What a run consists of: its data sets, methods, jobs, tables and figures.

The workflow asks here and holds no knowledge of its own; so do the stages that gather results.
Where the files lie is said by ``places``, how a stage is called by ``commands``.
"""

import copy
import os
from functools import cache, cached_property

from ..datasets import load_spec
from ..datasets.load import is_path
from ..evaluation.splits import tuning_seeds
from ..files.errors import PipelineError
from .ablations import Ablations
from .budget import repeats_together
from .compose import FILE_KEYS, compose_config, dataset_facts, file_facts, fix_set_by_hand
from .fingerprint import fingerprint
from .identity import chooses, job_config
from .image_jobs import ImageJobs
from .methods import all_methods, check_types, list_methods, read_method
from .overrides import has, key_of, put, slug, value_of
from .places import Places, Source
from .side_jobs import SideJobs

PER_JOB = ("dataset", "method", "repeat", "run", "data", "split", "out", "item")
TABLE_ENDS = ("json", "csv", "md", "tex")
FIGURE_ENDS = ("json", "csv", "svg", "pdf", "png")
OWN_JOBS = ("gap", "sweep")  # kinds of figures with jobs of their own, in a stage of that name


class Run:
    """One experiment with overrides; ``name`` is its folder in results/ and figures/."""

    def __init__(self, experiment="paper", overrides=(), root=""):
        self.overrides = [str(text) for text in overrides]
        self.choice = experiment
        self.name = slug(experiment, self.overrides)
        self.places = Places(self.name, root)
        self.for_methods = [o for o in self.overrides if key_of(o).startswith("method.")]
        for_images = [o for o in self.overrides if key_of(o).split(".")[0] == "matching"]
        self.for_files = [o for o in self.overrides if key_of(o) in FILE_KEYS]
        special = self.for_methods + for_images + self.for_files
        self.for_all = [o for o in self.overrides if o not in special]
        for text in self.for_all:
            if key_of(text).partition(".")[0] in PER_JOB:
                raise PipelineError(
                    f"override {text!r} is for one job; for a run use experiment.datasets=[…], "
                    "experiment.methods=[…] or protocol.…, and for its own files "
                    f"{', '.join(sorted(FILE_KEYS))}"
                )
        self.config = compose_config([f"experiment={experiment}", *self.for_all])
        self.experiment = self.config["experiment"]
        self.protocol = self.config["protocol"]
        self.method = cache(self._method)
        self._check_items()
        self.matches = ImageJobs(self)
        self.ablations = Ablations(self)
        self.side = SideJobs(self)

    def at(self, root):
        """The same run with its files below another folder."""
        other = copy.copy(self)
        other.places = Places(self.name, root)
        other.matches, other.ablations = ImageJobs(other), Ablations(other)
        other.side = SideJobs(other)
        return other

    # Data sets and methods ------------------------------------------------------------------

    @cached_property
    def datasets(self):
        """What conf says of each data set, by name, in the experiment's order."""
        found = {}
        for entry in self.experiment["datasets"]:
            facts = self._file_facts(entry) if is_path(entry) else _dataset_facts(entry)
            if facts["name"] in found:
                raise PipelineError(f"experiment.datasets has {facts['name']} twice")
            found[facts["name"]] = facts
        return found

    def _file_facts(self, path):
        """What is known of a file of one's own before it is read."""
        if not os.path.isfile(path):
            raise PipelineError(f"{path}: no such file; check experiment.datasets")
        options = {key_of(o).partition(".")[2]: value_of(o) for o in self.for_files}
        facts = file_facts(path, options)
        reading = {key: facts[key] for key in facts if key not in ("name", "path")}
        known = {"name": facts["name"], "path": path, "reading": reading}
        return {**known, "fixed": False, "shipped": True, "group": "own"}

    @cached_property
    def methods(self):
        """The configuration of each method, by name, overrides applied."""
        names = self.experiment["methods"]
        if names == "all":
            names = all_methods()
        if not isinstance(names, list):
            raise PipelineError(f"experiment.methods must be all or a list, got {names!r}")
        methods = {name: self.method(name) for name in names}
        for text in self.for_methods:
            key = key_of(text).partition(".")[2]
            if not any(has(method, key) for method in methods.values()):
                keys = sorted({k for method in methods.values() for k in method})
                raise PipelineError(f"unknown key method.{key}; keys are {', '.join(keys)}")
        return methods

    def _method(self, name):
        """The configuration of any method, those overrides applied whose keys it has."""
        method = read_method(name)
        for text in self.for_methods:
            key = key_of(text).partition(".")[2]
            if has(method, key):
                put(method, key, value_of(text))
        return fix_set_by_hand(check_types(method), self.overrides)

    def title(self, method):
        return self.method(method)["title"]

    def dataset_title(self, dataset):
        """A data set's name in tables and figures; that of a csv file is its file's."""
        return dataset if "path" in self.datasets[dataset] else load_spec(dataset).title

    def methods_titles(self):
        return {name: self.title(name) for name in list_methods()}

    def all_titles(self):
        """Titles of methods, data sets and image sets, by name."""
        data = {name: self.dataset_title(name) for name in self.datasets}
        images = {name: self.matches.facts(name)["title"] for name in self.matches.images()}
        return {**images, **data, **self.methods_titles()}

    def _check_items(self):
        for name, item in {**self.experiment["tables"], **self.experiment["figures"]}.items():
            dataset = item.get("dataset")
            if dataset and dataset not in self.datasets:
                self.datasets[dataset] = {**_dataset_facts(dataset), "extra": True}
            for method in item.get("methods", []):
                if method not in list_methods():
                    known = ", ".join(list_methods())
                    raise PipelineError(f"{name}: unknown method {method!r}; there are {known}")
            table = item.get("table")
            if item["kind"] == "curves" and table not in self.experiment["tables"]:
                known = ", ".join(self.experiment["tables"])
                raise PipelineError(f"{name}: unknown table {table!r}; there are {known}")

    def check(self):
        """Look everything up once, so that a mistake is found before anything runs."""
        self.ablations.check()
        return self.methods, self.datasets

    # Jobs -----------------------------------------------------------------------------------

    def repeats(self, dataset, method=None):
        """Repetitions on a data set, with a method.

        On a fixed split they are seeds of tuning; a method with nothing to choose has one.
        """
        facts = self.datasets[dataset]
        if not facts["fixed"]:
            return self.protocol["repeats"]
        if method is not None and not chooses(self.method(method), self.config["tuning"]):
            return 1
        return tuning_seeds(self.protocol, facts["n_train"])

    def batches(self, dataset, method=None):
        """The repetitions on a data set, with a method, as those of one job each: 0-4, 5-9."""
        return self.in_jobs(dataset, self.repeats(dataset, method))

    def in_jobs(self, dataset, count):
        """The first ``count`` repetitions on a data set as those of one job each."""
        size = repeats_together(self.datasets[dataset], self.experiment["repeats_per_job"])
        spans = [(first, min(first + size, count) - 1) for first in range(0, count, size)]
        return [f"{first}-{last}" if first < last else f"{first}" for first, last in spans]

    def jobs(self):
        """(data set, method, repetitions) of every training job, slow ones and quick ones mixed."""
        return [
            (dataset, method, batch)
            for dataset in self.main_datasets()
            for method in self.methods
            for batch in self.batches(dataset, method)
        ]

    def job_settings(self, dataset, method):
        """The configuration of the training jobs of a method on a data set."""
        facts = self.datasets[dataset]
        if "path" in facts:
            job_facts = file_facts(facts["path"], facts["reading"])
        else:
            job_facts = {key: facts[key] for key in ("name", "pca", "group", "content_hash")}
        own = {"run": self.name, "method": self.method(method), "dataset": job_facts}
        return {**self.config, **own}

    def job(self, dataset, method):
        """The part of the configuration that decides the rows of a job."""
        return job_config(self.job_settings(dataset, method))

    def split_settings(self):
        """The part of the configuration that decides the splits."""
        return {key: self.protocol[key] for key in ("repeats", "repeats_large", "folds", "seed")}

    def main_datasets(self):
        """Data sets of the experiment, without those that only a figure uses."""
        return [name for name, facts in self.datasets.items() if not facts.get("extra")]

    def group(self, group):
        """Data sets of a group: uci, digits, own, or ``all`` of them."""
        members = self.main_datasets()
        return [name for name in members if group in ("all", self.datasets[name]["group"])]

    def item_jobs(self, item):
        """Methods of the figure's own jobs; none for figures that have none."""
        figure = self.experiment["figures"][item]
        return figure["methods"] if figure["kind"] in OWN_JOBS else []

    def code(self, stage, *methods):
        """The fingerprint of a stage's source, with that of the methods' estimators."""
        estimators = [self.method(method)["estimator"].rpartition(".")[0] for method in methods]
        return fingerprint(f"metriclearn.stages.{stage}", *estimators)

    # Files of jobs, and what is made of them --------------------------------------------------

    def all_rows(self):
        """The rows of all training jobs."""
        return [self.places.train(*job) for job in self.jobs()]

    def groups(self):
        """Everything that is collected: groups of data sets, image sets, ablations."""
        own = [*self.matches.images(), *self.ablations.tables, *self.side.groups()]
        return [*self.data_groups(), *own]

    def data_groups(self):
        """The groups of the experiment's data sets."""
        return list(dict.fromkeys(self.datasets[name]["group"] for name in self.main_datasets()))

    def collected(self, group):
        """The files of a group by their kind; a group is one of data sets, an image set, an
        ablation table, or that of jobs beside training."""
        kinds = ["rows", "times"]
        if group in self.matches.images():
            kinds.append("curve")
        elif group in self.data_groups():
            kinds.append("data")
        return {kind: self.places.collected(group, kind) for kind in kinds}

    def all_collected(self):
        return [path for group in self.groups() for path in self.collected(group).values()]

    def gathered(self, group):
        """The collected files of a group, or of ``all`` groups of data sets: lists by kind."""
        names = self.data_groups() if group == "all" else [group]
        places = [self.collected(name) for name in names]
        return {kind: [place[kind] for place in places] for kind in places[0]} if places else {}

    def group_rows(self, group):
        """The rows of the jobs of a group of data sets, or beside training."""
        if group in self.side.groups():
            return self.side.group_rows(group)
        members = self.group(group)
        return [self.places.train(*job) for job in self.jobs() if job[0] in members]

    def sources(self, group):
        """Where the rows of a group lie, in their order."""
        if group in self.matches.images():
            jobs = [job for job in self.matches.jobs() if job[0] == group]
            return [Source("", self.places.match(*job), {}) for job in jobs]
        if group in self.ablations.tables:
            return self.ablations.sources(group)
        return [Source("", path, {}) for path in self.group_rows(group)]

    def source_files(self, group):
        return list(dict.fromkeys(source.file for source in self.sources(group)))

    def group_data(self, group):
        return [self.places.data(name) for name in self.group(group)]

    def group_splits(self, group):
        return [self.places.split(name) for name in self.group(group)]

    def item_rows(self, item):
        """The rows of a figure's own jobs."""
        kind = self.experiment["figures"][item]["kind"]
        return [self.places.item(kind, item, method) for method in self.item_jobs(item)]

    def item_data(self, item):
        return self.places.data(self.experiment["figures"][item]["dataset"])

    def item_split(self, item):
        return self.places.split(self.experiment["figures"][item]["dataset"])

    def item_config(self, item, method):
        """The configuration behind a figure's own job."""
        figure = self.experiment["figures"][item]
        return {"item": figure, "job": self.job(figure["dataset"], method)}

    def table(self, item):
        return [self.places.table(item, end) for end in TABLE_ENDS]

    def figure(self, item):
        return [self.places.figure(item, end) for end in FIGURE_ENDS]

    def report_parts(self):
        """What the report page shows: all tables and figures, and the rows they come from."""
        tables = [path for item in self.experiment["tables"] for path in self.table(item)]
        figures = [path for item in self.experiment["figures"] for path in self.figure(item)]
        return tables + figures + self.all_collected()

    def report_notes(self):
        """What the report page also shows if it is there."""
        paths = [self.places.results(name) for name in ("findings.md", "provenance.json")]
        return [path for path in paths if os.path.isfile(path)]

    def targets(self):
        return [*self.report_parts(), self.places.report()]


def _dataset_facts(name):
    spec = load_spec(name)
    facts = dataset_facts(spec, spec.pca)
    fixed = {"fixed": spec.split is not None, "n_train": (spec.split or {}).get("train")}
    return {**facts, **fixed, "shipped": spec.shipped is not None}
