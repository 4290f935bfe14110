"""What a job's result depends on, a short name for it, and how rows are named.

Published rows carry these names: what goes into one must stay as it is, key by key.
"""

import hashlib
import json

# Facts of a method's file that decide no row. What `matching` changes is in the method already.
SHOWN = ("title", "matching", "colour")
COUNTS = ("repeats", "repeats_large")  # how many repetitions there are: no row depends on it


def job_config(config):
    """The part of a configuration that decides the rows of a classification job."""
    method, tuning = _method(config, "in_all"), config["tuning"]
    if not chooses(method, tuning):
        method, tuning = _untuned(method), {"kind": "none"}
    part = {
        "dataset": {key: v for key, v in config["dataset"].items() if key != "path"},
        "method": method,
        "protocol": {key: v for key, v in config["protocol"].items() if key not in COUNTS},
        "tuning": tuning,
    }
    if method["pairs"]:
        part["pairs"] = config["pairs"]
    return part


def match_job(config):
    """The part of a configuration that decides the rows of a matching job."""
    method, matching = _method(config, "pairs"), dict(config["matching"])
    method.pop("tune_samples")
    if not matching["tuning"]["folds"]:
        method = _untuned(method)
    if config["images"]["task"] == "verification":
        for key in ("partitions", "probe", "negatives", "max_similar"):
            del matching[key]
    return {
        "images": config["images"],
        "feature": config["feature"],
        "method": method,
        "matching": matching,
    }


def chooses(method, tuning):
    """Whether tuning has something to choose for a method on a data set."""
    return tuning["kind"] != "none" and bool(method["tune"])


def _untuned(method):
    """A method without what only tuning reads."""
    kept = {key: value for key, value in method.items() if key not in ("extend", "tune_samples")}
    return {**kept, "tune": {}}


def _method(config, *without):
    method = {key: v for key, v in config["method"].items() if key not in (*SHOWN, *without)}
    # As it was before the learners had a folder of their own.
    method["estimator"] = method["estimator"].replace("metriclearn.estimators.", "metriclearn.")
    return method


def config_id(config):
    """Ten hex digits that differ whenever ``job_config`` does."""
    return digest(job_config(config))


def match_id(config):
    """Ten hex digits that differ whenever ``match_job`` does."""
    return digest(match_job(config))


def job_columns(config):
    """The columns that all rows of a classification job share."""
    return {
        "experiment": config["run"],
        "dataset": config["dataset"]["name"],
        "method": config["method"]["name"],
        "config": config_id(config),
    }


def match_columns(config):
    """The columns that all rows of a matching job share."""
    return {
        "experiment": config["run"],
        "images": config["images"]["name"],
        "feature": config["feature"],
        "method": config["method"]["name"],
        "preprocess": config["matching"]["preprocess"],
        "config": match_id(config),
    }


def digest(value):
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:10]
