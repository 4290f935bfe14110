"""MCML: metric learning by collapsing classes (Globerson and Roweis, 2005)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._exp import softmax_rows
from ._factor_descent import minimize_factor, whitening
from ._units import in_units, metric_factor
from .base import SupervisedMetricLearner, check_choice, check_number

__all__ = ["MCML"]

COMPONENTS = ("metric", "orthogonal")
_BLOCK = 2**18  # distances held at a time


class MCML(SupervisedMetricLearner):
    """Maximally collapsing metric learning.

    Each sample chooses another one with probability
    ``p(j|i) = exp(-d(i, j)) / sum_{k != i} exp(-d(i, k))``, where d(i, j) is the squared distance
    (x_i - x_j)^T M (x_i - x_j); ideally p0(j|i), uniform over the rest of its class. The metric
    solves the convex problem

        min over PSD M of   sum_i KL(p0(.|i) || p(.|i))

    There is nothing to tune: the scale of M is part of the solution, and any invertible linear
    map of the features gives the same distances. The rows are normalised as in the paper: each
    sample weighs the same (public Python code that leaves this out weighs large classes more).
    Samples alone in their class have no p0: they are chosen from, but don't choose. The paper
    descends by projected gradient; here it is L-BFGS in a square factor of M, which has the same
    optimum. The authors' low-rank variant truncates the spectrum of the same M: ``n_components``.

    The code that is in use, drtoolbox, returns the singular vectors of M *without* the singular
    values. With all dimensions that map is orthogonal and its distances are Euclidean, whatever
    was learned; errors reported for MCML that equal those of the Euclidean distance come from
    there. ``components="orthogonal"`` does the same; with ``n_components`` it is a
    projection.

    When to use: classes that are each one cloud, up to some ten thousand samples, and no wish to
    tune anything. A class of several clusters is better served by NCA or LMNN.

    A fit costs O(n^2 d) per iteration and little memory, as distances are made in blocks: a
    minute or two for 16,000 samples, hours for 60,000, where the paper leaves it out.

    Parameters
    ----------
    components : {"metric", "orthogonal"}, default "metric"
        Rows of ``components_``: the factor of M, or its eigenvectors alone, see above.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
        ``gap_`` and the objectives are those of the full M.
    tol : float, default 1e-3
        Stop when the objective can fall by no more than ``tol`` times its value at M = 0, as
        estimated from the optimality conditions.
    max_iter : int, default 200
        A ConvergenceWarning says so when they end the fit.
    verbose : bool, default False
        Print a line per iteration.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; of length 1 if "orthogonal". n_components
        is d if None.
    objective_ : float
        The sum above, at the solution.
    gap_ : float
        By how much it may be above the optimum, estimated.
    history_ : array (n_iter,)
        The objective after each iteration; it never rises.
    n_iter_ : int
        Iterations of L-BFGS.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Notes
    -----
    Where some direction tells the classes apart without varying within them, as with fewer samples
    than features, the optimum is at infinity and the objective tends to 0; the fit ends as soon as
    it is within the tolerance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import MCML
    >>> X, y = load_iris(return_X_y=True)
    >>> MCML().fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self, *, components="metric", n_components=None, tol=1e-3, max_iter=200, verbose=False
    ):
        self.components = components
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples."""
        check_choice("components", self.components, COMPONENTS)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        X, y = self._check_labelled(X, y)
        y = _check_classes(y)
        X, unit = in_units(X)
        # Coordinates in which the scatter within the classes is (nearly) the identity: the
        # problem is the same in all, and this is where the descent is short.
        T = whitening(class_scatter(X, y) + 1e-3 * X.T @ X / len(X))
        if T.shape[1] == 0:
            raise ValueError("all samples are the same: there is no distance to learn.")
        Z = X @ T
        A = class_scatter(Z, y)
        sizes = np.bincount(y)[y]
        rows = np.flatnonzero(sizes > 1)
        entropy = np.log(sizes[rows] - 1.0).sum()
        at_zero = len(rows) * np.log(len(y) - 1.0) - entropy

        def objective(L, c):
            f, G = collapse(L, Z, A, rows)
            return f - entropy, G, c

        L, _, self.objective_, self.gap_, self.history_ = minimize_factor(
            objective,
            np.eye(Z.shape[1]),
            np.empty(0),
            target=self.tol * at_zero,
            max_iter=self.max_iter,
            report=_report if self.verbose else None,
        )
        self.n_iter_ = len(self.history_)
        if self.gap_ > self.tol * at_zero:
            warnings.warn(
                f"MCML stopped after {self.n_iter_} iterations (max_iter={self.max_iter}) at an "
                f"estimated relative gap of {self.gap_ / at_zero:.3g}, above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.components_ = self._leading(metric_factor(T @ (L.T @ L) @ T.T, unit))
        if self.components == "orthogonal":
            self.components_ = np.linalg.svd(self.components_)[2][: len(self.components_)]
        return self


def class_scatter(X, y):
    """sum_ij p0(j|i) (x_i - x_j)(x_i - x_j)^T, class by class."""
    sizes = np.bincount(y)
    means = np.zeros((len(sizes), X.shape[1]))
    np.add.at(means, y, X)
    centred = X - (means / sizes[:, None])[y]
    weight = 2.0 * sizes / np.maximum(sizes - 1, 1)
    return (centred * weight[y][:, None]).T @ centred


def collapse(L, X, A, rows):
    """The objective, less its constant entropy of p0, and its gradient in M = L^T L.

    <A, M> + sum over i in ``rows`` of log sum_{k != i} exp(-d(i, k)), with A from
    ``class_scatter``. The outer products of all pairs, weighted by p, are two Laplacians:
    X^T (D - P) X.
    """
    n = len(X)
    Z = X @ L.T
    norms = np.einsum("ij,ij->i", Z, Z)
    right = np.vstack([2.0 * Z.T, -norms])  # left @ right = |z_i|^2 - d(i, j)
    left = np.column_stack([Z, np.ones(n)])
    value = np.vdot(A, L.T @ L)
    columns = np.zeros(n)
    cross = np.zeros((X.shape[1], X.shape[1]))
    step = max(1, _BLOCK // n)
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        P = left[block] @ right
        top, total = np.empty(len(block)), np.empty(len(block))
        softmax_rows(P, block, top, total)
        value += np.sum(top + np.log(total) - norms[block])
        columns += (1.0 / total) @ P
        cross += (X[block] / total[:, None]).T @ (P @ X)
    columns[rows] += 1.0
    G = A - (X * columns[:, None]).T @ X + cross + cross.T
    return value, 0.5 * (G + G.T)


def _check_classes(y):
    classes, y = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"MCML needs at least 2 classes, got one class only: {classes[0]!r}.")
    if np.bincount(y).max() < 2:
        raise ValueError("every sample is alone in its class: there is no class to collapse.")
    return y


def _report(iteration, f, gap):
    print(f"MCML {iteration:3d}: objective {f:.6g}, gap at most about {gap:.2e}", flush=True)
