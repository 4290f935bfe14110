"""What a job asks of a queue: minutes, and the group it is submitted with.

On one machine neither matters: there the time limit per fold holds.
"""

import math
import os

from ..datasets import load_spec
from .config import preprocessings

SMALL_VALUES = 100_000  # samples × features
QUICK = 0.2  # of a small data set: all candidates of a method on a repetition take seconds
SMALL_BYTES = 1 << 20
SMALL_MINUTES = 60
LARGE_MINUTES = 24 * 60
MANY_SAMPLES = 9_000
SMALL_MEMORY, LARGE_MEMORY = 2000, 6000  # megabytes
START_MINUTES = 10  # Python's start, reading, and a fold that notices its limit late
DATABASE_FOLDS = 10  # of LFW and PubFig


def is_small(facts):
    """Whether a repetition takes seconds to a few minutes; ``facts`` are of ``Run.datasets``."""
    return _times_small(facts) <= 1


def is_quick(facts):
    """Whether every candidate can be scored on all repetitions in a minute or two."""
    return _times_small(facts) <= QUICK


def repeats_together(facts, most):
    """Repetitions in one job: ``most`` on small data sets, in proportion fewer on larger ones."""
    return max(1, int(most / max(1, _times_small(facts))))


def _times_small(facts):
    """How many times larger a data set is than the largest that is small."""
    if "path" in facts:
        return os.path.getsize(facts["path"]) / SMALL_BYTES
    spec = load_spec(facts["name"])
    return spec.n_samples * spec.n_features / SMALL_VALUES


def is_small_set(images):
    """Whether all folds of an image set take minutes.

    Persons are few (hundreds, in tens of dimensions), faces many: a job on persons takes a minute
    or two, one on faces an hour where its method is slow.
    """
    return _image_spec(images).task == "reidentification"


def train_minutes(facts, protocol, count, attempt=1):
    """Minutes for a training job with ``count`` repetitions."""
    folds = 1 if facts["fixed"] else protocol["use_folds"] or protocol["folds"]
    return minutes(is_small(facts), count * folds, protocol["timeout"], attempt)


def grid_minutes(facts, protocol, method, count, attempt=1):
    """Minutes for a grid job, whose limit per fold holds for each candidate."""
    candidates = math.prod(len(values) for values in method["tune"].values())
    limit = protocol["timeout"]
    longer = {**protocol, "timeout": None if limit is None else limit * candidates}
    return train_minutes(facts, longer, count, attempt)


def match_minutes(images, matching, attempt=1):
    """Minutes for a matching job with its preprocessings and its folds or partitions."""
    spec = _image_spec(images)
    if spec.task == "reidentification":
        folds = matching["partitions"]
    else:
        folds = (spec.simulate or {}).get("n_folds", DATABASE_FOLDS)
    if matching["use_folds"] is not None:
        folds = min(folds, matching["use_folds"])
    folds *= len(preprocessings(matching["preprocess"]))
    return minutes(is_small_set(images), folds, matching["timeout"], attempt)


def minutes(small, folds, timeout, attempt=1):
    """What the limit per fold (in seconds) allows, but an hour if small; a day without a limit.

    A job that the queue stops is tried again (``attempt`` 2, 3, …) with as many times that.
    """
    bound = SMALL_MINUTES if small else LARGE_MINUTES
    if timeout is not None:
        allowed = math.ceil(folds * timeout / 60) + START_MINUTES
        bound = min(bound, allowed) if small else allowed
    return attempt * bound


def train_group(facts):
    """Jobs of small data sets are submitted many at a time; None: a job by itself."""
    return "train" if is_small(facts) else None


def train_memory(facts):
    """Megabytes that a training job may need: methods on many samples have n × n parts."""
    if "path" in facts:
        return SMALL_MEMORY
    return SMALL_MEMORY if load_spec(facts["name"]).n_samples <= MANY_SAMPLES else LARGE_MEMORY


def match_group(images):
    """The same for image sets."""
    return "match" if is_small_set(images) else None


def _image_spec(images):
    from ..vision.spec import load_image_spec

    return load_image_spec(images)
