"""Parameters chosen by test errors, as the paper seems to have done it.

From rows with every candidate on every fold (stage ``grid``): for each data set and method the one
candidate with the lowest mean test error, and that error. It is too low by as much as the choice
fits the test samples, the more so the larger the grid.
"""

import json
from dataclasses import dataclass

import pandas as pd

from .error_rates import Mean, complete, mean_rates

DECIMALS = 9  # means of the same errors tie, whatever binary fractions make of them


@dataclass(frozen=True)
class Chosen:
    """A candidate, its mean error, and how many there were."""

    candidate: dict
    mean: Mean
    candidates: int


def candidate_errors(rows):
    """A frame with a row per data set, method and candidate, in the order of the grid: ``mean``."""
    means = mean_rates(rows, ("dataset", "method", "candidate"))
    found = [(*key, mean) for key, mean in means.items()]
    return pd.DataFrame(found, columns=["dataset", "method", "candidate", "mean"])


def choose_by_test(rows):
    """``{(dataset, method): Chosen}``; the first of the grid where several are equally good.

    A candidate that failed on a fold is out; where all did, the first one says why.
    """
    chosen = {}
    for key, part in candidate_errors(rows).groupby(["dataset", "method"], sort=False):
        errors = [_error(mean) for mean in part["mean"]]
        best = part.iloc[errors.index(min(errors))]
        candidate = json.loads(best["candidate"] or "{}")
        chosen[key] = Chosen(candidate, best["mean"], len(part))
    return chosen


def nearest_to(rows, values):
    """``{(dataset, method): (candidate, its mean error)}``, the nearest to each of the values."""
    found = {}
    own = [row for row in rows if (row["dataset"], row["method"]) in values]
    for key, part in candidate_errors(own).groupby(["dataset", "method"], sort=False):
        complete = {c: m.value for c, m in zip(part["candidate"], part["mean"], strict=True)}
        known = {c: value for c, value in complete.items() if value is not None}
        if known:
            nearest = min(known, key=lambda c: round(abs(known[c] - values[key]), DECIMALS))
            found[key] = nearest, known[nearest]
    return found


def _error(mean):
    return float("inf") if mean.value is None else round(mean.value, DECIMALS)


def summarise_by_test(rows, datasets, methods, expected):
    """``{dataset: {method: Mean}}`` of the chosen candidates, as ``error_rates.summarise``."""
    means = {key: one.mean for key, one in choose_by_test(rows).items()}
    return complete(means, datasets, methods, expected)
