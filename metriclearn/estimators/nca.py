"""NCA: neighbourhood components analysis (Goldberger et al., NIPS 2004)."""

import warnings

import numpy as np
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.utils import check_random_state

from ._nca_objective import objective
from ._units import in_range, middle
from .base import SupervisedMetricLearner, check_choice, check_number

__all__ = ["NCA"]

SOLVERS = ("auto", "exact", "sklearn", "stochastic")
INITS = ("auto", "identity", "pca", "lda")
_EXACT_UP_TO = 20_000  # samples: a pass over all pairs takes seconds
_ANCHORS = 256  # samples per stochastic step
_STEPS = 10  # stochastic steps per iteration of max_iter
_LARGEST = {"exact": 1e100, "sklearn": 1e100, "stochastic": 1e15}  # samples, for squares in range


class NCA(SupervisedMetricLearner):
    """Neighbourhood components analysis: the expected number of samples classified rightly::

        max over L:  F(L) = sum_i p_i,   p_i = sum_{j in class of i} p_ij
        p_ij = exp(-|L x_i - L x_j|^2) / sum_{k != i} exp(-|L x_i - L x_k|^2),  p_ii = 0

    F is not concave, so the start and the number of iterations are part of the method. Three
    solvers of the same objective:

    - "exact": L-BFGS on F and its gradient, in blocks of rows and without the pairs whose p_ij is
      lost in rounding, memory O(n);
    - "sklearn": scikit-learn's NeighborhoodComponentsAnalysis, to compare with: the same function,
      L-BFGS and stopping rule on several n x n arrays, five to ten times slower;
    - "stochastic": Adam on the exact p_i (against all samples) of 256 random i at a time, in
      single precision, 10 ``max_iter`` steps with a falling rate; an unbiased gradient.

    "auto" is "exact" up to 20,000 samples, then "stochastic". The paper uses conjugate gradients;
    its optimum, not its path, is what counts here. The code that is in use, drtoolbox, starts from
    small random numbers instead and ends in worse optima.

    When to use: k nearest neighbours with k = 1, classes of any shape, fewer than about 20,000
    samples; with ``n_components`` also for plots and fast search. Many features and few samples
    overfit: a smaller ``max_iter`` helps.

    There is no ``fit_pairs`` (every p_ij needs all samples) and no ``threshold_``.

    Parameters
    ----------
    n_components : int or None, default None
        Rows of L, which is learned in this size; None for as many as features.
    init : {"auto", "identity", "pca", "lda"}, default "auto"
        Start. "auto" chooses by scikit-learn's rule: LDA if n_components is below the number of
        classes, else PCA if it is below the number of features and samples, else the identity;
        and takes samples in units of the largest range of a feature, so that the units of the data
        don't matter. (After scaling to [0, 1] that is scikit-learn's start.) The others start as
        scikit-learn's do, from an identity or a PCA in whatever units the data have.
    solver : {"auto", "exact", "sklearn", "stochastic"}, default "auto"
        See above.
    max_iter : int, default 50
        A cap that also regularises; a ConvergenceWarning says so when it ends L-BFGS. The
        stochastic solver always does its 10 ``max_iter`` steps.
    tol : float, default 1e-5
        L-BFGS stops when no entry of the gradient is larger, or when an iteration gains less than
        this share of F: scikit-learn's rule.
    random_state : int, RandomState or None
        For PCA and for the stochastic solver.
    verbose : bool, default False
        Print a line per evaluation, or per 50 stochastic steps.

    Attributes
    ----------
    components_ : array (n_components, d)
        L.
    objective_ : float
        F(L) / n, between 0 and 1; after "stochastic" over 2,000 of the samples at most.
    solver_ : str
        The solver used.
    n_iter_ : int
        Iterations of L-BFGS, or stochastic steps.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import NCA
    >>> X, y = load_iris(return_X_y=True)
    >>> NCA(n_components=2, max_iter=200).fit(X, y).transform(X).shape
    (150, 2)
    """

    def __init__(
        self,
        *,
        n_components=None,
        init="auto",
        solver="auto",
        max_iter=50,
        tol=1e-5,
        random_state=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples."""
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        classes, y = np.unique(y, return_inverse=True)
        if len(classes) == len(y):
            raise ValueError("no class has two samples: NCA needs neighbours of the same class.")
        n_components = X.shape[1] if self.n_components is None else self.n_components
        rng = check_random_state(self.random_state)
        self.solver_ = self.solver
        if self.solver == "auto":
            self.solver_ = "exact" if len(X) <= _EXACT_UP_TO else "stochastic"
        X, unit = self._in_units(X)
        L = self._start(X, y, n_components, rng)
        with np.errstate(over="ignore", invalid="ignore"):
            L = getattr(self, f"_{self.solver_}")(X, y, L, rng)
            self.components_ = in_range(L / unit)
        return self

    def _in_units(self, X):
        """Centred samples, in units of the largest range unless the start is in those of X."""
        X = X - middle(X)  # makes a constant feature exactly 0
        size = 2.0 * np.abs(X).max()
        unit = size if self.init == "auto" and size > 0.0 else 1.0
        if size / unit > _LARGEST[self.solver_]:
            raise ValueError(
                f"a feature with a range of {size:.3g} is too large for init={self.init!r} with "
                f"solver={self.solver_!r}: scale it, or use init='auto'."
            )
        X = X / unit
        return X - X.mean(axis=0), unit

    def _check_parameters(self):
        check_choice("init", self.init, INITS)
        check_choice("solver", self.solver, SOLVERS)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        check_number("tol", self.tol, above=0)

    def _start(self, X, y, n_components, rng):
        n, d = X.shape
        init = self.init
        if not np.ptp(X, axis=0).any():
            init = "identity"  # identical samples: there is nothing to start from
        if init == "auto":
            lda, pca = n_components <= min(d, y.max()), n_components < min(n, d)
            init = "lda" if lda else "pca" if pca else "identity"
        if init == "lda" and y.max() + 1 < n:
            model = LinearDiscriminantAnalysis(n_components=min(n_components, y.max()))
            try:
                with np.errstate(invalid="ignore"):  # 0/0 where the classes have the same mean
                    rows = model.fit(X, y).scalings_.T[:n_components]
            except (IndexError, np.linalg.LinAlgError):  # no spread within the classes
                rows = np.empty((0, d))
        elif init == "pca" and n_components <= min(n, d):
            rows = PCA(n_components, random_state=rng).fit(X).components_
        else:
            rows = np.empty((0, d))
        L = np.eye(n_components, d)  # also where there are fewer directions than asked for
        if np.abs(rows).max(initial=0.0) < 1e15:  # LDA's have no bound on data that hardly vary
            L[: len(rows)] = rows
        return L

    def _sklearn(self, X, y, L, rng):
        model = NeighborhoodComponentsAnalysis(
            len(L), init=L, max_iter=self.max_iter, tol=self.tol, verbose=int(self.verbose)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # ours quotes both numbers
            L = model.fit(X, y).components_
        self.n_iter_ = max(int(model.n_iter_) - 1, 0)  # scikit-learn counts the start as well
        value, G = objective(L, X, y)
        self._report(value, G, self.n_iter_ < self.max_iter)
        self.objective_ = value / len(X)
        return L

    def _exact(self, X, y, L, rng):
        def negative(flat):
            value, G = objective(flat.reshape(L.shape), X, y)
            if self.verbose:
                print(f"NCA: objective {value / len(X):.6g}", flush=True)
            return -value, -G.ravel()

        result = minimize(
            negative,
            L.ravel(),
            jac=True,
            method="L-BFGS-B",
            tol=self.tol,
            options={"maxiter": self.max_iter},
        )
        self.n_iter_ = int(result.nit)
        self._report(-result.fun, result.jac, result.status != 1)
        self.objective_ = -result.fun / len(X)
        return result.x.reshape(L.shape)

    def _report(self, value, G, converged):
        if not converged:
            warnings.warn(
                f"NCA stopped after max_iter={self.max_iter} iterations at a largest gradient "
                f"entry of {np.abs(G).max():.3g}, above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _stochastic(self, X, y, L, rng):
        """Adam; the rate is a share of the typical entry of L and falls to 0 along a cosine."""
        single, L = X.astype(np.float32), L.astype(np.float32)
        n_steps = _STEPS * self.max_iter
        rate = 0.02 * np.linalg.norm(L) / np.sqrt(len(L))
        mean, square = np.zeros_like(L), np.zeros_like(L)
        order = np.empty(0, dtype=np.int64)
        for step in range(1, n_steps + 1):
            if len(order) < _ANCHORS:
                order = np.concatenate([order, rng.permutation(len(X))])
            rows, order = order[:_ANCHORS], order[_ANCHORS:]
            value, G = objective(L, single, y, rows)
            mean += 0.1 * (G - mean)
            square += 0.01 * (G * G - square)
            size = np.sqrt(square / (1.0 - 0.99**step)) + 1e-12 * np.abs(G).max() + 1e-30
            fall = 0.5 * (1.0 + np.cos(np.pi * (step - 1) / n_steps))
            L += (rate * fall / (1.0 - 0.9**step)) * mean / size
            if self.verbose and step % 50 == 0:
                print(f"NCA {step:5d}: objective about {value / len(rows):.4g}", flush=True)
        self.n_iter_ = n_steps
        some = rng.permutation(len(X))[:2000]
        self.objective_ = objective(L.astype(np.float64), X, y, some)[0] / len(some)
        return L.astype(np.float64)
