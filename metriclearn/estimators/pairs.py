"""Pairwise constraints from labelled samples ("Construction of pairwise constraints", section 3.4).

Each sample gives pairs with its k nearest samples of its own class (similar) and with k samples
of other classes (dissimilar): the nearest ones by default, which is what reproduces the paper's
numbers, the farthest ones as its text says, or random ones. Of very many samples some, the
anchors, can give pairs for all.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils import check_random_state

from .base import check_choice, check_number
from .neighbors import class_neighbors

__all__ = ["make_pairs"]

DISSIMILAR = ("nearest", "farthest", "random")
_BLOCK = 1 << 16  # pairs whose samples are compared at once


@dataclass(frozen=True)
class Pairs:
    """Pairs as rows of indices, with what had to be left out."""

    index: np.ndarray  # (n_pairs, 2) rows of X
    y: np.ndarray  # +1 similar, -1 dissimilar
    n_singletons: int  # samples alone in their class: no similar pair
    n_short: int  # samples with fewer than k, but some, candidates of one kind
    n_zero: int  # pairs of identical samples, dropped


def make_pairs(X, y, *, k=1, dissimilar="nearest", n_anchors=None, random_state=None):
    """Pairs of labelled samples; exact, the same on every run, ties to the smaller index.

    Similar pairs come first, each kind in the order of the samples.

    Parameters
    ----------
    X : array (n, d)
        Samples.
    y : array (n,)
        Their classes.
    k : int, default 1
        Neighbours of each kind per sample.
    dissimilar : {"nearest", "farthest", "random"}, default "nearest"
        Which samples of other classes make the dissimilar pairs.
    n_anchors : int or None, default None
        At most so many samples, drawn from the classes in proportion, give pairs; their
        neighbours are still found among all samples. None is all samples.
    random_state : int, RandomState or None
        For the anchors and for random pairs.

    Returns
    -------
    Pairs
        With ``index``, the pairs as rows of X, (n_pairs, 2); ``y``, +1 similar or -1
        dissimilar; and ``n_singletons``, ``n_short``, ``n_zero``: what was left out.
    """
    check_pair_parameters(k, dissimilar, n_anchors)
    classes, y = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"pairs need at least 2 classes, got one class only: {classes[0]!r}.")
    rng = check_random_state(random_state)
    anchors = draw_anchors(y, n_anchors, rng)
    same, other = class_neighbors(X, y, k, farthest=dissimilar == "farthest", anchors=anchors)
    if dissimilar == "random":
        other = _at(anchors, _random_others(y, k, rng))
    pairs = assemble(same, other, lambda i, j: _differ(X, i, j), k, anchors)
    if pairs.n_zero and len(np.unique(pairs.y)) < 2:
        # Only identical samples met: use each sample once.
        _, first = np.unique(np.column_stack([X, y]), axis=0, return_index=True)
        if len(first) < len(X):
            first.sort()
            _say("every pair of one kind is of identical samples: each sample is used once.")
            options = {"dissimilar": dissimilar, "n_anchors": n_anchors}
            distinct = make_pairs(X[first], y[first], k=k, random_state=random_state, **options)
            return replace(distinct, index=first[distinct.index], n_zero=pairs.n_zero)
    return pairs


def check_pair_parameters(k, dissimilar, n_anchors=None):
    check_number("k", k, at_least=1, integer=True)
    check_choice("dissimilar", dissimilar, DISSIMILAR)
    if n_anchors is not None:
        check_number("n_anchors", n_anchors, at_least=1, integer=True)


def draw_anchors(y, n_anchors, rng):
    """Indices of the samples that give pairs, each class's share to within one; None is all."""
    n = len(y)
    if n_anchors is None or n_anchors >= n:
        return None
    shuffled = rng.permutation(n)
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    return np.sort(by_class[np.arange(n_anchors) * n // n_anchors])


def _at(anchors, rows):
    return rows if anchors is None else rows[anchors]


def _differ(X, i, j):
    """Which pairs of samples are not identical, without a copy of all their features at once."""
    parts = [slice(start, start + _BLOCK) for start in range(0, len(i), _BLOCK)]
    return np.concatenate([(X[i[part]] != X[j[part]]).any(axis=1) for part in parts])


def assemble(same, other, differ, k, anchors=None):
    """Index arrays of neighbours to ``Pairs``; ``differ(i, j)`` marks the pairs worth keeping."""
    indices, signs = [], []
    for neighbors, label in ((same, 1.0), (other, -1.0)):
        i, column = np.nonzero(neighbors >= 0)
        indices.append(
            np.column_stack([i if anchors is None else anchors[i], neighbors[i, column]])
        )
        signs.append(np.full(len(i), label))
    index, labels = np.concatenate(indices), np.concatenate(signs)
    keep = differ(index[:, 0], index[:, 1])
    alone = same[:, 0] < 0
    short = (same[:, -1] < 0) & ~alone | (other[:, -1] < 0)
    pairs = Pairs(
        index[keep],
        labels[keep],
        int(alone.sum()),
        int(short.sum()),
        int(len(keep) - keep.sum()),
    )
    _warn(pairs, k)
    return pairs


def _warn(pairs, k):
    if pairs.n_singletons:
        _say(f"{pairs.n_singletons} samples are alone in their class and give no similar pair.")
    if pairs.n_short:
        _say(f"{pairs.n_short} samples have fewer than k={k} candidates and give what there is.")
    if pairs.n_zero:
        _say(f"{pairs.n_zero} pairs of identical samples were dropped.")


def _say(message):
    warnings.warn(message, UserWarning, stacklevel=5)


def _random_others(y, k, rng):
    """k distinct samples of other classes for each sample, or all where there are fewer."""
    order = np.argsort(y, kind="stable")
    first = np.searchsorted(y[order], y, side="left")
    size = np.searchsorted(y[order], y, side="right") - first
    n_others = len(y) - size
    draw = np.full((len(y), k), -1)
    few = n_others <= k
    for i in np.flatnonzero(few):
        draw[i, : n_others[i]] = np.arange(n_others[i])
    todo = np.flatnonzero(~few)
    while len(todo):
        draw[todo] = rng.randint(0, n_others[todo][:, None], size=(len(todo), k))
        ordered = np.sort(draw[todo], axis=1)
        todo = todo[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
    position = draw + np.where(draw >= first[:, None], size[:, None], 0)
    return np.where(draw < 0, -1, order[position])


def rank_pairs(squared, y, apart, *, k, dissimilar, n_anchors, random_state):
    """The same pairs from a matrix of squared distances, if above ``apart``, for kernels."""
    y = np.unique(y, return_inverse=True)[1]
    if y.max() == 0:
        raise ValueError("pairs need at least 2 classes, got one class only.")
    rng = check_random_state(random_state)
    anchors = draw_anchors(y, n_anchors, rng)
    alike = y[:, None] == y
    np.fill_diagonal(alike, False)
    same = _ranked(squared, alike, k)
    if dissimilar == "random":
        other = _random_others(y, k, rng)
    else:
        sign = -1.0 if dissimilar == "farthest" else 1.0
        other = _ranked(sign * squared, y[:, None] != y, k)
    same, other = _at(anchors, same), _at(anchors, other)
    return assemble(same, other, lambda i, j: squared[i, j] > apart, k, anchors)


def _ranked(values, allowed, k):
    values = np.where(allowed, values, np.inf)
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    chosen = np.take_along_axis(values, order, axis=1)
    result = np.full((len(values), k), -1)
    result[:, : order.shape[1]] = np.where(np.isfinite(chosen), order, -1)
    return result
