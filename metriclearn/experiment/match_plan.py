"""The part of a run that compares images: faces (Tables 6 and 7) and persons (Tables 8 and 9).

A table of the kind ``matching`` names an image set, features, methods and preprocessings; each
combination is one job. A figure of the kind ``curves`` draws the curves of a table's jobs.
"""

import json
import shlex
from functools import cache
from pathlib import Path

from ..files.errors import PipelineError
from .compose import compose_config
from .identity import match_job
from .matching import image_facts, matching_job
from .overrides import has, key_of

ENDS = ("rows", "times", "curve")


class MatchPlan:
    """Jobs, places and command lines of a run's matching tables."""

    def __init__(self, run):
        self.run = run
        self.tables = {
            name: item
            for name, item in run.experiment["tables"].items()
            if item["kind"] == "matching"
        }
        self.overrides = [o for o in run.overrides if key_of(o).split(".")[0] == "matching"]
        self.compose = cache(self._compose)
        for name, item in self.tables.items():
            self._check(name, item)

    def _check(self, name, item):
        from ..vision.spec import load_image_spec

        if not item["images"]:
            raise PipelineError(f"{name}: a table of the kind matching needs images")
        spec = load_image_spec(item["images"])
        for feature in item["features"]:
            image_facts(spec, feature)

    # Jobs -----------------------------------------------------------------------------------

    def jobs(self, *names):
        """(images, feature, preprocess, method) of the jobs of the tables, each once."""
        return list(
            dict.fromkeys(
                (item["images"], feature, preprocess, method)
                for name, item in self.tables.items()
                if not names or name in names
                for feature in item["features"]
                for preprocess in item["preprocess"]
                for method in item["methods"]
            )
        )

    def images(self):
        return list(dict.fromkeys(item["images"] for item in self.tables.values()))

    def _compose(self, method):
        """The configuration of any job of a method: composing one for each would take minutes."""
        some = next(job for job in self.jobs() if job[-1] == method)
        return compose_config(self._words(*some), job=matching_job)

    def job(self, images, feature, preprocess, method):
        """The part of the configuration that decides the rows of a job."""
        from ..vision.spec import load_image_spec

        config = self.compose(method)
        matching = {**config["matching"], "preprocess": preprocess}
        facts = image_facts(load_image_spec(images), feature, matching["pca"])
        return match_job({**config, "images": facts, "feature": feature, "matching": matching})

    def code(self, method):
        return self.run.code("match", method)

    # Places ---------------------------------------------------------------------------------

    def features(self, images, feature):
        """The extracted features behind a feature: several where it is a combination."""
        from ..vision.spec import load_image_spec

        parts = load_image_spec(images).combines(feature)
        return [f"results/images/{images}-{part}.npz" for part in parts]

    def rows(self, images, feature, preprocess, method):
        folder = f"results/{self.run.name}/match/{images}-{feature}/{preprocess}"
        return f"{folder}/{method}.rows.csv"

    def all_rows(self, *names):
        return [self.rows(*job) for job in self.jobs(*names)]

    # Command lines --------------------------------------------------------------------------

    def _words(self, images, feature, preprocess, method):
        words = [
            f"experiment={self.run.choice}",
            f"images={images}",
            f"feature={feature}",
            f"method={method}",
            f"run={self.run.name}",
        ]
        own = self.run.method(method)
        words += [o for o in self.run.for_methods if has(own, key_of(o).partition(".")[2])]
        return [*words, *self.overrides, f"matching.preprocess={preprocess}"]

    def arguments(self, *job):
        """What makes metriclearn match do this job, quoted."""
        data = ",".join(self.features(*job[:2]))
        words = [*self._words(*job), f"data=[{data}]"]
        return " ".join(map(shlex.quote, words))

    def facts(self, images):
        """What the table needs to know about an image set."""
        from ..vision.spec import load_image_spec

        spec = load_image_spec(images)
        return {"title": spec.title, "task": spec.task, "simulated": spec.simulated}

    def attempt(self, images, strict=False):
        """A mark of the state in which fetching is tried; see ``Run.attempt``."""
        return fetch_attempt(f"results/images/{images}.fetch.json", strict)


def fetch_attempt(note_path, strict):
    """The mark of a data set's note while it is there, else one of the state of the sources.

    So one that could not be had is tried again when the sources have changed, or when the run has
    become strict, and one that is there is not.
    """
    from ..files.resources import mirror_dir, offline
    from .identity import digest

    now = digest([str(mirror_dir()), offline(), bool(strict)])
    try:
        note = json.loads(Path(note_path).read_text("utf-8"))
    except (OSError, ValueError):
        return now
    parts = [note, *note.get("features", {}).values()]
    return note["attempt"] if all(part["status"] == "ok" for part in parts) else now
