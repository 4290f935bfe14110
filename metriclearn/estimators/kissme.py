"""KISSME: keep it simple and straightforward metric (Koestinger et al., CVPR 2012)."""

import warnings

import numpy as np
from scipy.linalg import eigh

from .base import SupervisedMetricLearner, check_choice, check_number, factor
from .pairs import DISSIMILAR, make_pairs

__all__ = ["KISSME"]


class KISSME(SupervisedMetricLearner):
    """Likelihood ratio of two zero-mean Gaussians on differences, in closed form::

        S_s = mean of (x_i-x_j)(x_i-x_j)^T over similar pairs,  S_d = the same, dissimilar pairs
        M   = S_s^-1 - weight S_d^-1,  then made positive definite

    The paper projects M onto the positive semidefinite matrices; the authors' code, where M is
    not positive definite, sets eigenvalues <= 1e-10 to 1e-6. That is done here, so M stays
    invertible and ties stay broken, with both numbers relative to the largest eigenvalue: the
    authors' absolute ones would make the metric depend on the unit of the features. ``weight``
    is in the authors' code (lambda); the paper's formula has 1.

    The authors take pairs only. ``fit`` makes them from labels as PCML does (``k``,
    ``dissimilar``). There is no ``threshold_``: the paper drops the constant of the likelihood
    ratio and tunes the threshold on data.

    Directions in which no pair differs get no weight. If a covariance is singular in the others
    (fewer pairs than features, constant features in one kind), ``ridge`` times its mean
    eigenvalue is added to its diagonal, with a warning: PCA first is better, and is what the
    authors do.

    Given the same pairs the authors' code gives the same metric.

    When to use: many features and pairs, little time, and two kinds of pairs that are both about
    Gaussian: one pass over the pairs, nothing to iterate. It needs more pairs than features, or
    PCA first.

    Parameters
    ----------
    weight : float, default 1.0
        Of the dissimilar part, 0 to 1; 0 is the Mahalanobis distance of similar pairs.
    ridge : float, default 1e-4
        See above; used only for a singular covariance.
    k : int, default 1
        Neighbours per sample and kind when ``fit`` makes the pairs.
    dissimilar : {"nearest", "farthest", "random"}, default "nearest"
        Which samples of other classes make the dissimilar pairs.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
    random_state : int, RandomState or None
        For ``dissimilar="random"``.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; if n_components is None, as many as the
        differences span dimensions.
    n_repaired_ : int
        Eigenvalues of M that were replaced.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import KISSME
    >>> X, y = load_iris(return_X_y=True)
    >>> KISSME(dissimilar="random", random_state=0).fit(X, y).components_.shape
    (4, 4)
    """

    def __init__(
        self,
        *,
        weight=1.0,
        ridge=1e-4,
        k=1,
        dissimilar="nearest",
        n_components=None,
        random_state=None,
    ):
        self.weight = weight
        self.ridge = ridge
        self.k = k
        self.dissimilar = dissimilar
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y):
        """Learn the metric from labelled samples; pairs are made as ``k``, ``dissimilar`` say."""
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        pairs = make_pairs(
            X, y, k=self.k, dissimilar=self.dissimilar, random_state=self.random_state
        )
        return self._fit_differences(X[pairs.index[:, 0]] - X[pairs.index[:, 1]], pairs.y)

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        self._check_parameters()
        pairs, y = self._check_pairs(pairs, y)
        return self._fit_differences(pairs[:, 0] - pairs[:, 1], y)

    def _check_parameters(self):
        check_number("weight", self.weight, at_least=0)
        if self.weight > 1:
            raise ValueError(f"weight must be a number between 0 and 1, got {self.weight!r}.")
        check_number("ridge", self.ridge, above=0)
        check_number("k", self.k, at_least=1, integer=True)
        check_choice("dissimilar", self.dissimilar, DISSIMILAR)

    def _fit_differences(self, delta, y):
        largest = np.abs(delta).max(initial=0.0)
        unit = 2.0 ** np.frexp(largest)[1]  # a power of two: no rounding, and no overflow
        delta = delta / unit
        covariances = []
        for label, kind in ((1, "similar"), (-1, "dissimilar")):
            some = delta[y == label]
            if not some.any():
                raise ValueError(
                    f"no {kind} pair of different samples is left: KISSME needs both kinds."
                )
            covariances.append(some.T @ some / len(some))
        basis = _span(covariances[0] + covariances[1])
        S_s, S_d = (
            self._invertible(basis.T @ S @ basis, kind)
            for S, kind in zip(covariances, ("similar", "dissimilar"), strict=True)
        )
        M = np.linalg.inv(S_s) - self.weight * np.linalg.inv(S_d)
        M, self.n_repaired_ = repair(M)
        self.components_ = self._leading(factor(M) @ basis.T / unit)
        return self

    def _invertible(self, S, kind):
        S = 0.5 * (S + S.T)
        w = np.linalg.eigvalsh(S)
        if w[0] > 1e-10 * w[-1]:
            return S
        if not w[-1] > 0.0:
            raise ValueError(
                f"the {kind} pairs differ by nothing beside the others: scale the features."
            )
        warnings.warn(
            f"the covariance of the {kind} pairs is singular: ridge={self.ridge:.3g} times its "
            "mean eigenvalue was added; PCA to fewer features avoids this.",
            UserWarning,
            stacklevel=5,
        )
        return S + self.ridge * w.mean() * np.eye(len(S))


def _span(S):
    """Orthonormal basis of the range of S; the unit vectors where that is everything."""
    w, U = eigh(S)
    keep = w > len(S) * np.finfo(float).eps * w[-1]
    U[np.diag(S) == 0.0] = 0.0  # exactly: the feature may have a huge constant
    return np.eye(len(S)) if keep.all() else U[:, keep]


def repair(M):
    """M as the authors make it positive definite, and how many eigenvalues that took."""
    M = 0.5 * (M + M.T)
    w, U = np.linalg.eigh(M)
    unit = max(abs(w[0]), w[-1])
    low = w <= 1e-10 * unit
    if low.any():
        M = (U * np.where(low, 1e-6 * unit, w)) @ U.T
    return M, int(low.sum())
