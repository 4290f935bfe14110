"""The learned matrix M itself."""

import numpy as np

from ._axes import COLOURS, GREY, learner_of, new_axes, tidy

_NAMED = 30  # features whose names fit beside a heat map


def plot_metric(model, *, feature_names=None, ax=None):
    """M as an ellipse if there are two features, as a heat map otherwise.

    The ellipse is what the metric sees at one distance from the origin: long where a difference
    counts little, short where it counts much. The circle of the same area, dashed, is how the
    Euclidean distance sees it. A metric of rank 1 has two lines in place of the ellipse.

    The heat map shows the entries of M, 0 in the middle of its colours.

    Parameters
    ----------
    model : fitted learner, or PairClassifier
        One with a matrix M, see ``get_mahalanobis_matrix``.
    feature_names : list of str or None
        None takes those of the fit, where it was given a table.
    ax : Axes or None
        None makes a new figure.

    Returns
    -------
    Axes
    """
    model = learner_of(model)
    M = model.get_mahalanobis_matrix()
    names = feature_names
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(len(M))])
    if len(names) != len(M):
        raise ValueError(f"feature_names has {len(names)} names, but the metric {len(M)} features.")
    ax = new_axes(ax)
    (_ellipse if len(M) == 2 else _heat_map)(ax, M, names)
    ax.set_title(f"{type(model).__name__}: M")
    return ax


def _ellipse(ax, M, names):
    w, U = np.linalg.eigh(M)
    if not w[-1] > 0.0:
        raise ValueError("M = 0: all distances are 0, there is nothing to draw.")
    radius = 1.0 / np.sqrt(np.maximum(w, 0.0) + 1e-6 * w[-1])  # rank 1: long enough for lines
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    flat = w[0] <= 1e-6 * w[-1]
    same = radius[1] if flat else np.sqrt(radius.prod())
    ax.plot(*(U @ (radius[:, None] * circle)), color=COLOURS[0], label="learned distance 1")
    ax.plot(
        *(same * circle),
        "--",
        color=GREY,
        label="Euclidean distance" if flat else "Euclidean, same area",
    )
    reach = 3.0 * same if flat else 1.15 * radius.max()
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, frameon=False)
    tidy(ax)


def _heat_map(ax, M, names):
    largest = np.abs(M).max()
    limits = {"vmin": -largest, "vmax": largest} if largest > 0.0 else {}
    image = ax.imshow(M, cmap="PuOr_r", **limits)
    ax.figure.colorbar(image, ax=ax, label="entry of M", shrink=0.85)
    if len(M) <= _NAMED:
        ax.set_xticks(range(len(M)), names, rotation=90)
        ax.set_yticks(range(len(M)), names)
