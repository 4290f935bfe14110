"""What a matching job asks of a queue: minutes, and the group it is submitted with.

Persons are few (hundreds, in tens of dimensions), faces many: a job on persons takes a minute or
two, one on faces an hour where its method is slow.
"""

import math

from ..vision.spec import load_image_spec
from .budget import LARGE_MINUTES, SMALL_MINUTES, START_MINUTES

DATABASE_FOLDS = 10  # of LFW and PubFig


def is_small(images):
    """Whether the jobs of an image set take minutes."""
    return load_image_spec(images).task == "reidentification"


def match_minutes(images, matching, attempt=1):
    """Minutes for all folds: what the limit per fold allows, but an hour if small.

    A job that the queue stops is tried again (``attempt`` 2, 3, …) with as many times that.
    """
    small = is_small(images)
    minutes = SMALL_MINUTES if small else LARGE_MINUTES
    if matching["timeout"] is not None:
        folds = _folds(images, matching)
        bound = math.ceil(folds * matching["timeout"] / 60) + START_MINUTES
        minutes = min(minutes, bound) if small else bound
    return attempt * minutes


def match_group(images):
    """Jobs of small image sets are submitted several at a time; None: a job by itself."""
    return "match" if is_small(images) else None


def _folds(images, matching):
    spec = load_image_spec(images)
    if spec.task == "reidentification":
        folds = matching["partitions"]
    else:
        folds = (spec.simulate or {}).get("n_folds", DATABASE_FOLDS)
    return folds if matching["use_folds"] is None else min(folds, matching["use_folds"])
