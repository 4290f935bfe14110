"""Samples in two dimensions, before and after."""

from itertools import cycle

import numpy as np
from sklearn.decomposition import PCA

from ._axes import COLOURS, MARKERS, learner_of, new_axes, tidy

_LISTED = 14  # classes in one legend
_TITLES = ("Euclidean distance", "learned distance")


def plot_embedding(model, X, y=None, *, ax=None):
    """Samples under the Euclidean distance and under the learned one, side by side.

    Where there are more than two features, or columns of ``transform``, the picture shows the
    first two principal components: the plane that keeps most of the distances. Distances within
    a picture compare, those in different pictures don't.

    Parameters
    ----------
    model : fitted learner, or PairClassifier
        One with ``transform``.
    X : array (n, d)
        Samples.
    y : array (n,) or None
        Their classes, for the colours.
    ax : two Axes or None
        None makes a new figure.

    Returns
    -------
    array of two Axes
    """
    model = learner_of(model)
    after = np.asarray(model.transform(X))
    axes = np.asarray(new_axes(ax, 2, figsize=(8.4, 4.0)), dtype=object).ravel()
    if len(axes) != 2:
        raise ValueError(f"plot_embedding draws on two Axes, got {len(axes)}.")
    y = np.zeros(len(after)) if y is None else np.asarray(y)
    classes = np.unique(y)
    size = float(np.clip(10_000.0 / len(y), 8.0, 28.0))
    titles = (_TITLES[0], f"{type(model).__name__}: {_TITLES[1]}")
    for panel, Z, title in zip(axes, (np.asarray(X, dtype=float), after), titles):
        Z, kind = _in_the_plane(Z)
        for label, colour, marker in zip(classes, cycle(COLOURS), cycle(MARKERS)):
            some = Z[y == label]
            panel.scatter(
                *some.T, s=size, color=colour, marker=marker, alpha=0.75, linewidths=0, label=label
            )
        panel.set(title=title, xlabel=f"{kind} 1", ylabel=f"{kind} 2")
        panel.set_aspect("equal", adjustable="datalim")
        tidy(panel)
    if 1 < len(classes) <= _LISTED:
        axes[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return axes


def _in_the_plane(Z):
    """Two columns, and what they are."""
    if Z.shape[1] > 2:
        return PCA(2, svd_solver="full").fit_transform(Z), "principal component"
    return np.column_stack([Z, np.zeros((len(Z), 2 - Z.shape[1]))]), "dimension"
