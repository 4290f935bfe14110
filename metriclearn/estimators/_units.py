"""Samples in units of their own size, so that what is computed from them stays in range.

Units are powers of two: going there and back rounds nothing, and a model that does not depend on
the scale of the data gives the same digits on any.
"""

import numpy as np

from .base import factor


def power_of_two(size):
    """The power of two at or below each size, 1 for a size of 0."""
    size = np.asarray(size)
    return np.where(size > 0.0, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)


def in_units(X):
    """X, shifted and divided feature by feature, and the units; constant features become 0."""
    X = X - middle(X)
    return centred(*scaled(X))


def middle(X):
    """Half way between the least and the largest value; exact for a constant feature."""
    return 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0)


def scaled(delta):
    """Differences divided feature by feature, and the units."""
    size = np.abs(delta).max(axis=0)
    unit = power_of_two(size)
    if size.any():  # a feature that is 0 has no unit of its own
        unit = np.where(size > 0.0, unit, unit[size > 0.0].max())
    return delta / unit, unit


def centred(X, unit):
    return X - X.mean(axis=0), unit


def metric_factor(M, unit):
    """L with L^T L the metric M in the units of the data, or a ValueError out of range."""
    largest = unit.max()
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        M = M / (unit / largest)[:, None] / (unit / largest)
        return in_range((factor(M) if np.isfinite(M).all() else M) / largest)


def in_range(L):
    if not np.isfinite(L).all():
        raise ValueError("the metric leaves the range of floating point numbers: scale the data.")
    return L
