"""The types of a matching job's configuration: conf/match.yaml and conf/matching.

``matching.methods`` says what a method does differently here than in classification: its grid
(``tune``) and its arguments. A method without an entry keeps those of its own file.
"""

from dataclasses import dataclass, field
from typing import Any

from ..files.errors import PipelineError
from .compose import Root
from .config import check_at_least, check_choices, set_by_hand
from .identity import digest, estimator_label
from .methods import PAIR_KEYS, check_types, read_method

PREPROCESS = ("plain", "whiten", "whiten_unit", "chosen")


@dataclass
class MatchTuning:
    folds: int = 3
    use_folds: int | None = 1
    max_pairs: int | None = None


@dataclass
class Matching:
    preprocess: str = "chosen"
    ridge: float = 0.0
    pca: Any = "paper"
    use_folds: int | None = None
    partitions: int = 10
    probe: str = "paper"
    negatives: int = 1
    max_similar: int | None = None
    seed: int = 0
    timeout: float | None = None
    threads: int = 1
    tuning: MatchTuning = field(default_factory=MatchTuning)
    methods: dict[str, Any] = field(default_factory=dict)


@dataclass
class MatchConfig:
    images: Any = None
    feature: str | None = None
    method: Any = None
    matching: Matching = field(default_factory=Matching)
    run: str = "matching"
    data: Any = None
    out: str | None = None


CHOICES = {
    "matching.preprocess": PREPROCESS,
    "matching.probe": ("paper", "camera", "image"),
}
AT_LEAST = {
    "matching.ridge": 0,
    "matching.use_folds": 1,
    "matching.partitions": 1,
    "matching.negatives": 1,
    "matching.max_similar": 1,
    "matching.seed": 0,
    "matching.threads": 1,
    "matching.tuning.use_folds": 1,
    "matching.tuning.max_pairs": 2,
}


def match_plain(config, overrides=()):
    """A composed matching configuration, checked, with the facts of its image set and method."""
    from ..vision.spec import load_image_spec

    by_hand = set_by_hand(overrides)
    matching = config["matching"]
    here = matching.pop("methods")
    config["method"] = match_method(config["method"], here, by_hand)
    check_choices(config, CHOICES)
    check_at_least(config, AT_LEAST)
    pca = matching["pca"]
    if pca not in ("paper", "none") and not (type(pca) is int and pca >= 1):
        raise PipelineError(f"matching.pca must be paper, none or a dimension >= 1, got {pca!r}")
    tuning = matching["tuning"]
    if tuning["folds"] < 2 and tuning["folds"] != 0:
        raise PipelineError(
            f"matching.tuning.folds must be at least 2, or 0 for no tuning, got {tuning['folds']!r}"
        )
    if tuning["use_folds"] is not None and tuning["use_folds"] > tuning["folds"] > 0:
        raise PipelineError(
            f"matching.tuning.use_folds must be at most matching.tuning.folds "
            f"({tuning['folds']}), got {tuning['use_folds']}"
        )
    if matching["preprocess"] == "chosen" and tuning["folds"] == 0:
        raise PipelineError(
            "matching.preprocess=chosen needs matching.tuning.folds; give plain, whiten or "
            "whiten_unit for a run without tuning"
        )
    spec = load_image_spec(config["images"]["name"])
    config["feature"] = spec.feature(config["feature"])
    config["images"] = image_facts(spec, config["feature"], pca)
    return config


def match_method(method, here, by_hand):
    """The method's file, then what ``matching.methods`` says, then what was set by hand."""
    name = method["name"]
    base = read_method(name)
    own = dict(here.get(name) or {})
    tune = own.pop("tune", None)
    if "method.tune" in {".".join(key.split(".")[:2]) for key in by_hand} or tune is None:
        tune = {
            key: v
            for key, v in method["tune"].items()
            if key not in PAIR_KEYS or (key in base and not base["pairs"])
        }
    changes = {key: value for key, value in own.items() if f"method.{key}" not in by_hand}
    tune = {key: values for key, values in tune.items() if f"method.{key}" not in by_hand}
    return check_types({**base, **method, **changes, "tune": tune})


def image_facts(spec, feature, pca="paper"):
    """What a job needs to know about an image set: the parts of its feature, their dimensions."""
    parts = list(spec.combines(feature))
    dimensions = [
        None if pca == "none" else spec.features[part]["pca"] if pca == "paper" else pca
        for part in parts
    ]
    return {"name": spec.name, "task": spec.task, "parts": parts, "pca": dimensions}


def match_job(config):
    """The part of a configuration that decides a job's rows."""
    not_in_ids = ("title", "colour", "pairs")
    method = {key: v for key, v in config["method"].items() if key not in not_in_ids}
    method["estimator"] = estimator_label(method["estimator"])
    matching = dict(config["matching"])
    if not matching["tuning"]["folds"]:
        method["tune"] = {}
    if config["images"]["task"] == "verification":
        for key in ("partitions", "probe", "negatives", "max_similar"):
            del matching[key]
    return {
        "images": config["images"],
        "feature": config["feature"],
        "method": method,
        "matching": matching,
    }


def match_id(config):
    """Ten hex digits that differ whenever ``match_job`` does."""
    return digest(match_job(config))


def register():
    """Make the schema known to Hydra."""
    from hydra.core.config_store import ConfigStore

    ConfigStore.instance().store(name="match_schema", node=MatchConfig)


MATCHING = Root("match", register, match_plain)
