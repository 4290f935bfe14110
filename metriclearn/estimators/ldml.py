"""LDML: logistic discriminant metric learning (Guillaumin, Verbeek and Schmid, 2009)."""

import warnings

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ._exp import logistic_rows
from ._factor_descent import minimize_factor, whitening
from ._units import in_units, metric_factor, scaled
from .base import SupervisedMetricLearner, check_choice, check_number

__all__ = ["LDML"]

MANY_SAMPLES = 20_000  # beyond these, by default
MANY_PAIRS = 10**6  # so many pairs
_TILE = 512  # samples per side of a tile of distances
_CHUNK = 2**14  # given pairs at a time


class LDML(SupervisedMetricLearner):
    """Logistic discriminant metric learning.

    A pair is similar with probability ``p_ij = 1 / (1 + exp(d(i, j) - b))``, where d(i, j) is the
    squared distance (x_i - x_j)^T M (x_i - x_j). M and the threshold b maximise the likelihood::

        max over PSD M, b of   sum_ij t_ij ln p_ij + (1 - t_ij) ln(1 - p_ij)

    with t_ij = 1 for a similar pair and 0 otherwise: a concave problem, logistic regression on
    x_i - x_j squared. With ``balance`` the similar and the dissimilar pairs have the same total
    weight in the sum, as in the authors' code: of c classes only about one pair in c is similar.

    When to use: verification, where the threshold and the probability of a pair matter. For
    nearest neighbours the plain likelihood often does better: on the fixed split of PenDigits 1-NN
    errs in 6.17 % balanced and 5.43 % plain, on Letter in 10.82 and 8.33 %.

    Parameters
    ----------
    balance : bool, default True
        The same total weight for both kinds of pairs; False is the likelihood as written above.
    n_pairs : int or None, default None
        None takes all n (n - 1) / 2 pairs of up to 20,000 samples, as the paper does, and of more
        a million at random. A number draws that many of them, or all if there are no more. Drawn
        pairs estimate the same likelihood. ``fit_pairs`` takes the pairs that it is given.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
        ``gap_`` and the objectives are those of the full M, ``threshold_`` is for what is kept.
    tol : float, default 1e-3
        Stop when the mean log-loss can fall by no more than ``tol`` times its value at M = 0, as
        estimated from the optimality conditions.
    max_iter : int, default 100
        A ConvergenceWarning says so when they end the fit.
    random_state : int, RandomState or None
        For ``n_pairs``.
    verbose : bool, default False
        Print a line per iteration.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; n_components is d if None.
    threshold_ : float
        b: the squared distance at which a pair turns dissimilar; with ``balance`` at even odds
        where both kinds are as frequent.
    objective_ : float
        Mean log-loss of the pairs, the likelihood above with its sign changed; with ``balance``
        the mean of the mean losses of both kinds.
    gap_ : float
        By how much it may be above the optimum, estimated.
    history_ : array (n_iter,)
        The mean log-loss after each iteration; it never rises.
    n_iter_ : int
        Iterations of L-BFGS.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Notes
    -----
    The authors' code differs from the text in four ways. It balances the kinds of pairs, as is
    done here by default. It climbs in a factor of M by conjugate
    gradients from a random start, at most 100 iterations; here it is L-BFGS in a square factor
    from a fixed start, so that the result is the optimum of the concave problem and needs no seed.
    It counts a sample's pair with itself; here, as in the text, pairs are of two samples. Given
    pairs, it makes each matched one a class of its own and every cross pair a negative, so the
    given negatives have no effect; here the likelihood is that of the given pairs.

    Where M and b can tell all pairs apart, the likelihood has no maximum and M grows without
    bound; the fit ends as soon as the loss is within the tolerance.

    A fit costs O(n^2 d) per iteration in tiles of bounded memory.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import LDML
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDML().fit(X, y)
    >>> model.predict_pairs([X[[0, 1]], X[[0, 100]]])
    array([ 1, -1])
    """

    def __init__(
        self,
        *,
        balance=True,
        n_pairs=None,
        n_components=None,
        tol=1e-3,
        max_iter=100,
        random_state=None,
        verbose=False,
    ):
        self.balance = balance
        self.n_pairs = n_pairs
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples, with all their pairs or ``n_pairs`` of them."""
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        classes, y = np.unique(y, return_inverse=True)
        X, unit = in_units(X)
        n, sizes = len(y), np.bincount(y).astype(float)
        total = n * (n - 1) // 2
        n_pairs = self.n_pairs
        if n_pairs is None:
            n_pairs = total if n <= MANY_SAMPLES else MANY_PAIRS
        if n_pairs < total:
            i, j = _draw_pairs(n, n_pairs, check_random_state(self.random_state))
            t = y[i] == y[j]
            _need_both_kinds(t)
            T = whitening(X.T @ X / n)
            Z = X @ T
            return self._descend(
                T,
                unit,
                lambda L, b, w: logistic_pairs(L, b, lambda s: Z[i[s]] - Z[j[s]], t, w),
                t.mean(),
            )
        rate = np.sum(sizes * (sizes - 1.0)) / (2.0 * total)
        if rate == 0.0:
            raise ValueError("every sample is alone in its class: there is no similar pair.")
        order = np.argsort(y, kind="stable")  # classes together: tiles are mostly of one kind
        X, y = X[order], y[order]
        T = whitening(X.T @ X / n)
        Z = X @ T
        return self._descend(T, unit, lambda L, b, w: logistic_all(L, b, Z, y, w), rate)

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        self._check_parameters()
        pairs, y = self._check_pairs(pairs, y)
        t = y > 0
        delta, unit = scaled(pairs[:, 0] - pairs[:, 1])
        T = whitening(0.5 * delta.T @ delta / len(delta))
        delta = delta @ T
        return self._descend(
            T, unit, lambda L, b, w: logistic_pairs(L, b, lambda s: delta[s], t, w), t.mean()
        )

    def _check_parameters(self):
        check_choice("balance", self.balance, (True, False))
        if self.n_pairs is not None:
            check_number("n_pairs", self.n_pairs, at_least=2, integer=True)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)

    def _descend(self, T, unit, loss, rate):
        """From the loss in whitened coordinates to the attributes; ``rate`` are similar."""
        r = T.shape[1]
        if r == 0:
            raise ValueError("all samples are the same: there is no distance to learn.")
        weights = (1.0, 1.0)
        if self.balance:
            weights, rate = (0.5 / rate, 0.5 / (1.0 - rate)), 0.5
        at_zero = -rate * np.log(rate) - (1.0 - rate) * np.log1p(-rate)
        L, b, self.objective_, self.gap_, self.history_ = minimize_factor(
            lambda L, b: loss(L, b, weights),
            np.eye(r) / np.sqrt(r),
            np.zeros(1),
            target=self.tol * at_zero,
            max_iter=self.max_iter,
            report=_report if self.verbose else None,
        )
        self.n_iter_ = len(self.history_)
        if self.gap_ > self.tol * at_zero:
            warnings.warn(
                f"LDML stopped after {self.n_iter_} iterations (max_iter={self.max_iter}) at an "
                f"estimated relative gap of {self.gap_ / at_zero:.3g}, above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.components_ = self._leading(metric_factor(T @ (L.T @ L) @ T.T, unit))
        if self.n_components is not None:
            L = (self.components_ * unit) @ np.linalg.pinv(T).T
            b = [minimize_scalar(lambda b: loss(L, np.array([b]), weights)[0]).x]
        self.threshold_ = float(b[0])
        return self


def logistic_all(L, b, X, y, weights=(1.0, 1.0)):
    """Mean log-loss of all pairs of samples with its gradients in M = L^T L and in b.

    ``weights`` are those of a similar and of a dissimilar pair.

    The outer products of all pairs, weighted by t - p, make a Laplacian: X^T (D - W) X.
    """
    n = len(X)
    Z = X @ L.T
    norms = np.einsum("ij,ij->i", Z, Z)
    value = slope = 0.0
    degree = np.zeros(n)
    WX = np.zeros_like(X)
    for top in range(0, n, _TILE):
        rows = slice(top, top + _TILE)
        for left in range(top, n, _TILE):
            cols = slice(left, left + _TILE)
            s = 2.0 * Z[rows] @ Z[cols].T
            s += b - norms[rows, None]
            s -= norms[cols]  # s = b - d(i, j), the logit of "similar"
            value += logistic_rows(s, y[rows], y[cols], 1 if left == top else -_TILE, *weights)
            W = s  # by now t_ij - p_ij, times the weight
            slope -= W.sum()
            degree[rows] += W.sum(axis=1)
            degree[cols] += W.sum(axis=0)
            WX[rows] += W @ X[cols]
            WX[cols] += W.T @ X[rows]
    total = n * (n - 1) / 2
    G = X.T @ (degree[:, None] * X - WX) / total
    return value / total, 0.5 * (G + G.T), np.array([slope / total])


def logistic_pairs(L, b, differences, t, weights=(1.0, 1.0)):
    """The same for given pairs: ``differences(s)`` are those of the pairs in a slice s."""
    value = slope = 0.0
    G = np.zeros((L.shape[1], L.shape[1]))
    for start in range(0, len(t), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        delta = differences(chunk)
        Z = delta @ L.T
        s = b - np.einsum("ij,ij->i", Z, Z)
        weight = np.where(t[chunk], *weights)
        value += weight @ np.logaddexp(0.0, np.where(t[chunk], -s, s))
        W = weight * (t[chunk] - expit(s))
        slope -= W.sum()
        G += (delta * W[:, None]).T @ delta
    G /= len(t)
    return value / len(t), 0.5 * (G + G.T), np.array([slope / len(t)])


def _draw_pairs(n, n_pairs, rng):
    """Pairs i < j with replacement, each of the n (n - 1) / 2 as likely."""
    i = rng.randint(0, n, size=n_pairs)
    j = rng.randint(0, n - 1, size=n_pairs)
    return i, j + (j >= i)


def _need_both_kinds(t):
    for present, kind in ((t.any(), "similar"), (not t.all(), "dissimilar")):
        if not present:
            raise ValueError(f"no {kind} pair among the {len(t)} drawn: raise n_pairs.")


def _report(iteration, f, gap):
    print(f"LDML {iteration:3d}: mean loss {f:.6g}, gap at most about {gap:.2e}", flush=True)
