"""PCML: positive-semidefinite constrained metric learning (section 3 of the paper)."""

from ..solvers.libsvm import pcml
from .iterated_svm import IteratedSVM

__all__ = ["PCML"]


class PCML(IteratedSVM):
    """Positive-semidefinite constrained metric learning.

    Solves problem (4), ``min 1/2 |M|^2 + C sum xi`` over PSD matrices M and a bias b, with
    ``h (<M, X> + b) >= 1 - xi`` for each pair, to a certified duality gap.

    When to use: nearest neighbours and verification with up to some hundred features, from labels
    or from given pairs; a good first choice, with C alone to tune. The norm of M depends on the
    units of the features: scale them to [0, 1], or whiten them, first. Where a direction says
    nothing it gets no weight, so more features than samples are no problem, but take longer.

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
        From how many samples pairs are made; None is all. The anchors are drawn from the classes
        in proportion, their neighbours found among all samples, so that a million samples are
        searched in a minute. C weighs the sum over the pairs that there are: with one
        anchor in ten, ten times C is what C is with all samples.
    solver : {"fast", "libsvm"}, default "fast"
        "libsvm" is the paper's Algorithm 1, step by step; both have the same optimum.
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
    random_state : int, RandomState or None
        For ``n_anchors`` and for ``dissimilar="random"``.
    verbose : bool, default False
        Print a line per outer iteration.

    Attributes
    ----------
    components_ : array (n_components, d)
        L with M = L^T L, rows by falling eigenvalue; n_components is d if None.
    intercept_, threshold_ : float
        The bias b, and -b: the squared distance at which a pair turns dissimilar.
    dual_coef_ : array (n_pairs,)
        lambda of (5), one per pair.
    pairs_, pair_labels_ : array
        The pairs of the fit and their labels, +1 similar, -1 dissimilar. After ``fit`` they
        are rows of X, (n_pairs, 2), so ``X[pairs_]`` are the samples; after ``fit_pairs`` they
        are the samples themselves, (n_pairs, 2, d). Pairs of identical samples are left out.
    primal_, dual_, gap_ : float
        Objectives of (4) and (5) and their difference, as ``duality_gap`` recomputes them.
    n_iter_ : int
        Outer iterations.
    history_ : dict of arrays
        Per outer iteration: seconds, primal, dual, gap and paper_gap, equation (13).
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import PCML
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PCML(C=0.1).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * model.primal_)
    True
    """

    _cone = "psd"
    _algorithm = staticmethod(pcml)
