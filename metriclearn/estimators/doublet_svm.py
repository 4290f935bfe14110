"""DoubletSVM: a pairwise SVM, made positive semidefinite afterwards (Wang et al. 2014)."""

from ..solvers.cones import clip_eigenvalues
from ..solvers.hinge import best_bias
from ..solvers.libsvm import doublet_svm
from .base import factor
from .iterated_svm import IteratedSVM

__all__ = ["DoubletSVM"]


class DoubletSVM(IteratedSVM):
    """The two-step predecessor of PCML: no cone while training, a PSD clip at the end.

    One SVM on pairs gives a symmetric matrix, whose negative eigenvalues are then set to 0.

    When to use: to see what the constraint of PCML is worth; the problem is the same without it,
    and a fit takes less time. Where the clip takes much away, PCML is the better metric.

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
        "libsvm" calls LibSVM, with a smaller tolerance until the gap is closed; both have the
        same optimum.
    tol : float, default 1e-3
        Stop when the certified duality gap is at most ``tol`` times the primal objective.
    max_iter : int, default 200
        Outer iterations; a ConvergenceWarning says so when they end the fit.
    stopping : {"certified", "authors"}, default "certified"
        "authors", for ``solver="libsvm"``, is the rule of PCML's authors in place of ``tol``.
    n_components : int or None, default None
        Keep this many leading directions of M, for plots and for speed; M is then of this rank.
        ``gap_`` and the objectives are those of the full M, ``threshold_`` is for what is kept.
    random_state : int, RandomState or None
        For ``n_anchors`` and for ``dissimilar="random"``.
    verbose : bool, default False
        Print a line per outer iteration.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; n_components is d if None.
    unclipped_ : array (d, d)
        The matrix of the SVM, before the clip.
    intercept_, threshold_ : float
        The best bias b for the clipped matrix, as clipping lengthens the distances, and -b: the
        squared distance at which a pair turns dissimilar.
    dual_coef_ : array (n_pairs,)
        Multipliers of the SVM, one per pair.
    pairs_, pair_labels_ : array
        The pairs of the fit and their labels, +1 similar, -1 dissimilar. After ``fit`` they
        are rows of X, (n_pairs, 2), so ``X[pairs_]`` are the samples; after ``fit_pairs`` they
        are the samples themselves, (n_pairs, 2, d). Pairs of identical samples are left out.
    primal_, dual_, gap_ : float
        Objectives of the SVM and their difference, as ``duality_gap`` recomputes them from
        ``unclipped_`` with ``cone="symmetric"``.
    n_iter_ : int
        Outer iterations.
    history_ : dict of arrays
        Per outer iteration: seconds, primal, dual, gap and paper_gap.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import DoubletSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DoubletSVM(C=0.1).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * model.primal_)
    True
    """

    _cone = "symmetric"
    _algorithm = staticmethod(doublet_svm)

    def _set_metric(self, M, space, h):
        self.unclipped_ = 0.5 * (M + M.T)
        self._certify(space, h, self.unclipped_, self.intercept_)
        self.components_ = factor(clip_eigenvalues(self.unclipped_))
        a = space.evaluate(self.get_mahalanobis_matrix())
        self.intercept_ = float(best_bias(a, h))
