"""Mahalanobis metric learning with certified optima: PCML and NCML, and what they compare to.

Zuo, Wang, Zhang, Lin, Huang, Meng, Zhang: Iterated Support Vector Machines for Distance Metric
Learning.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

__version__ = "0.2.0"


@cache
def _homes():
    """Public names and their modules: the ``__all__`` of every module of ``estimators``.

    Read from the text, so that nothing is imported before it is used and small jobs start fast.
    """
    found = {}
    for path in sorted(Path(__file__).with_name("estimators").glob("[a-z]*.py")):
        if listed := re.search(r"^__all__ = \[(.*?)\]", path.read_text("utf-8"), re.M | re.S):
            for name in re.findall(r'"(\w+)"', listed[1]):
                found[name] = f"{__name__}.estimators.{path.stem}"
    return found


def __getattr__(name):
    if name == "__all__":
        return sorted(_homes())
    if name.startswith("_") or name not in _homes():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_homes()[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_homes()})
