"""How a fit came to its certified optimum."""

import numpy as np

from ._axes import COLOURS, GREY, learner_of, new_axes, tidy


def plot_gap(model, *, label=None, ax=None):
    """The relative duality gap of a fit after each iteration, and the ``tol`` it stopped at.

    The gap bounds how far the objective is above its optimum. Draw another model on the returned
    Axes to compare the two.

    Parameters
    ----------
    model : fitted PCML, NCML, DoubletSVM, or LMNN with ``tol``; or PairClassifier with one
    label : str or None
        In the legend; None is the name of the learner.
    ax : Axes or None
        None makes a new figure.

    Returns
    -------
    Axes
    """
    model = learner_of(model)
    iteration, primal, dual = _history(model)
    gap = np.maximum((primal - dual) / primal, np.finfo(float).eps)  # rounding can make it 0
    ax = new_axes(ax)
    drawn = ax.get_legend_handles_labels()[1]
    colour = COLOURS[sum(not text.startswith("tol") for text in drawn) % len(COLOURS)]
    name = type(model).__name__ if label is None else label
    ax.semilogy(iteration, gap, marker="o", markersize=4, color=colour, label=name)
    if (tol := f"tol = {model.tol:g}") not in drawn:
        ax.axhline(model.tol, linestyle="--", linewidth=1, color=GREY, label=tol)
    ax.set(xlabel="iteration", ylabel="relative duality gap")
    ax.legend(loc="upper right", frameon=False)
    tidy(ax)
    return ax


def _history(model):
    """Iterations, objective and bound of a learner that records them."""
    history = getattr(model, "history_", None)
    name = type(model).__name__
    if not isinstance(history, dict):
        raise ValueError(f"{name} records no duality gap: PCML, NCML, DoubletSVM and LMNN do.")
    if "primal" in history:
        return np.arange(1, len(history["primal"]) + 1), history["primal"], history["dual"]
    if model.tol is None:
        raise ValueError(f"{name}(tol=None) stops early, without a duality gap: set tol.")
    return history["n_iter"], history["objective"], history["dual"]
