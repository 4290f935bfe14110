"""LMNN: large margin nearest neighbours (Weinberger & Saul, JMLR 10, 2009)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._lmnn_triplets import Problem, Whitened
from .base import SupervisedMetricLearner, check_number, factor
from .neighbors import class_neighbors

__all__ = ["LMNN"]


class LMNN(SupervisedMetricLearner):
    """Large margin nearest neighbours, on the paper's convex objective.

    With j -> i for the k target neighbours j of sample i (the nearest of its class in the
    Euclidean distance, fixed) and l running over *all* samples of other classes::

        min over M >= 0:  (1 - c) sum_{i, j->i} d_M(i,j)
                          + c sum_{i, j->i, l} [1 + d_M(i,j) - d_M(i,l)]_+

    d_M is the squared distance (x_i - x_j)^T M (x_i - x_j). The paper descends along
    subgradients of this in M; the authors' later code and pylmnn square the hinge and descend in
    L, and version 2.5 of the code keeps a tenth of the constraints: other problems. Here it is
    the paper's hinge and every triplet.

    The solver works where the pull term is the trace (whitened by sum (x_i-x_j)(x_i-x_j)^T),
    which makes it independent of the scaling of the features. It runs accelerated projected
    gradient on a hinge rounded over a width h, on the impostors within reach, searched exactly in
    tiles; h falls until the duality gap of the *unrounded* problem over all triplets is small.
    The dual is max sum lambda, 0 <= lambda <= c, sum lambda (X_il - X_ij) <= pull matrix, and any
    lambda, scaled down, is feasible: the gap is a certificate.

    Where the target neighbours do not span the data (more features than samples, duplicates) the
    pull matrix is singular and pushing in the directions it misses would be free: 1e-3 times its
    mean eigenvalue is then added to its diagonal, and a direction in which the data do not vary
    gets no weight. Such problems can usually be satisfied almost for free; their tiny objective
    makes the relative gap slow to close, so expect the warning.
    Samples alone in their class have no target and are impostors only.

    There is no ``fit_pairs``: the method needs triplets, and no ``threshold_``.

    Parameters
    ----------
    k : int, default 3
        Target neighbours per sample; where a class has fewer, those that there are.
    c : float, default 0.5
        Weight of push against pull, between 0 and 1.
    tol : float, default 1e-3
        Stop when the duality gap is at most ``tol`` times the objective.
    max_iter : int, default 1000
        Gradient steps; a ConvergenceWarning says so when they end the fit.
    verbose : bool, default False

    Attributes
    ----------
    components_ : array (r, d)
        L with M = L^T L; r is the number of dimensions the data span.
    objective_, dual_, gap_ : float
        The objective above at M, its lower bound, and the difference.
    n_triplets_ : int
        Triplets that violate the margin at M.
    targets_ : array (n, k)
        Target neighbours of each sample, -1 where there is none.
    n_iter_ : int
    history_ : dict of arrays
        Per stage (one h, one search): h, n_iter, objective, dual.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LMNN().fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * model.objective_)
    True
    """

    def __init__(self, *, k=3, c=0.5, tol=1e-3, max_iter=1000, verbose=False):
        self.k = k
        self.c = c
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples."""
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        classes, y = np.unique(y, return_inverse=True)
        self.targets_ = find_targets(X, y, self.k)
        space = Whitened(X, self.targets_, self.c)
        problem = Problem(space.X, y, self.targets_, self.c)
        M = self._solve(problem)
        self.components_ = _signed(factor(M) @ space.W.T)
        return self

    def _check_parameters(self):
        check_number("k", self.k, at_least=1, integer=True)
        check_number("c", self.c, above=0)
        if self.c >= 1:
            raise ValueError(f"c must be a number between 0 and 1, got {self.c!r}.")
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)

    def _solve(self, problem):
        """Rounded hinges of falling width, each to a gap in line with its own error."""
        M = problem.start()
        objective, best, dual, n_triplets = np.inf, M, 0.0, 0
        history = []
        h, step, n_iter = 0.3, None, 0
        while True:
            index = problem.search(M, reach=h)
            primal, count = problem.objective(M, index)
            if primal < objective:
                objective, best, n_triplets = primal, M, count
            history.append((h, n_iter, objective, dual))
            if self.verbose:
                print(
                    f"LMNN {n_iter:4d}: h {h:.2g}, {len(index)} impostors, objective "
                    f"{objective:.6g}, dual {dual:.6g}",
                    flush=True,
                )
            done = objective - dual <= self.tol * objective
            if done or n_iter >= self.max_iter:
                break
            M, step, used, bound, settled = accelerated(
                problem, M, index, h, step, self.tol, min(100, self.max_iter - n_iter)
            )
            n_iter += used
            dual = max(dual, bound)
            if settled:
                h *= 0.3
        self.objective_, self.dual_, self.gap_ = objective, dual, objective - dual
        self.n_triplets_, self.n_iter_ = n_triplets, n_iter
        names = ("h", "n_iter", "objective", "dual")
        self.history_ = dict(zip(names, np.array(history).T, strict=True))
        if not done:
            warnings.warn(
                f"LMNN stopped after {n_iter} iterations (max_iter={self.max_iter}) at a relative "
                f"gap of {self.gap_ / objective:.3g}, above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best


def find_targets(X, y, k):
    """The k nearest samples of the same class, -1 where there are fewer."""
    targets, _ = class_neighbors(X, y, k)
    if not (targets >= 0).any():
        raise ValueError("no class has two samples: LMNN needs target neighbours.")
    short = np.sum(targets[:, -1] < 0)
    if short:
        warnings.warn(
            f"{short} samples have fewer than k={k} others in their class and get those as "
            "targets.",
            UserWarning,
            stacklevel=3,
        )
    return targets


def _signed(L):
    leading = np.take_along_axis(L, np.argmax(np.abs(L), axis=1)[:, None], axis=1)
    return L * np.where(leading < 0.0, -1.0, 1.0)


def accelerated(problem, M, index, h, step, tol, max_iter):
    """Projected gradient with momentum and restart on the rounded hinge."""
    V, t, bounds = M, 1.0, np.zeros(2)
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        value, G, lower = problem.rounded(V, index, h)
        bounds = np.maximum(bounds, lower)
        if step is None:
            step = np.linalg.norm(M) / max(float(np.linalg.norm(G)), 1e-12)
        while True:
            w, U = np.linalg.eigh(V - step * G)
            new = (U * np.maximum(w, 0.0)) @ U.T
            move = new - V
            model = value + np.sum(G * move) + np.sum(move * move) / (2.0 * step)
            smooth, _, _, hinge, _ = problem.evaluate(new, index, h)
            trace = np.trace(new)
            smooth = trace + problem.c * smooth
            if smooth <= model + 1e-10 * abs(model) or step < 1e-300:
                break
            step *= 0.5
        hinge = trace + problem.c * hinge
        # What rounding costs at this width sets how far it is worth going.
        close = smooth - bounds[1] <= 0.1 * (hinge - smooth)
        if close or hinge - bounds[0] <= 0.9 * tol * hinge:
            return new, step, n_iter, bounds[0], True
        if np.sum((V - new) * (new - M)) > 0.0:
            t = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        M, V, t = new, new + (t - 1.0) / faster * (new - M), faster
        step *= 1.1
    return M, step, n_iter, bounds[0], False
