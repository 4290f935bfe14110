"""Where "similar" ends: a threshold on scores, chosen on labelled pairs.

A score is higher for more similar pairs; a pair counts as similar from the threshold up.
"""

import numpy as np

# Of the true and false positives at each threshold, and the numbers of both kinds: what to
# maximise. Counts, where a ratio would round, so that equally good thresholds are equal.
OBJECTIVES = {
    "accuracy": lambda tp, fp, positives, negatives: tp - fp,
    "balanced_accuracy": lambda tp, fp, positives, negatives: tp * negatives - fp * positives,
    "f1": lambda tp, fp, positives, negatives: 2.0 * tp / np.maximum(tp + fp + positives, 1.0),
    "true_positive_rate": lambda tp, fp, positives, negatives: tp,
}


def best_threshold(scores, same, objective="accuracy", max_false_positive_rate=None):
    """The threshold with the best objective on the given pairs, half-way between two scores.

    Only thresholds count that accept no more of the dissimilar pairs than the given rate. Of
    several equally good ones the highest is taken, which accepts the fewest pairs.
    """
    scores, same = finite(scores), np.asarray(same, dtype=bool)
    values, group = np.unique(-scores, return_inverse=True)
    values = -values  # falling
    tp, fp = (
        np.concatenate([[0.0], np.cumsum(np.bincount(group, weights=kind))])
        for kind in (same, ~same)
    )
    gain = OBJECTIVES[objective](tp, fp, tp[-1], fp[-1])
    if max_false_positive_rate is not None:
        rate = fp / np.maximum(fp[-1], 1.0)
        gain = np.where(rate <= max_false_positive_rate, gain, -np.inf)
    best = int(np.argmax(gain))
    if best == 0:
        return float(np.nextafter(values[0], np.inf))
    if best == len(values):
        return float(values[-1])
    between = 0.5 * (values[best - 1] + values[best])
    return float(values[best - 1] if between == values[best] else between)


def finite(scores):
    """Scores as numbers, or a ValueError."""
    scores = np.asarray(scores, dtype=float)
    if not np.isfinite(scores).all():
        raise ValueError("the learned metric is not finite.")
    return scores
