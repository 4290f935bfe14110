"""Mahalanobis metric learning with certified optima: PCML and NCML, and what they compare to.

Zuo, Wang, Zhang, Lin, Huang, Meng, Zhang: Iterated Support Vector Machines for Distance Metric
Learning.
"""

import sys
from importlib import import_module

if sys.argv[:1] == ["-m"]:  # so while Python looks for a stage, as in python -m metriclearn.train
    from ._arithmetic import pin

    pin()

__version__ = "0.1.0"

# Where the public names live; imported on first use, so that small jobs start fast.
_HOME = {
    "DMLEig": "dml_eig",
    "DoubletSVM": "doublet_svm",
    "DualityGap": "certificate",
    "Euclidean": "euclidean",
    "ITML": "itml",
    "KISSME": "kissme",
    "LDML": "ldml",
    "LMNN": "lmnn",
    "MCML": "mcml",
    "NCA": "nca",
    "NCML": "ncml",
    "PCML": "pcml",
    "PLML": "plml",
    "duality_gap": "certificate",
    "make_pairs": "pairs",
}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'metriclearn' has no attribute {name!r}")
    value = getattr(import_module(f"metriclearn.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOME})
