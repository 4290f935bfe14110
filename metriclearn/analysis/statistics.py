"""Tests of whether classifiers differ: over many data sets (Demšar 2006), and on the folds of one.

Errors over data sets are an array with one row per data set and one column per method; lower is
better. References: J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets",
JMLR 7 (2006); C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
52 (2003).
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from .ranks import average_ranks

ALPHA = 0.05
# With five data sets even five wins out of five have p = 2 / 2^5 > 0.05 in the signed-rank test.
MIN_DATASETS = 6
MIN_METHODS = 3
DECIMALS = 9  # differences of printed numbers tie, whatever binary fractions make of them


class SignedRanks(NamedTuple):
    plus: float
    minus: float
    p: float


def mean_ranks(errors):
    """The average rank of each method; see ``ranks``."""
    return average_ranks(pd.DataFrame(errors)).to_numpy()


def friedman(errors):
    """Friedman's chi-square, corrected for ties, and its p: do any of the methods differ?"""
    errors = np.asarray(errors, float)
    if (errors == errors[:, :1]).all():
        return 0.0, 1.0  # ties alone; the correction would divide by zero
    result = stats.friedmanchisquare(*errors.T)
    return float(result.statistic), float(result.pvalue)


def iman_davenport(chi_square, n_datasets, n_methods):
    """The less conservative F that follows from Friedman's chi-square, and its p."""
    degrees = n_methods - 1
    left = n_datasets * degrees - chi_square
    if left <= 1e-9 * n_datasets * degrees:
        return float("inf"), 0.0  # the same order on every data set
    value = (n_datasets - 1) * chi_square / left
    return value, float(stats.f.sf(value, degrees, degrees * (n_datasets - 1)))


def critical_difference(n_datasets, n_methods, alpha=ALPHA):
    """Nemenyi: average ranks that are this far apart differ."""
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * _rank_deviation(n_datasets, n_methods))


def nemenyi(ranks, n_datasets):
    """The p of each pair of average ranks, adjusted for all pairs; a symmetric matrix."""
    ranks = np.asarray(ranks, float)
    distance = abs(ranks[:, None] - ranks) / _rank_deviation(n_datasets, len(ranks))
    return stats.studentized_range.sf(np.sqrt(2.0) * distance, len(ranks), np.inf)


def _rank_deviation(n_datasets, n_methods):
    return np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets))


def cliques(ranks, difference):
    """The largest groups of methods whose average ranks lie within ``difference``, best first."""
    order = [int(i) for i in np.argsort(ranks, kind="stable")]
    found, reached = [], 0
    for start, best in enumerate(order):
        end = max(j for j in range(start, len(order)) if ranks[order[j]] - ranks[best] < difference)
        if end > start and end + 1 > reached:
            found.append(tuple(order[start : end + 1]))
            reached = end + 1
    return found


def signed_ranks(differences):
    """Wilcoxon's signed-rank test of paired differences, two-sided and exact, ties or not.

    Zeros are ranked, and their ranks go to both sides in halves, as Demšar does. scipy has the
    exact distribution only without ties, and errors with two decimals do tie.
    """
    differences = np.round(np.asarray(differences, float), DECIMALS)
    ranks = stats.rankdata(abs(differences))
    shared = ranks[differences == 0.0].sum() / 2.0
    plus = ranks[differences > 0.0].sum()
    minus = ranks[differences < 0.0].sum()
    # How many choices of signs give each sum of ranks; doubled ranks are whole numbers.
    choices = np.ones(1)
    for rank in np.rint(2.0 * ranks[differences != 0.0]).astype(int):
        choices = np.append(choices, np.zeros(rank)) + np.append(np.zeros(rank), choices)
    tail = choices[: int(np.rint(2.0 * min(plus, minus))) + 1].sum() / choices.sum()
    return SignedRanks(float(plus + shared), float(minus + shared), float(min(1.0, 2.0 * tail)))


def holm(p):
    """Holm's adjusted p of a family of tests."""
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def corrected_t(differences, test_to_train):
    """The corrected resampled t-test of Nadeau and Bengio, and its two-sided p.

    ``differences`` are those of two methods on the same J folds. Training parts overlap, so the
    variance of their mean is taken as (1/J + n_test/n_train) times that of one difference.
    """
    differences = np.asarray(differences, float)
    folds = len(differences)
    if folds < 2:
        raise ValueError(f"corrected_t needs at least 2 differences, got {folds}")
    mean, variance = differences.mean(), differences.var(ddof=1)
    if variance == 0.0:
        return (0.0, 1.0) if mean == 0.0 else (float(np.copysign(np.inf, mean)), 0.0)
    t = mean / np.sqrt((1.0 / folds + test_to_train) * variance)
    return float(t), float(2.0 * stats.t.sf(abs(t), folds - 1))
