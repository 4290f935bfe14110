"""ROC and CMC: what is measured on scores and distances.

A score is higher for more similar pairs; a pair counts as similar from the threshold up.
"""

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from ..estimators.threshold import finite

FALSE_POSITIVE_RATES = np.linspace(0.0, 1.0, 201)
RANKS = np.arange(1, 101)


def accuracy(scores, same, threshold):
    """The part of the pairs that the threshold gets right."""
    return float(np.mean((finite(scores) >= threshold) == np.asarray(same, dtype=bool)))


def roc(scores, same):
    """False and true positive rates at every distinct score, from (0, 0) to (1, 1)."""
    fpr, tpr, _ = roc_curve(same, scores, drop_intermediate=False)
    return fpr, tpr


def roc_at(scores, same, rates=FALSE_POSITIVE_RATES):
    """True positive rates at given false positive rates, linear between the ROC's corners."""
    fpr, tpr = roc(scores, same)
    # At a vertical step the upper end counts: that rate is reached at no cost.
    last = np.searchsorted(fpr, rates, side="right") - 1
    following = np.minimum(last + 1, len(fpr) - 1)
    width = np.where(following > last, fpr[following] - fpr[last], 1.0)
    return tpr[last] + (rates - fpr[last]) / width * (tpr[following] - tpr[last])


def area(scores, same):
    """Area under the ROC curve: how often a similar pair scores above a dissimilar one."""
    return float(roc_auc_score(same, scores))


def equal_error_rate(scores, same):
    """Where the ROC curve has as many false positives as false negatives, as rates."""
    fpr, tpr = roc(scores, same)
    excess = fpr - (1.0 - tpr)  # rises from -1 to 1
    after = int(np.argmax(excess >= 0.0))
    before = after - 1
    part = -excess[before] / (excess[after] - excess[before])
    return float(fpr[before] + part * (fpr[after] - fpr[before]))


def ranks(distances, probe, gallery):
    """Rank of each probe's person among the persons of the gallery, from 1.

    ``distances`` is probes × gallery images, ``probe`` and ``gallery`` name the persons. A person
    is as far as the nearest of his or her gallery images. Persons at the same distance as the
    right one count as nearer, so a metric that tells nobody apart gets the last rank.
    """
    distances = np.asarray(distances, dtype=float)
    probe, gallery = np.asarray(probe), np.asarray(gallery)
    if distances.shape != (len(probe), len(gallery)):
        raise ValueError(
            f"distances must be {len(probe)} × {len(gallery)}, got shape {distances.shape}."
        )
    if not np.isfinite(distances).all():
        raise ValueError("the learned metric is not finite.")
    persons, column = np.unique(gallery, return_inverse=True)
    if missing := sorted(set(probe.tolist()) - set(persons.tolist())):
        raise ValueError(f"person {missing[0]} is a probe but not in the gallery.")
    nearest = np.full((len(probe), len(persons)), np.inf)
    for j, k in enumerate(column):
        np.minimum(nearest[:, k], distances[:, j], out=nearest[:, k])
    right = nearest[np.arange(len(probe)), np.searchsorted(persons, probe)]
    return np.sum(nearest <= right[:, None], axis=1)


def cmc(found, at=RANKS):
    """Cumulative matching characteristic: the part of the ranks up to each of ``at``."""
    return np.mean(np.asarray(found)[:, None] <= np.asarray(at), axis=0)


def mean_reciprocal_rank(found):
    """Mean of 1/rank: rank 1 counts most, but a near miss counts too."""
    return float(np.mean(1.0 / np.asarray(found)))
