"""NCML: nonnegative-coefficient constrained metric learning (section 4 of the paper)."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted, validate_data

from ..solvers.libsvm import ncml
from ..solvers.spaces import KernelPairs
from .base import check_choice, check_pairs
from .certificate import gap_in
from .iterated_svm import IteratedSVM, need_both_kinds
from .kernels import NAMES, check_pair_kernel, kernel_matrix
from .pairs import make_pairs, rank_pairs

__all__ = ["NCML"]

_BLOCK = 256  # samples per block when pairs must be formed explicitly


class NCML(IteratedSVM):
    """Nonnegative-coefficient constrained metric learning.

    Solves problem (17): PCML's objective over M = sum_p alpha_p X_p, alpha >= 0, a cone inside
    the PSD one. The paper's two nonlinear extensions replace the inner product of pairs.

    When to use: where PCML is used, with errors about as low; and, with a kernel, where a linear
    map is not enough or samples are known by a kernel matrix only. M is a combination of the few
    pairs with a coefficient, which can be looked at. Many pairs of many features take longer than
    with PCML. The features must be scaled as for PCML.

    Parameters
    ----------
    C : float, default 1.0
        Weight of the hinge loss of each pair.
    k : int, default 1
        Neighbours per sample and kind when ``fit`` makes the pairs.
    dissimilar : {"nearest", "farthest", "random"}, default "nearest"
        Which samples of other classes make the dissimilar pairs. The paper's text says farthest;
        its numbers are reproduced with the nearest.
    n_anchors : int or None, default None
        From how many samples pairs are made; None is all. See ``PCML``: with one anchor in ten,
        ten times C is what C is with all samples.
    solver : {"fast", "libsvm"}, default "fast"
        "libsvm" is the paper's Algorithm 2, step by step; both have the same optimum.
    tol : float, default 1e-3
        Stop when the certified duality gap is at most ``tol`` times the primal objective.
    max_iter : int, default 200
        Outer iterations; a ConvergenceWarning says so when they end the fit.
    stopping : {"certified", "authors"}, default "certified"
        "authors", for ``solver="libsvm"``, is the rule of the authors' published program in
        place of ``tol``: at least three iterations, and a gap below 0.1 or 0.01 of the first
        one, by a formula that certifies nothing before the optimum.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
        ``gap_`` and the objectives are those of the full M, ``threshold_`` is for what is kept.
    kernel : {"linear", "rbf", "polynomial", "chi2", "precomputed"} or callable, default "linear"
        A kernel on samples, equation (34). A callable takes two arrays of samples and returns
        the matrix of values. With "precomputed", X in ``fit`` is the (n, n) kernel matrix, and
        later rows are kernel values against the n training samples.
    gamma : float or None, default None
        Of the kernels "rbf", "polynomial" and "chi2", as in ``sklearn.metrics.pairwise``; None is
        its default.
    degree : float, default 3
        Of the kernel "polynomial".
    coef0 : float, default 1.0
        Of the kernel "polynomial".
    pair_kernel : callable or None, default None
        A kernel on pairs, equation (33), instead: takes two arrays (m, 2, d) and (n, 2, d) and
        returns (m, n) nonnegative values.
    random_state : int, RandomState or None
        For ``n_anchors`` and for ``dissimilar="random"``.
    verbose : bool, default False
        Print a line per outer iteration.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; n_components is d if None. With a
        kernel there are none: the metric lives in the kernel's feature space, so
        ``pair_distance`` and ``pairwise_distance`` work and ``transform`` does not.
    intercept_, threshold_ : float
        The bias b, and -b: the squared distance at which a pair turns dissimilar.
    dual_coef_ : array (n_pairs,)
        beta of (19), one per pair.
    alpha_ : array (n_pairs,)
        Coefficients of the pairs in M, equation (26).
    support_pairs_, support_alpha_ : array
        With a kernel, the samples of the pairs with a coefficient, (n, 2, d), and these.
    pairs_, pair_labels_ : array
        The pairs of the fit and their labels, +1 similar, -1 dissimilar. After ``fit`` they
        are rows of X, (n_pairs, 2), so ``X[pairs_]`` are the samples; after ``fit_pairs`` they
        are the samples themselves, (n_pairs, 2, d). Pairs of identical samples are left out.
    primal_, dual_, gap_ : float
        Objectives of (17) and (19) and their difference, as ``duality_gap`` recomputes them.
    n_iter_ : int
        Outer iterations.
    history_ : dict of arrays
        Per outer iteration: seconds, primal, dual, gap and paper_gap, equation (29).
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import NCML
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NCML(C=0.1).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * model.primal_)
    True
    >>> NCML(kernel="rbf", gamma=0.5).fit(X, y).pairwise_distance(X[:3]).shape
    (3, 3)
    """

    _cone = "pairs"
    _algorithm = staticmethod(ncml)

    def __init__(
        self,
        *,
        C=1.0,
        k=1,
        dissimilar="nearest",
        n_anchors=None,
        solver="fast",
        tol=1e-3,
        max_iter=200,
        stopping="certified",
        n_components=None,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1.0,
        pair_kernel=None,
        random_state=None,
        verbose=False,
    ):
        super().__init__(
            C=C,
            k=k,
            dissimilar=dissimilar,
            n_anchors=n_anchors,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            stopping=stopping,
            n_components=n_components,
            random_state=random_state,
            verbose=verbose,
        )
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.pair_kernel = pair_kernel

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _check_parameters(self):
        super()._check_parameters()
        if not callable(self.kernel):
            check_choice("kernel", self.kernel, NAMES)
        if self.pair_kernel is not None and not callable(self.pair_kernel):
            raise ValueError(f"pair_kernel must be callable or None, got {self.pair_kernel!r}.")
        if self.pair_kernel is not None and self.kernel != "linear":
            raise ValueError("give a kernel on samples or a pair_kernel, not both.")
        if self.n_components is not None and self._nonlinear:
            raise ValueError(
                f"n_components={self.n_components!r} needs kernel='linear': a metric learned with "
                "a kernel has no matrix M on the features."
            )

    @property
    def _nonlinear(self):
        return self.pair_kernel is not None or self.kernel != "linear"

    def _solve(self, space, h, unit4, start=None):
        solution = super()._solve(space, h, unit4, start)
        self.alpha_ = solution.alpha / unit4
        return solution

    def fit(self, X, y):
        """Learn the metric from labelled samples; pairs are made as ``k``, ``dissimilar`` say."""
        if not self._nonlinear:
            return super().fit(X, y)
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        if self.pair_kernel is not None:
            pairs = make_pairs(X, y, **self._pair_parameters())
        else:
            if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
                raise ValueError(f"a precomputed kernel must be square in fit, got {X.shape}.")
            K = kernel_matrix(self.kernel, X, X, self._kernel_parameters())
            squared = K.diagonal()[:, None] + K.diagonal() - K - K.T
            apart = 1e-12 * np.abs(K.diagonal()).max()
            pairs = rank_pairs(squared, y, apart, **self._pair_parameters())
        need_both_kinds(pairs.y)
        self.pairs_, self.pair_labels_ = pairs.index, pairs.y
        if self.pair_kernel is not None:
            return self._fit_kernel(self._pair_block(X[pairs.index]), pairs.y, X[pairs.index])
        i, j = pairs.index.T
        return self._fit_kernel(_sample_block(K, i, j), pairs.y, X[pairs.index])

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        if not self._nonlinear:
            return super().fit_pairs(pairs, y)
        self._check_parameters()
        if self.kernel == "precomputed":
            raise ValueError("fit_pairs has no samples for a precomputed kernel: use fit.")
        pairs, y = self._check_pairs(pairs, y)
        if self.pair_kernel is not None:
            block = self._pair_block(pairs)
        else:
            samples, position = np.unique(
                pairs.reshape(-1, pairs.shape[2]), axis=0, return_inverse=True
            )
            K = kernel_matrix(self.kernel, samples, samples, self._kernel_parameters())
            i, j = position.reshape(-1, 2).T
            block = _sample_block(K, i, j)
        self.pairs_, self.pair_labels_ = pairs, y
        return self._fit_kernel(block, y, pairs)

    def fit_path(self, X, y, C):
        if not self._nonlinear:
            return super().fit_path(X, y, C)
        return [model.fit(X, y) for model in self._path_models(C)]

    def fit_path_pairs(self, pairs, y, C):
        if not self._nonlinear:
            return super().fit_path_pairs(pairs, y, C)
        return [model.fit_pairs(pairs, y) for model in self._path_models(C)]

    def _kernel_parameters(self):
        return {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}

    def _pair_block(self, pairs):
        def block(rows, columns):
            values = self.pair_kernel(pairs[rows], pairs[columns])
            return check_pair_kernel(values, (len(rows), len(columns)))

        return block

    def _fit_kernel(self, block, y, pairs):
        """Solve in the kernel's feature space; ``pairs`` are the samples behind the pairs."""
        everything = np.arange(len(y))
        parts = np.array_split(everything, len(y) // _BLOCK + 1)
        diagonal = np.concatenate([block(part, part).diagonal() for part in parts])
        if not (diagonal > 0.0).all():
            keep = np.flatnonzero(diagonal > 0.0)
            self.pairs_, self.pair_labels_ = self.pairs_[keep], y[keep]
            need_both_kinds(y[keep])
            return self._fit_kernel(
                lambda rows, columns: block(keep[rows], keep[columns]), y[keep], pairs[keep]
            )
        h = -y
        unit4 = float(np.mean(np.sqrt(diagonal))) ** 2
        space = KernelPairs(lambda rows, columns: block(rows, columns) / unit4, len(y))
        solution = self._solve(space, h, unit4)
        self.intercept_ = float(solution.b)
        self.threshold_ = -self.intercept_
        # In the scaled space alpha and lambda are larger by unit4, the objective likewise.
        gap = gap_in(
            space,
            h,
            self.C * unit4,
            self._cone,
            space.combine(self.alpha_ * unit4),
            self.intercept_,
            self.dual_coef_ * unit4,
        )
        self.primal_, self.dual_, self.gap_ = (float(value) / unit4 for value in gap)
        support = np.flatnonzero(self.alpha_)
        self.support_pairs_, self.support_alpha_ = pairs[support], self.alpha_[support]
        return self

    def transform(self, X):
        """Map samples to the space where the learned distance is Euclidean (linear kernel)."""
        check_is_fitted(self)
        if self._nonlinear:
            raise NotImplementedError(
                "a metric learned with a kernel lives in the kernel's feature space and has no "
                "matrix L to transform samples with: use pair_distance or pairwise_distance."
            )
        return super().transform(X)

    def get_mahalanobis_matrix(self):
        """M = L^T L (linear kernel)."""
        check_is_fitted(self)
        if self._nonlinear:
            raise NotImplementedError(
                "a metric learned with a kernel has no matrix M on the features: M is "
                "sum alpha_ X over the pairs in the kernel's feature space."
            )
        return super().get_mahalanobis_matrix()

    def get_metric(self):
        """The learned distance as a picklable function of two vectors."""
        check_is_fitted(self)
        return KernelMetric(self) if self._nonlinear else super().get_metric()

    def pair_distance(self, pairs):
        """Learned distance of each pair (n, 2, d): equation (33) or (34) with a kernel."""
        check_is_fitted(self)
        if not self._nonlinear:
            return super().pair_distance(pairs)
        pairs = check_pairs(pairs, n_features=self.n_features_in_)
        if self.pair_kernel is None:
            return np.linalg.norm(self._embed(pairs[:, 0]) - self._embed(pairs[:, 1]), axis=1)
        values = self.pair_kernel(self.support_pairs_, pairs)
        values = check_pair_kernel(values, (len(self.support_pairs_), len(pairs)))
        return np.sqrt(self.support_alpha_ @ values)

    def pairwise_distance(self, A, B=None):
        """Learned distances between the rows of A and those of B (default: A)."""
        check_is_fitted(self)
        if not self._nonlinear:
            return super().pairwise_distance(A, B)
        A = validate_data(self, A, reset=False, dtype=np.float64)
        B = A if B is None else validate_data(self, B, reset=False, dtype=np.float64)
        if self.pair_kernel is None:
            return cdist(self._embed(A), self._embed(B))
        out = np.empty((len(A), len(B)))
        for i in range(len(A)):
            for start in range(0, len(B), _BLOCK):
                part = B[start : start + _BLOCK]
                pairs = np.stack([np.broadcast_to(A[i], part.shape), part], axis=1)
                out[i, start : start + _BLOCK] = self.pair_distance(pairs)
        return out

    def _embed(self, X):
        """sqrt(alpha) (k(x_i, x) - k(x_j, x)) per pair (i, j): Euclidean distances give (34)."""
        if self.kernel == "precomputed":
            i, j = self.pairs_[np.flatnonzero(self.alpha_)].T
            values = X[:, i] - X[:, j]
        else:
            parameters = self._kernel_parameters()
            values = kernel_matrix(self.kernel, X, self.support_pairs_[:, 0], parameters)
            values = values - kernel_matrix(self.kernel, X, self.support_pairs_[:, 1], parameters)
        return values * np.sqrt(self.support_alpha_)


class KernelMetric:
    """The distance of a nonlinear NCML as a function of two vectors; it pickles."""

    def __init__(self, model):
        self.model = model

    def __call__(self, u, v):
        return float(self.model.pair_distance(np.stack([u, v])[None])[0])


def _sample_block(K, i, j):
    """The pair kernel in (34) from the kernel matrix of the samples."""

    def block(rows, columns):
        left = K[np.ix_(i[rows], i[columns])] - K[np.ix_(i[rows], j[columns])]
        right = K[np.ix_(j[rows], i[columns])] - K[np.ix_(j[rows], j[columns])]
        return (left - right) ** 2

    return block
