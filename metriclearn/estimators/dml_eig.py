"""DML-eig: distance metric learning with eigenvalue optimisation (Ying and Li, 2012)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._dml_eig_objective import fista, frank_wolfe, lbfgs, mean_scale
from ._factor_descent import whitening
from ._units import metric_factor, scaled
from .base import SupervisedMetricLearner, check_choice, check_number
from .iterated_svm import need_both_kinds
from .pairs import DISSIMILAR, make_pairs

__all__ = ["DMLEig"]

SOLVERS = {"lbfgs": lbfgs, "fista": fista, "frank-wolfe": frank_wolfe}


class DMLEig(SupervisedMetricLearner):
    """Distance metric learning with eigenvalue optimisation.

    The nearest dissimilar pair should be far, at a bounded mean of the similar distances::

        max over PSD M of   min over D of <O_ij, M>     s.t.   <X_S, M> <= 1

    with O_ij = (x_i - x_j)(x_i - x_j)^T and X_S the mean of O_ij over the similar pairs S. With
    A = X_S^(1/2) M X_S^(1/2) and Y_ij = X_S^(-1/2) O_ij X_S^(-1/2) this is a problem on matrices
    of trace 1, in which the authors smooth the minimum with mu > 0 and so maximise::

        f_mu(A) = -mu ln sum over D of exp(-<Y_ij, A> / mu)     over PSD A with trace 1

    Their gradient is a weighted mean of the Y_ij and its largest eigenvector is the next step of
    Frank-Wolfe, hence the name. M = X_S^(-1/2) A X_S^(-1/2) is the result (public Python code
    leaves this last step out and so learns in the wrong coordinates). No code of the authors was
    found; what is known of theirs is from their paper and a public script of its experiments.

    When to use: pairs given for verification, where no dissimilar pair may come close. It looks at
    the worst pairs only (the more so the smaller mu), so mislabelled pairs hurt.

    Parameters
    ----------
    mu : float, default 0.1
        Smoothing of the minimum, in the units of the objective: f_mu is at most ``mu ln |D|``
        below the minimum. The authors let X_S be the sum, so that distances, and the best mu with
        them, fall as the number of similar pairs grows; with the mean a mu that was chosen on few
        samples serves for many. Their 1e-6 to 1e-1 for LFW's 2,700 similar pairs is 0.0027 to 270.
    k : int, default 3
        Neighbours per sample and kind when ``fit`` makes the pairs. The paper's own number is not
        known to us; 3 is that of its peers.
    dissimilar : {"nearest", "farthest", "random"}, default "nearest"
        Which samples of other classes make the dissimilar pairs.
    solver : {"lbfgs", "fista", "frank-wolfe"}, default "lbfgs"
        L-BFGS in a factor of A or accelerated projected gradient, both from the rough optima of
        larger mu, or the authors' Frank-Wolfe from A = I/d. All have the same optimum and the same
        certificate; where similar pairs leave out a direction (few pairs, pixels that are mostly
        constant) only the first gets there. The authors step by 2 / (t + 1); here the step is the
        best one on the segment, so that f_mu never falls.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
        ``gap_`` and the objectives are those of the full M.
    tol : float, default 1e-3
        Stop when f_mu is certified to be near its maximum: when the Frank-Wolfe gap, the largest
        eigenvalue of the gradient less <gradient, A>, is at most ``tol (f_mu + mu ln |D|)``. The
        latter is a soft minimum of the distances, and their minimum as mu falls.
        Where mu is so small that smoothing is below the tolerance, a larger one within it is
        solved for, and its weights certify the result for mu; ``history_`` then has one entry.
    max_iter : int, default 5000
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
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; n_components is d if None.
    objective_ : float
        f_mu at the solution.
    minimum_ : float
        The smallest squared distance of a dissimilar pair: the objective without smoothing.
    gap_ : float
        f_mu is at most this far below its maximum.
    history_ : array
        f_mu after each iteration; it never falls. Iterations at larger mu are left out.
    n_iter_ : int
        All iterations.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Notes
    -----
    Given the pairs, any invertible linear map of the features gives the same distances. Features
    in which all pairs agree get no weight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import DMLEig
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DMLEig(mu=0.1).fit(X, y)
    >>> bool(model.minimum_ - model.objective_ >= 0.0)
    True
    """

    def __init__(
        self,
        *,
        mu=0.1,
        k=3,
        dissimilar="nearest",
        solver="lbfgs",
        n_components=None,
        tol=1e-3,
        max_iter=5000,
        ridge=1e-6,
        random_state=None,
        verbose=False,
    ):
        self.mu = mu
        self.k = k
        self.dissimilar = dissimilar
        self.solver = solver
        self.n_components = n_components
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
        return self._fit_differences(delta, pairs.y)

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        self._check_parameters()
        pairs, y = self._check_distinct_pairs(pairs, y)
        need_both_kinds(y)
        delta = pairs[:, 0] - pairs[:, 1]
        return self._fit_differences(delta, y)

    def _check_parameters(self):
        check_number("mu", self.mu, above=0)
        check_number("k", self.k, at_least=1, integer=True)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        check_number("ridge", self.ridge, above=0)
        check_choice("dissimilar", self.dissimilar, DISSIMILAR)
        check_choice("solver", self.solver, SOLVERS)

    def _fit_differences(self, delta, y):
        delta, units = scaled(delta)
        dissimilar = delta[y < 0]
        T = _inverse_root(delta[y > 0], dissimilar, self.ridge)
        Y = dissimilar @ T
        # A unit in which distances are about 1; mu, f and the gap are taken back at the end.
        unit = np.mean(np.einsum("ij,ij->i", Y, Y)) / Y.shape[1]
        Y /= np.sqrt(unit)
        mu = self.mu / unit
        solve = SOLVERS[self.solver]
        A, path, gap, least, self.n_iter_ = solve(Y, mu, self.tol, self.max_iter, self.verbose)
        scale = mean_scale(path[-1], mu, len(Y))
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
        self.components_ = self._leading(metric_factor(T @ A @ T.T, units))
        return self


def _inverse_root(similar, dissimilar, ridge):
    """T (d, r) with T^T X_S T = I on the span of all differences, X_S with a ridge if singular."""
    X_S = similar.T @ similar / len(similar)
    both = X_S + dissimilar.T @ dissimilar / len(dissimilar)
    T = whitening(both)
    w, U = np.linalg.eigh(T.T @ X_S @ T)
    if w[0] <= 1e-10 * w[-1]:
        w = np.maximum(w, 0.0) + ridge * np.maximum(np.mean(w), np.finfo(float).tiny)
    return T @ (U / np.sqrt(w))
