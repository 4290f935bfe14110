"""What a run consists of: its data sets, methods and jobs, and where each result lies.

The workflow asks here and holds no knowledge of its own; so do the stages that gather results.
"""

import os
import shlex
from functools import cached_property

from ..analysis.compared import paper_tables
from ..analysis.error_rates import read_paper_rows
from ..datasets import load_spec
from ..datasets.load import _is_path
from ..files.errors import PipelineError
from .ablation_plan import AblationPlan
from .budget import is_small
from .compose import compose_config, dataset_facts, file_name, fix_set_by_hand
from .fingerprint import fingerprint
from .identity import digest, job_config
from .match_plan import MatchPlan, fetch_attempt
from .methods import all_methods, check_types, list_methods, read_method
from .overrides import has, key_of, put, slug, value_of

# Kinds of items that look at the paper's errors too.
BESIDE_THE_PAPER = ("headline", "statistics", "pairwise", "ranks", "claims")
PER_JOB = ("dataset", "method", "repeat", "run", "data", "split", "out", "item")


class Run:
    """One experiment with overrides; ``name`` is its folder in results/ and figures/."""

    def __init__(self, experiment="paper", overrides=()):
        self.overrides = [str(text) for text in overrides]
        self.choice = experiment
        self.name = slug(experiment, self.overrides)
        self.for_methods = [o for o in self.overrides if key_of(o).startswith("method.")]
        elsewhere = [o for o in self.overrides if key_of(o).split(".")[0] == "matching"]
        self._for_all = [o for o in self.overrides if o not in self.for_methods + elsewhere]
        for text in self._for_all:
            if key_of(text).partition(".")[0] in PER_JOB:
                raise PipelineError(
                    f"override {text!r} is for one job; for a run use experiment.datasets=[…], "
                    "experiment.methods=[…] or protocol.…"
                )
        self.config = compose_config([f"experiment={experiment}", *self._for_all])
        self.experiment = self.config["experiment"]
        self.protocol = self.config["protocol"]
        self._check_items()
        self.matches = MatchPlan(self)
        self.ablations = AblationPlan(self)

    @cached_property
    def datasets(self):
        """What conf says of each data set, by name, in the experiment's order."""
        found = {}
        for entry in self.experiment["datasets"]:
            if _is_path(entry):
                if not os.path.isfile(entry):
                    raise PipelineError(f"{entry}: no such file; check experiment.datasets")
                facts = {"name": file_name(entry), "path": entry}
                facts.update(fixed=False, shipped=True, group="own")
            else:
                spec = load_spec(entry)
                facts = dataset_facts(spec, spec.pca)
                facts.update(fixed=spec.split is not None, shipped=spec.shipped is not None)
            if facts["name"] in found:
                raise PipelineError(f"experiment.datasets has {facts['name']} twice")
            found[facts["name"]] = facts
        return found

    @cached_property
    def methods(self):
        """The configuration of each method, by name, overrides applied."""
        names = self.experiment["methods"]
        if names == "all":
            names = all_methods()
        if not isinstance(names, list):
            raise PipelineError(f"experiment.methods must be all or a list, got {names!r}")
        methods = {name: read_method(name) for name in names}
        for text in self.for_methods:
            key = key_of(text).partition(".")[2]
            takers = [name for name in methods if has(methods[name], key)]
            if not takers:
                keys = sorted({k for method in methods.values() for k in method})
                raise PipelineError(f"unknown key method.{key}; keys are {', '.join(keys)}")
            for name in takers:
                put(methods[name], key, value_of(text))
        return {
            name: fix_set_by_hand(check_types(method), self.overrides)
            for name, method in methods.items()
        }

    def _check_items(self):
        for name, item in {**self.experiment["tables"], **self.experiment["figures"]}.items():
            for dataset in [item["dataset"]] if item.get("dataset") else []:
                if dataset not in self.datasets:
                    self.datasets[dataset] = {**_extra_dataset(dataset), "extra": True}
            for method in item.get("methods", []):
                if method not in list_methods():
                    known = ", ".join(list_methods())
                    raise PipelineError(f"{name}: unknown method {method!r}; there are {known}")
            table = item.get("table")
            if item["kind"] == "curves" and table not in self.experiment["tables"]:
                known = ", ".join(self.experiment["tables"])
                raise PipelineError(f"{name}: unknown table {table!r}; there are {known}")

    # Jobs -----------------------------------------------------------------------------------

    def repeats(self, dataset):
        """Repetitions on a data set: one where the split is fixed."""
        return 1 if self.datasets[dataset]["fixed"] else self.protocol["repeats"]

    def batches(self, dataset, count):
        """The first ``count`` repetitions on a data set as those of one job each: 0-4, 5-9."""
        size = self.experiment["repeats_per_job"] if is_small(self.datasets[dataset]) else 1
        count = min(count, self.repeats(dataset))
        spans = [(first, min(first + size, count) - 1) for first in range(0, count, size)]
        return [f"{first}-{last}" if first < last else f"{first}" for first, last in spans]

    def jobs(self):
        """(data set, method, repetitions) of every training job, slow ones and quick ones mixed."""
        return [
            (dataset, method, batch)
            for dataset in self.main_datasets()
            for method in self.methods
            for batch in self.batches(dataset, self.repeats(dataset))
        ]

    def main_datasets(self):
        """Data sets of the experiment, without those that only a figure uses."""
        return [name for name, facts in self.datasets.items() if not facts.get("extra")]

    def job(self, dataset, method):
        """The part of the configuration that decides the rows of a job."""
        config = {**self.config, "method": self.method(method)}
        config["dataset"] = _job_facts(self.datasets[dataset])
        return job_config(config)

    def method(self, name):
        """The configuration of a method, overrides applied if it is one of the run's."""
        return self.methods[name] if name in self.methods else read_method(name)

    def title(self, method):
        return self.method(method)["title"]

    def dataset_title(self, dataset):
        """A data set's name in tables and figures; that of a csv file is its file's."""
        return dataset if "path" in self.datasets[dataset] else load_spec(dataset).title

    def methods_titles(self):
        return {name: self.title(name) for name in list_methods()}

    def code(self, stage, method=None):
        """The fingerprint of a stage's source, with that of the method's estimator."""
        estimator = [self.method(method)["estimator"].rpartition(".")[0]] if method else []
        return fingerprint(f"metriclearn.stages.{stage}", *estimator)

    def item_jobs(self, item):
        """Methods of the figure's own jobs (gap and sweep); none for the others."""
        figure = self.experiment["figures"][item]
        return figure["methods"] if figure["kind"] in ("gap", "sweep") else []

    # Places ---------------------------------------------------------------------------------

    def files(self, dataset):
        """The csv file of a data set of one's own, for the workflow to watch."""
        path = self.datasets[dataset].get("path") if dataset in self.datasets else None
        return [path] if path else []

    def rows(self, dataset, method, batch):
        return f"results/{self.name}/train/{dataset}/{method}/repeat{batch}.rows.csv"

    def all_rows(self):
        return [self.rows(*job) for job in self.jobs()]

    def collected(self, group):
        """The files of a group by their kind; a group is one of data sets, an image set, or an
        ablation table."""
        ends = ["rows", "times"]
        if group in self.matches.images():
            ends.append("curve")
        elif group not in self.ablations.tables:
            ends.append("data")
        return {end: f"results/{self.name}/{group}.{end}.csv" for end in ends}

    def groups(self):
        """Everything that is collected: groups of data sets, image sets, ablations."""
        data = dict.fromkeys(self.datasets[name]["group"] for name in self.main_datasets())
        return [*data, *self.matches.images(), *self.ablations.tables]

    def all_collected(self):
        return [path for group in self.groups() for path in self.collected(group).values()]

    def gathered(self, group):
        """The collected files of a group, or of ``all`` groups of data sets: lists by kind."""
        own = [*self.matches.images(), *self.ablations.tables]
        names = [name for name in self.groups() if name not in own] if group == "all" else [group]
        places = [self.collected(name) for name in names]
        return {end: [place[end] for place in places] for end in places[0]} if places else {}

    def group_rows(self, group):
        """The rows of the jobs of a group of data sets, or of an image set."""
        if group in self.matches.images():
            return [self.matches.rows(*job) for job in self.matches.jobs() if job[0] == group]
        members = self.group(group)
        return [self.rows(*job) for job in self.jobs() if job[0] in members]

    def item_rows(self, item):
        kind = self.experiment["figures"][item]["kind"]
        folder = f"results/{self.name}/{kind}/{item}"
        return [f"{folder}/{method}.rows.csv" for method in self.item_jobs(item)]

    def item_data(self, item):
        return f"results/data/{self.experiment['figures'][item]['dataset']}.npz"

    def item_split(self, item):
        return f"results/{self.name}/splits/{self.experiment['figures'][item]['dataset']}.npz"

    def group(self, group):
        """Data sets of a group: uci, digits, own, or ``all`` of them."""
        return [
            name for name in self.main_datasets() if group in ("all", self.datasets[name]["group"])
        ]

    def group_data(self, group):
        return [f"results/data/{name}.npz" for name in self.group(group)]

    def group_splits(self, group):
        return [f"results/{self.name}/splits/{name}.npz" for name in self.group(group)]

    def table_inputs(self, item):
        """The collected files that a table is made from: lists by kind."""
        entry = self.experiment["tables"][item]
        found = self.gathered(entry["images"] or entry["group"] or item)
        if entry["kind"] == "claims":
            found |= {name: [self.collected(name)["rows"]] for name in self.matches.images()}
        return found

    def figure_inputs(self, item):
        """The same for a figure; one with jobs of its own has rows only, and times."""
        entry = self.experiment["figures"][item]
        if entry["table"]:
            return self.table_inputs(entry["table"])
        if not (rows := self.item_rows(item)):
            return self.gathered(entry["group"])
        if entry["kind"] == "gap":
            return {"rows": rows}
        return {"rows": rows, "times": [path.replace(".rows.", ".times.") for path in rows]}

    def table(self, item):
        return [f"results/{self.name}/tables/{item}.{end}" for end in ("csv", "md", "tex")]

    def figure(self, item):
        return [f"figures/{self.name}/{item}.{end}" for end in ("csv", "svg", "pdf", "png")]

    def report(self):
        return f"results/{self.name}/report.html"

    def report_parts(self):
        """What the report page shows: all tables and figures, and the rows they come from."""
        tables = [path for item in self.experiment["tables"] for path in self.table(item)]
        figures = [path for item in self.experiment["figures"] for path in self.figure(item)]
        return tables + figures + self.all_collected()

    def report_notes(self):
        """What the report page also shows if it is there."""
        places = [f"results/{self.name}/{name}" for name in ("findings.md", "provenance.json")]
        return [path for path in places if os.path.isfile(path)]

    def targets(self):
        return [*self.report_parts(), self.report()]

    # What a result depends on --------------------------------------------------------------

    def split_config(self):
        return {key: self.protocol[key] for key in ("repeats", "folds", "seed")}

    def item_config(self, item, method):
        """The configuration behind a figure's own job."""
        figure = self.experiment["figures"][item]
        return {"item": figure, "job": self.job(figure["dataset"], method)}

    def table_config(self, item):
        entry = self.experiment["tables"][item]
        paper = read_paper_rows(entry["paper"]) if entry["paper"] else self._paper_errors(entry)
        return {"item": entry, "paper": digest(paper), "titles": self._titles()}

    def figure_config(self, item):
        entry = self.experiment["figures"][item]
        paper = self._paper_errors(entry)
        config = {"item": entry, "titles": self._titles()}
        return config if paper is None else {**config, "paper": digest(paper)}

    def _paper_errors(self, entry):
        """The paper's rows that a test of significance looks at; None for other items."""
        if entry["kind"] not in BESIDE_THE_PAPER:
            return None
        return [read_paper_rows(name) for name in paper_tables(self.experiment, entry)]

    def report_config(self):
        """The names on the report page, and the files that are no Python."""
        from ..presentation.page.assets import ASSETS, asset

        return {"titles": self.all_titles(), "assets": digest([asset(name) for name in ASSETS])}

    def all_titles(self):
        """Titles of methods, data sets and image sets, by name."""
        known = [name for name, facts in self.datasets.items() if "path" not in facts]
        data = {name: load_spec(name).title for name in known}
        images = {name: self.matches.facts(name)["title"] for name in self.matches.images()}
        return {**images, **data, **self.methods_titles()}

    def _titles(self):
        return {name: self.title(name) for name in self.methods}

    def memory(self, dataset):
        """Megabytes that a training job may need: the large sets have their n × n parts."""
        return 6000 if dataset in ("mnist", "letter", "usps", "usps_esl") else 2000

    def check(self):
        """Look everything up once, so that a mistake is found before anything runs."""
        for method in self.methods.values():
            check_types(method)
        return self.datasets

    # Command lines --------------------------------------------------------------------------

    def arguments(self, dataset=None, method=None):
        """The arguments that make a stage compose this run's configuration, quoted."""
        words = [f"experiment={self.choice}", f"run={self.name}"]
        if dataset is not None:
            path = self.datasets[dataset].get("path")
            words += ["dataset=file", f"dataset.path={path}"] if path else [f"dataset={dataset}"]
        if method is not None:
            words.append(f"method={method}")
            own = self.method(method)
            words += [o for o in self.for_methods if has(own, key_of(o).partition(".")[2])]
        return " ".join(map(shlex.quote, words + self._for_all))

    def item_arguments(self, item, method):
        return self.arguments(self.experiment["figures"][item]["dataset"], method)

    def command(self):
        """The arguments of the stages that gather results."""
        words = ["--experiment", self.choice]
        if self.overrides:
            words += ["--overrides", *self.overrides]
        return " ".join(map(shlex.quote, words))

    def item_command(self):
        """What makes {item} of this run again, for a terminal."""
        words = [] if self.choice == "paper" else [f"experiment={self.choice}"]
        words += [f"overrides=[{','.join(self.overrides)}]"] if self.overrides else []
        config = " ".join(["--config", *map(shlex.quote, words)]) if words else ""
        text = " ".join(filter(None, ["snakemake --cores 8", "\0", config]))
        return text.replace("{", "{{").replace("}", "}}").replace("\0", "{item}")

    def source(self, dataset):
        """What fetch is asked for: a name or a path."""
        return self.datasets[dataset].get("path") or dataset

    def attempt(self, dataset, strict=False):
        """A mark of the state in which fetching is tried; a new one asks for a new try."""
        if self.datasets[dataset]["shipped"]:
            return "shipped"
        return fetch_attempt(f"results/data/{dataset}.fetch.json", strict)


def _extra_dataset(name):
    spec = load_spec(name)
    facts = dataset_facts(spec, spec.pca)
    return {**facts, "fixed": spec.split is not None, "shipped": spec.shipped is not None}


def _job_facts(facts):
    return {
        k: facts[k]
        for k in ("name", "path", "pca", "group", "content_hash")
        if k in facts and not ("path" in facts and k == "group")
    }
