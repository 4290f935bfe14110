"""What a job's result depends on, and a short name for it."""

import hashlib
import json
import zlib

import numpy as np


def job_config(config):
    """The part of a configuration that decides a job's rows, the method's own facts aside."""
    method = {key: v for key, v in config["method"].items() if key not in ("title", "in_all")}
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


def config_id(config):
    """Ten hex digits that differ whenever ``job_config`` does."""
    return digest(job_config(config))


def digest(value):
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def fold_seed(seed, name, repeat, fold):
    """The seed of one fold of a data set, the same for every method."""
    sequence = np.random.SeedSequence([seed, zlib.crc32(name.encode()), repeat, fold])
    return int(sequence.generate_state(1)[0] >> 1)
