"""The estimator that a method's file describes."""

import importlib
import inspect

from ..files.errors import PipelineError, one_line
from .sklearn_import import load_sklearn

# Keys of a method's file that are no arguments of its constructor.
FACTS = (
    "name",
    "title",
    "estimator",
    "pairs",
    "max_train",
    "tune_samples",
    "in_all",
    "tune",
    "extend",
    "matching",
    "colour",
)


def arguments(method):
    """The keys that go to the constructor."""
    return [key for key in method if key not in FACTS]


def load_estimator(method):
    """The estimator's class; a PipelineError if it is not there."""
    module, _, name = method["estimator"].rpartition(".")
    load_sklearn()
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise PipelineError(
            f"conf/method/{method['name']}.yaml: cannot import {method['estimator']}: "
            f"{one_line(error)}"
        ) from error


def make_estimator(method, pairs, seed, changes=None):
    """An unfitted estimator with the method's arguments, ``changes`` applied."""
    kind = load_estimator(method)
    values = {key: method[key] for key in arguments(method)}
    if method["pairs"]:
        values.update(pairs)
    values.update(changes or {})
    known = inspect.signature(kind).parameters
    for key in values:
        if key not in known:
            raise PipelineError(
                f"conf/method/{method['name']}.yaml: {method['estimator']} has no argument "
                f"{key!r}; it has {', '.join(known) or 'none'}"
            )
    if "random_state" in known:
        values["random_state"] = seed
    return kind(**values)
