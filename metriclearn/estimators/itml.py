"""ITML: information-theoretic metric learning (Davis et al., ICML 2007)."""

import warnings
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ._itml_projections import (
    Constraints,
    find_bounds,
    inverse,
    objectives,
    random_pairs,
    sweep_pairs,
)
from ._units import in_range, middle, power_of_two
from .base import SupervisedMetricLearner, check_choice, check_number, factor

__all__ = ["ITML"]

PRIORS = ("identity", "covariance")
BOUNDS = ("percentile", "range")
_OUT_OF_RANGE = "ITML left the range of floating point numbers: scale the features."
_NATIVE = 10**9  # operations of one call of compiled code, about a second
_SHARED = {"n_features_in_", "feature_names_in_", "pairs_", "pair_labels_", "bounds_"}


class ITML(SupervisedMetricLearner):
    """Nearest metric to a prior, in LogDet divergence, under bounds on the pairs' distances::

        min over M > 0, xi:   D(M, M0) + gamma sum_p D(xi_p, xi0_p)
        with   d_M(p) <= xi_p  (xi0 = l) for similar,   d_M(p) >= xi_p  (xi0 = u) for dissimilar

    where D(A, B) = tr(A B^-1) - log det(A B^-1) - dim and d_M is a *squared* distance. Solved by
    the paper's cyclic Bregman projections: each makes one constraint tight and keeps
    M^-1 = M0^-1 + sum delta_p lambda_p v_p v_p^T, 1/xi_p = 1/xi0_p - delta_p lambda_p / gamma
    (delta = +1 similar, -1 dissimilar). Stops by the authors' rule, after a full sweep,
    ``|lambda - lambda_old|_1 / (|lambda| + |lambda_old|) < tol``; their tol is 1e-2, their cap 1e5
    projections, ours ``max_iter`` sweeps.

    Paper and authors' code differ in the bounds. The paper (and the help text of the code) takes
    the 5th and 95th percentiles of the distances of random pairs; the code takes the centres of
    the 5th and 95th of 100 histogram bins, that is 5 % and 95 % of the range. The default is the
    paper's, which one far sample does not move; ``bounds="range"`` is the code's. Both are taken
    from squared distances under M0 without zeros, as a zero bound has no solution.

    ``fit`` draws 40 c (c-1) random pairs for c classes as the authors do, drops pairs of identical
    samples and labels the rest by class; the order of the pairs is the order of the projections.
    There is no ``threshold_``: between l and u the model says nothing. Given the same pairs, their
    order and bounds, the authors' code gives the same metric.

    The prior is the identity in the units of the data and the bounds come from them: multiplying
    all features by a number multiplies all distances and changes nothing else.

    When to use: few pairs, or a metric that must not go far from a given one, or new pairs that
    come one by one. With gamma above about 10 the projections need thousands of sweeps.

    Parameters
    ----------
    gamma : float, default 1.0
        Weight of the slack: large keeps the bounds, small keeps the prior.
    bounds : {"percentile", "range"} or (l, u), default "percentile"
        Squared distances.
    prior : {"identity", "covariance"}, default "identity"
        M0: the identity or the inverse covariance of the samples.
    n_pairs : int or None, default None
        Pairs that ``fit`` draws; None is 40 c (c-1), or n (n-1) / 2 if that is less.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
        ``gap_`` and the objectives are those of the full M.
    tol : float, default 1e-3
        Stop when a sweep changes lambda by less, in the measure above.
    max_iter : int, default 1000
        Sweeps over all pairs; a ConvergenceWarning says so when they end the fit.
    random_state : int, RandomState or None
        For the pairs and for the distances behind the bounds.
    verbose : bool, default False
        Print a line per sweep.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; n_components is d if None.
    bounds_ : array (2,)
        l and u.
    dual_coef_ : array (n_pairs,)
        lambda.
    pairs_ : array (n_pairs, 2) or (n_pairs, 2, d)
        Row indices of the pairs that ``fit`` drew, or the pairs given to ``fit_pairs``.
    pair_labels_ : array (n_pairs,)
        +1 for similar, -1 for dissimilar.
    primal_, dual_, gap_ : float
        The objective at M with the best xi for that M, its lower bound from lambda, difference.
    n_iter_ : int
        Sweeps.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import ITML
    >>> X, y = load_iris(return_X_y=True)
    >>> ITML(random_state=0).fit(X, y).components_.shape
    (4, 4)
    """

    path_parameter = "gamma"

    def __init__(
        self,
        *,
        gamma=1.0,
        bounds="percentile",
        prior="identity",
        n_pairs=None,
        n_components=None,
        tol=1e-3,
        max_iter=1000,
        random_state=None,
        verbose=False,
    ):
        self.gamma = gamma
        self.bounds = bounds
        self.prior = prior
        self.n_pairs = n_pairs
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples, on random pairs."""
        self._check_parameters()
        self._solve(self._draw(X, y))
        return self

    def fit_path(self, X, y, *, gamma):
        """Fitted copies for several ``gamma``, in the order given, on the same pairs and bounds.

        Each starts from the multipliers of the next smaller gamma and stops by the same rule. A
        ``random_state`` that is an integer makes the pairs those of ``fit``.
        """
        return self._path(gamma, lambda model: model._draw(X, y))

    def fit_path_pairs(self, pairs, y, *, gamma):
        """``fit_path`` on pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        return self._path(gamma, lambda model: model._take(pairs, y))

    def _path(self, gamma, state):
        models = [clone(self).set_params(gamma=value) for value in gamma]
        for model in models:
            model._check_parameters()
        ordered = sorted(models, key=lambda model: model.gamma)
        lam = None
        for i, model in enumerate(ordered):
            if i == 0:
                problem = state(model)
            for name in _SHARED & vars(ordered[0]).keys():
                setattr(model, name, getattr(ordered[0], name))
            lam = model._solve(problem, lam)
        return models

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        self._check_parameters()
        self._solve(self._take(pairs, y))
        return self

    def _take(self, pairs, y):
        """The problem on given pairs."""
        pairs, y = self._check_distinct_pairs(pairs, y)
        self.pairs_, self.pair_labels_ = pairs, y
        rng = check_random_state(self.random_state)
        samples = pairs.reshape(-1, pairs.shape[2])
        return self._bound(pairs[:, 0] - pairs[:, 1], y, samples, rng)

    def _draw(self, X, y):
        """The problem on random pairs of labelled samples."""
        X, y = self._check_labelled(X, y)
        classes = np.unique(y)
        rng = check_random_state(self.random_state)
        index = random_pairs(len(X), len(classes), self.n_pairs, rng)
        index = index[(X[index[:, 0]] != X[index[:, 1]]).any(axis=1)]
        labels = np.where(y[index[:, 0]] == y[index[:, 1]], 1.0, -1.0)
        for label, kind in ((1, "similar"), (-1, "dissimilar")):
            if not (labels == label).any():
                warnings.warn(
                    f"no {kind} pair among the {len(labels)} drawn: raise n_pairs.",
                    UserWarning,
                    stacklevel=3,
                )
        self.pairs_, self.pair_labels_ = index, labels
        return self._bound(X[index[:, 0]] - X[index[:, 1]], labels, X, rng)

    def _check_parameters(self):
        check_number("gamma", self.gamma, above=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        check_choice("prior", self.prior, PRIORS)
        if self.n_pairs is not None:
            check_number("n_pairs", self.n_pairs, at_least=1, integer=True)
        if isinstance(self.bounds, str):
            check_choice("bounds", self.bounds, BOUNDS)
        else:
            pair = np.asarray(self.bounds)
            good = pair.shape == (2,) and all(isinstance(b, Real) for b in pair.tolist())
            if not (good and 0.0 < pair[0] <= pair[1] < np.inf):
                raise ValueError(
                    f"bounds must be one of {', '.join(map(repr, BOUNDS))} or two numbers "
                    f"0 < l <= u, got {self.bounds!r}."
                )

    def _bound(self, delta, y, samples, rng):
        """The problem on given differences, in units of their size: gamma alone is left open."""
        if not len(delta):
            raise ValueError("no pair of different samples is left: ITML needs pairs.")
        unit = float(power_of_two(np.abs(delta).max()))
        delta, samples = delta / unit, (samples - middle(samples)) / unit
        M0_inv = self._prior_inverse(samples)
        with np.errstate(over="ignore", under="ignore"):
            if isinstance(self.bounds, str):
                bounds = find_bounds(samples, np.linalg.inv(M0_inv), self.bounds, rng)
            else:
                bounds = np.array(self.bounds, dtype=np.float64) / unit / unit
            # The identity stays the same matrix in other units, the covariance does not.
            own = unit if self.prior == "identity" or not isinstance(self.bounds, str) else 1.0
            self.bounds_ = bounds * own * own
        tiny = np.finfo(float).tiny
        for values in (bounds, self.bounds_):
            if not (np.isfinite(values).all() and values[0] > tiny):
                raise ValueError(f"bounds {values} are out of range: scale the features.")
        return Constraints(np.ascontiguousarray(delta), y, np.where(y > 0, *bounds), M0_inv, unit)

    def _solve(self, problem, start=None):
        """From a problem to the attributes; returns lambda in the units of the problem."""
        delta, y, xi0, M0_inv, unit = problem
        M, lam, n_iter, change = self._project(problem, start)
        if not np.isfinite(M).all():
            raise ValueError(_OUT_OF_RANGE)
        self.n_iter_ = n_iter
        self.primal_, self.dual_ = objectives(M, lam, delta, y, xi0, M0_inv, self.gamma)
        self.gap_ = self.primal_ - self.dual_
        # The prior is the identity in the units of the data, or it has their units.
        identity = self.prior == "identity"
        self.dual_coef_ = lam / unit / unit if identity else lam
        with np.errstate(over="ignore"):
            L = in_range(factor(M) if identity else factor(M) / unit)
        self.components_ = self._leading(L)
        if not change < self.tol:
            warnings.warn(
                f"ITML stopped after max_iter={self.max_iter} sweeps at a change of {change:.3g}, "
                f"above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return lam

    def _prior_inverse(self, samples):
        if self.prior == "identity":
            return np.eye(samples.shape[1])
        covariance = np.atleast_2d(np.cov(samples, rowvar=False))
        w = np.linalg.eigvalsh(covariance)
        if w[0] <= 1e-12 * w[-1]:
            raise ValueError(
                "prior='covariance' needs an invertible covariance: its eigenvalues go from "
                f"{w[0]:.3g} to {w[-1]:.3g}; use PCA or prior='identity'."
            )
        return covariance

    def _project(self, problem, start=None):
        """Sweeps of projections until lambda settles, from lambda 0 or that of a smaller gamma."""
        delta, y, xi0, M0_inv, _ = problem
        M = np.linalg.inv(M0_inv)
        M = 0.5 * (M + M.T)
        lam, xi = np.zeros(len(delta)), xi0.copy()
        if start is not None:
            lam, xi = start.copy(), 1.0 / (1.0 / xi0 - y * start / self.gamma)
            M = inverse(M0_inv + delta.T @ ((y * lam)[:, None] * delta), M)
        gamma = float(self.gamma)
        share = max(1, _NATIVE // M.size)  # pairs per call: Ctrl-C is noticed in between
        change = np.inf
        for sweep in range(1, self.max_iter + 1):  # noqa: B007
            old = lam.copy()
            for s in range(0, len(lam), share):
                e = s + share
                sweep_pairs(M, delta[s:e], y[s:e], lam[s:e], xi[s:e], gamma)
            if not np.abs(lam).max() < 1e150:
                raise ValueError(_OUT_OF_RANGE)
            size = np.linalg.norm(lam) + np.linalg.norm(old)
            change = np.abs(lam - old).sum() / size if size > 0.0 else 0.0
            if self.verbose:
                print(f"ITML {sweep:4d}: change {change:.3g}", flush=True)
            if change < self.tol:
                break
        # Rounding must not leave a slack of 0 or less, nor a drift of M: lambda says what it is.
        lam = np.where(y > 0, np.minimum(lam, (1.0 - 1e-12) * gamma / xi0), lam)
        M = inverse(M0_inv + delta.T @ ((y * lam)[:, None] * delta), M)
        return M, lam, sweep, change
