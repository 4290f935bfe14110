"""What a training job asks of a queue: minutes, and the group it is submitted with.

On one machine neither matters: there the protocol's time limit per fold holds.
"""

import math
import os

from ..datasets import load_spec

SMALL_SAMPLES = 3000
SMALL_BYTES = 1 << 20
SMALL_MINUTES = 60
LARGE_MINUTES = 24 * 60
START_MINUTES = 10  # Python's start, reading, and a fold that notices its limit late


def is_small(facts):
    """Whether the jobs of a data set take minutes; ``facts`` are those of ``Run.datasets``."""
    if "path" in facts:
        return os.path.getsize(facts["path"]) <= SMALL_BYTES
    return load_spec(facts["name"]).n_samples <= SMALL_SAMPLES


def train_minutes(facts, protocol, attempt=1):
    """Minutes for one repetition: all that the limit per fold allows, but an hour if small.

    A job that the queue stops is tried again (``attempt`` 2, 3, …) with as many times that.
    """
    small = is_small(facts)
    minutes = SMALL_MINUTES if small else LARGE_MINUTES
    if protocol["timeout"] is not None:
        folds = 1 if facts["fixed"] else protocol["use_folds"] or protocol["folds"]
        bound = math.ceil(folds * protocol["timeout"] / 60) + START_MINUTES
        minutes = min(minutes, bound) if small else bound
    return attempt * minutes


def train_group(facts):
    """Jobs of small data sets are submitted many at a time; None: a job by itself."""
    return "train" if is_small(facts) else None
