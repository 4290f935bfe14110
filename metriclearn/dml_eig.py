"""DML-eig: distance metric learning with eigenvalue optimisation (Ying and Li, 2012)."""

import warnings

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from ._factor_descent import whitening
from .base import (
    SupervisedMetricLearner,
    check_choice,
    check_number,
    factor,
)
from .iterated_svm import need_both_kinds
from .pairs import DISSIMILAR, make_pairs

SOLVERS = ("fista", "frank-wolfe")


class DMLEig(SupervisedMetricLearner):
    """Distance metric learning with eigenvalue optimisation.

    The nearest dissimilar pair should be far, at a bounded sum of the similar distances:

        max over PSD M of   min over D of <O_ij, M>     s.t.   <X_S, M> <= 1

    with O_ij = (x_i - x_j)(x_i - x_j)^T and X_S the sum of O_ij over the similar pairs S. With
    A = X_S^(1/2) M X_S^(1/2) and Y_ij = X_S^(-1/2) O_ij X_S^(-1/2) this is a problem on matrices
    of trace 1, in which the authors smooth the minimum with mu > 0 and so maximise

        f_mu(A) = -mu ln sum over D of exp(-<Y_ij, A> / mu)     over PSD A with trace 1

    Their gradient is a weighted mean of the Y_ij and its largest eigenvector is the next step of
    Frank-Wolfe, hence the name. M = X_S^(-1/2) A X_S^(-1/2) is the result (public Python code
    leaves this last step out and so learns in the wrong coordinates).

    Parameters
    ----------
    mu : float, default 1e-5
        Smoothing of the minimum, in the units of the objective: f_mu is at most mu ln |D| below
        the minimum. The authors choose it by cross-validation from 1e-6 to 1e-1. As X_S is a sum,
        distances fall as the number of similar pairs grows, and the best mu with them.
    k : int, default 3
        Neighbours per sample and kind when ``fit`` makes the pairs. The paper's own number is not
        known to us; 3 is that of its peers.
    dissimilar : {"nearest", "farthest", "random"}, default "nearest"
        Which samples of other classes make the dissimilar pairs.
    solver : {"fista", "frank-wolfe"}, default "fista"
        Accelerated projected gradient, or the authors' Frank-Wolfe from A = I/d. Both have the
        same optimum; Frank-Wolfe needs many more iterations at small mu. The authors step by
        2 / (t + 1); here the step is the best one on the segment, so that f_mu never falls.
    tol : float, default 1e-3
        Stop when f_mu is certified to be near its maximum: when the Frank-Wolfe gap, the largest
        eigenvalue of the gradient less <gradient, A>, is at most ``tol (f_mu + mu ln |D|)``. The
        latter is a soft minimum of the distances, and their minimum as mu falls.
    max_iter : int, default 2000
        A ConvergenceWarning says so when they end the fit.
    ridge : float, default 1e-6
        Where the similar pairs don't span what the dissimilar pairs do, X_S has no inverse, and
        ``ridge`` times its mean eigenvalue is added to its diagonal. Not used otherwise.
    random_state : int, RandomState or None
        For ``dissimilar="random"``.
    verbose : bool, default False
        Print a line per 50 iterations.

    Attributes
    ----------
    components_ : array (d, d)
        L with M = L^T L, rows by falling eigenvalue.
    objective_ : float
        f_mu at the solution.
    minimum_ : float
        The smallest squared distance of a dissimilar pair: the objective without smoothing.
    gap_ : float
        f_mu is at most this far below its maximum.
    history_ : array (n_iter_,)
        f_mu after each iteration; it never falls.
    n_iter_ : int

    Notes
    -----
    Given the pairs, any invertible linear map of the features gives the same distances. Features
    in which all pairs agree get no weight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn.dml_eig import DMLEig
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DMLEig(mu=1e-3).fit(X, y)
    >>> bool(model.minimum_ - model.objective_ >= 0.0)
    True
    """

    def __init__(
        self,
        *,
        mu=1e-5,
        k=3,
        dissimilar="nearest",
        solver="fista",
        tol=1e-3,
        max_iter=2000,
        ridge=1e-6,
        random_state=None,
        verbose=False,
    ):
        self.mu = mu
        self.k = k
        self.dissimilar = dissimilar
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.ridge = ridge
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples; pairs are made as ``k``, ``dissimilar`` say."""
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        pairs = make_pairs(
            X, y, k=self.k, dissimilar=self.dissimilar, random_state=self.random_state
        )
        need_both_kinds(pairs.y)
        delta = X[pairs.index[:, 0]] - X[pairs.index[:, 1]]
        return self._fit_differences(delta[pairs.y > 0], delta[pairs.y < 0])

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        self._check_parameters()
        pairs, y = self._check_distinct_pairs(pairs, y)
        need_both_kinds(y)
        delta = pairs[:, 0] - pairs[:, 1]
        return self._fit_differences(delta[y > 0], delta[y < 0])

    def _check_parameters(self):
        check_number("mu", self.mu, above=0)
        check_number("k", self.k, at_least=1, integer=True)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        check_number("ridge", self.ridge, above=0)
        check_choice("dissimilar", self.dissimilar, DISSIMILAR)
        check_choice("solver", self.solver, SOLVERS)

    def _fit_differences(self, similar, dissimilar):
        T = _inverse_root(similar, dissimilar, self.ridge)
        Y = dissimilar @ T
        # A unit in which distances are about 1; mu, f and the gap are taken back at the end.
        unit = np.mean(np.einsum("ij,ij->i", Y, Y)) / Y.shape[1]
        Y /= np.sqrt(unit)
        solve = frank_wolfe if self.solver == "frank-wolfe" else fista
        mu = self.mu / unit
        A, path, gap, least = solve(Y, mu, self.tol, self.max_iter, self.verbose)
        scale = _mean_scale(path[-1], mu, len(Y))
        self.n_iter_ = len(path)
        self.history_ = unit * path
        self.objective_ = float(self.history_[-1])
        self.gap_, self.minimum_ = float(unit * gap), float(unit * least)
        if gap > self.tol * scale:
            warnings.warn(
                f"DMLEig stopped after {self.n_iter_} iterations (max_iter={self.max_iter}) at a "
                f"relative gap of {gap / scale:.3g}, above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.components_ = factor(T @ A @ T.T)
        return self


def _inverse_root(similar, dissimilar, ridge):
    """T (d, r) with T^T X_S T = I on the span of all differences, X_S with a ridge if singular."""
    X_S = similar.T @ similar
    both = X_S / len(similar) + dissimilar.T @ dissimilar / len(dissimilar)
    T = whitening(both)
    w, U = np.linalg.eigh(T.T @ X_S @ T)
    if w[0] <= 1e-10 * w[-1]:
        w = np.maximum(w, 0.0) + ridge * np.maximum(np.mean(w), np.finfo(float).tiny)
    return T @ (U / np.sqrt(w))


def smooth_minimum(values, mu):
    """f_mu of the distances <Y_ij, A>, and the weights of the Y_ij in its gradient."""
    least = values.min()
    weight = np.exp((least - values) / mu)
    total = weight.sum()
    return least - mu * np.log(total), weight / total


def _mean_scale(f, mu, n):
    """f_mu + mu ln n, what the gap is compared with: between the least and the mean distance."""
    return f + mu * np.log(n)


def _distances(Y, A):
    return np.einsum("ij,ij->i", Y @ A, Y)


def _gradient(Y, weight):
    some = weight > 1e-18
    return (Y[some] * weight[some, None]).T @ Y[some]


def project_trace_one(A):
    """The nearest PSD matrix of trace 1: its eigenvalues projected on the simplex."""
    w, U = np.linalg.eigh(A)
    falling = w[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(w) + 1)
    theta = excess[np.flatnonzero(falling > excess)[-1]]
    w = np.maximum(w - theta, 0.0)
    return (U * w) @ U.T


def frank_wolfe(Y, mu, tol, max_iter, verbose=False):
    """Maximise f_mu over PSD matrices of trace 1, from I/d, one eigenvector per step."""
    d = Y.shape[1]
    A, path = np.eye(d) / d, []
    values = _distances(Y, A)
    while True:
        f, weight = smooth_minimum(values, mu)
        G = _gradient(Y, weight)
        w, U = np.linalg.eigh(G)
        gap, least = w[-1] - np.vdot(G, A), values.min()
        path.append(f)
        if verbose and len(path) % 50 == 0:
            _report(len(path), f, gap)
        if gap <= tol * _mean_scale(f, mu, len(Y)) or len(path) >= max_iter:
            return A, np.array(path), gap, least
        change = (Y @ U[:, -1]) ** 2 - values
        best = minimize_scalar(
            lambda a: -smooth_minimum(values + a * change, mu)[0],  # noqa: B023
            bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-6},
        )  # fmt: skip
        if -best.fun <= f:  # no step on this segment in floating point
            return A, np.array(path), gap, least
        A = (1.0 - best.x) * A + best.x * np.outer(U[:, -1], U[:, -1])
        values = values + best.x * change


def fista(Y, mu, tol, max_iter, verbose=False):
    """The same by accelerated projected gradient: backtracking, restart, never downhill."""
    d = Y.shape[1]
    A = np.eye(d) / d
    values = _distances(Y, A)
    f, weight = smooth_minimum(values, mu)
    B, B_values, momentum, step = A, values, 1.0, mu
    path = []
    while True:
        G = _gradient(Y, weight)
        gap = np.linalg.eigvalsh(G)[-1] - np.vdot(G, A)
        path.append(f)
        if verbose and len(path) % 50 == 0:
            _report(len(path), f, gap)
        if gap <= tol * _mean_scale(f, mu, len(Y)) or len(path) >= max_iter:
            return A, np.array(path), gap, values.min()
        if momentum > 1.0:
            B_f, weight = smooth_minimum(B_values, mu)
            G = _gradient(Y, weight)
        else:
            B_f = f
        step *= 1.5
        while True:
            new = project_trace_one(B + step * G)
            new_values = _distances(Y, new)
            new_f, new_weight = smooth_minimum(new_values, mu)
            move = new - B
            bound = B_f + np.vdot(G, move) - np.vdot(move, move) / (2.0 * step)
            if new_f >= bound - 1e-12 * max(abs(new_f), mu):
                break
            step *= 0.5
        if new_f < f and momentum == 1.0:  # no step in floating point
            return A, np.array(path), gap, values.min()
        if new_f < f:  # the momentum overshot: drop it and step from A itself
            B, B_values, momentum = A, values, 1.0
            weight = smooth_minimum(values, mu)[1]
            continue
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ratio = (momentum - 1.0) / following
        B, B_values = new + ratio * (new - A), new_values + ratio * (new_values - values)
        A, values, f, weight, momentum = new, new_values, new_f, new_weight, following


def _report(iteration, f, gap):
    print(f"DMLEig {iteration:4d}: f_mu / unit {f:.6g}, gap at most {gap:.2e}", flush=True)
