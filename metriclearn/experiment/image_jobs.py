"""The part of a run that compares images: faces (Tables 6 and 7) and persons (Tables 8 and 9).

A table of the kind ``matching`` names an image set, features, methods and preprocessings. A job is
of one feature and method with all the preprocessings that tables ask for. A figure of the kind
``curves`` draws the curves of a table's jobs.
"""

from functools import cache

from ..files.errors import PipelineError
from ..vision.spec import load_image_spec
from .compose import compose_config
from .config import PREPROCESS
from .identity import match_job
from .matching import image_facts, matching_job
from .overrides import has, key_of


class ImageJobs:
    """The jobs of a run's matching tables."""

    def __init__(self, run):
        self.run = run
        self.tables = {
            name: item
            for name, item in run.experiment["tables"].items()
            if item["kind"] == "matching"
        }
        self.compose = cache(self._compose)
        for name, item in self.tables.items():
            self._check(name, item)

    def _check(self, name, item):
        if not item["images"]:
            raise PipelineError(f"{name}: a table of the kind matching needs images")
        spec = load_image_spec(item["images"])
        for feature in item["features"]:
            image_facts(spec, feature)

    # Jobs -----------------------------------------------------------------------------------

    def jobs(self, *names):
        """(images, feature, method) of the jobs of the tables, each once."""
        return list(
            dict.fromkeys(
                (item["images"], feature, method)
                for name, item in self.tables.items()
                if not names or name in names
                for feature in item["features"]
                for method in item["methods"]
            )
        )

    def preprocess(self, *job):
        """The preprocessings that the tables want of a job, as ``matching.preprocess`` has them."""
        wanted = [
            kind
            for item in self.tables.values()
            if job[0] == item["images"] and job[1] in item["features"] and job[2] in item["methods"]
            for kind in item["preprocess"]
        ]
        return "+".join(kind for kind in PREPROCESS if kind in wanted)

    def images(self):
        return list(dict.fromkeys(item["images"] for item in self.tables.values()))

    def _compose(self, method):
        """The configuration of any job of a method: composing one for each would take minutes."""
        some = next(job for job in self.jobs() if job[-1] == method)
        return compose_config(match_words(self.run, *some), job=matching_job)

    def job(self, images, feature, method):
        """The part of the configuration that decides the rows of a job."""
        config, preprocess = self.compose(method), self.preprocess(images, feature, method)
        matching = {**config["matching"], "preprocess": preprocess}
        facts = image_facts(load_image_spec(images), feature, matching["pca"])
        return match_job({**config, "images": facts, "feature": feature, "matching": matching})

    def all_rows(self):
        return [self.run.places.match(*job) for job in self.jobs()]

    def features(self, images, feature):
        """The extracted features behind a feature: several where it is a combination."""
        parts = load_image_spec(images).combines(feature)
        return [self.run.places.features(images, part) for part in parts]

    def facts(self, images):
        """What tables and figures need to know about an image set."""
        spec = load_image_spec(images)
        return {"title": spec.title, "task": spec.task, "simulated": spec.simulated}

    def title(self, item):
        """What a matching table is about: its image set, and its own title if it has one."""
        return "; ".join(filter(None, [load_image_spec(item["images"]).title, item["title"]]))


def match_words(run, images, feature, method):
    """The settings of one matching job, as on the command line."""
    own = run.method(method)
    return [
        f"experiment={run.choice}",
        f"images={images}",
        f"feature={feature}",
        f"method={method}",
        f"run={run.name}",
        *[o for o in run.for_methods if has(own, key_of(o).partition(".")[2])],
        *[o for o in run.overrides if key_of(o).split(".")[0] == "matching"],
        f"matching.preprocess={run.matches.preprocess(images, feature, method)}",
    ]
