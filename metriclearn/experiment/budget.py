"""What a training job asks of a queue: minutes, and the group it is submitted with.

On one machine neither matters: there the protocol's time limit per fold holds.
"""

import math
import os

from ..datasets import load_spec
from .config import repetitions

SMALL_VALUES = 100_000  # samples × features
SMALL_BYTES = 1 << 20
SMALL_MINUTES = 60
LARGE_MINUTES = 24 * 60
MANY_SAMPLES = 9_000
SMALL_MEMORY, LARGE_MEMORY = 2000, 6000  # megabytes
START_MINUTES = 10  # Python's start, reading, and a fold that notices its limit late


def is_small(facts):
    """Whether a repetition takes seconds to a few minutes; ``facts`` are of ``Run.datasets``."""
    if "path" in facts:
        return os.path.getsize(facts["path"]) <= SMALL_BYTES
    spec = load_spec(facts["name"])
    return spec.n_samples * spec.n_features <= SMALL_VALUES


def train_minutes(facts, protocol, batch, attempt=1):
    """Minutes for one job, with its repetitions: what the limit per fold allows, an hour if small.

    A job that the queue stops is tried again (``attempt`` 2, 3, …) with as many times that.
    """
    small = is_small(facts)
    minutes = SMALL_MINUTES if small else LARGE_MINUTES
    if protocol["timeout"] is not None:
        folds = 1 if facts["fixed"] else protocol["use_folds"] or protocol["folds"]
        folds *= len(repetitions(batch))
        bound = math.ceil(folds * protocol["timeout"] / 60) + START_MINUTES
        minutes = min(minutes, bound) if small else bound
    return attempt * minutes


def train_group(facts):
    """Jobs of small data sets are submitted many at a time; None: a job by itself."""
    return "train" if is_small(facts) else None


def train_memory(facts):
    """Megabytes that a training job may need: methods on many samples have n × n parts."""
    if "path" in facts:
        return SMALL_MEMORY
    return SMALL_MEMORY if load_spec(facts["name"]).n_samples <= MANY_SAMPLES else LARGE_MEMORY
