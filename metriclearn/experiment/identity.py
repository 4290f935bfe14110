"""What a job's result depends on, and a short name for it."""

import hashlib
import json


def job_config(config):
    """The part of a configuration that decides a job's rows, the method's own facts aside."""
    not_in_ids = ("title", "colour", "in_all")
    method = {key: v for key, v in config["method"].items() if key not in not_in_ids}
    method["estimator"] = estimator_label(method["estimator"])
    tuning = config["tuning"]
    if tuning["kind"] == "none" or not method["tune"]:
        method, tuning = {**method, "tune": {}}, {"kind": "none"}
    part = {
        "dataset": {key: v for key, v in config["dataset"].items() if key != "path"},
        "method": method,
        "protocol": {key: v for key, v in config["protocol"].items() if key != "repeats"},
        "tuning": tuning,
    }
    if method["pairs"]:
        part["pairs"] = config["pairs"]
    return part


def estimator_label(path):
    """How ids name an estimator: without the folder of the learners, as its first place was."""
    return path.replace("metriclearn.estimators.", "metriclearn.")


def config_id(config):
    """Ten hex digits that differ whenever ``job_config`` does."""
    return digest(job_config(config))


def digest(value):
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:10]
