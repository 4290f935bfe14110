"""Verification: true against false positives."""

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from ._axes import COLOURS, GREY, learner_of, new_axes, tidy


def plot_roc(model, pairs, y, *, label=None, ax=None):
    """ROC curve of labelled pairs, with the threshold in use marked where there is one.

    Draw another model on the returned Axes to compare the two.

    Parameters
    ----------
    model : fitted PairClassifier, or learner
        The threshold is that of the PairClassifier, or the learner's own ``threshold_``.
    pairs : array (n, 2, d), or index pairs for a PairClassifier with ``samples``
    y : array (n,)
        1 for similar pairs, -1 or 0 for dissimilar ones.
    label : str or None
        In the legend; None is the name of the learner.
    ax : Axes or None
        None makes a new figure.

    Returns
    -------
    Axes
    """
    similar = np.asarray(y) == 1
    marked = hasattr(model, "decision_function") or hasattr(model, "threshold_")
    if hasattr(model, "decision_function"):
        scores = model.decision_function(pairs)
    else:
        scores = model.decision_pairs(pairs) if marked else model.pair_score(pairs)
    fpr, tpr, _ = roc_curve(similar, scores)
    label = type(learner_of(model)).__name__ if label is None else label
    label = f"{label}, area {roc_auc_score(similar, scores):.3f}"
    first = ax is None
    ax = new_axes(ax)
    if first or not ax.lines:
        ax.plot([0, 1], [0, 1], ":", color=GREY, linewidth=1)
    colour = COLOURS[(len(ax.lines) - 1) % len(COLOURS)]
    ax.plot(fpr, tpr, color=colour, label=label)
    if marked:
        said = scores >= 0.0
        point = (np.mean(said[~similar]), np.mean(said[similar]))
        at = f"threshold: {point[1]:.2f} at {point[0]:.2f}"
        ax.scatter(*point, color=colour, s=70, zorder=3, edgecolors="white", label=at)
    ax.set(xlabel="false positive rate", ylabel="true positive rate")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.legend(loc="lower right", frameon=False)
    tidy(ax)
    return ax
