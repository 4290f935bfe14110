"""PLML: parametric local metric learning (Wang, Kalousis and Woznica, 2012)."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._plml_distances import distance_blocks, quadratic
from ._plml_metrics import local_metrics
from ._plml_weights import anchor_weights, in_units_of, neighbor_laplacian, place_anchors
from ._units import middle
from .base import MetricLearner, check_number, check_pairs
from .neighbors import class_neighbors

__all__ = ["PLML"]

_SHARED = {
    *("n_features_in_", "feature_names_in_", "classes_", "X_", "y_", "_center", "anchors_"),
    *("weights_", "weights_objective_"),
}
_NO_MAP = "PLML has a metric per sample, not one linear map: use pairwise_distance or predict."
_NO_THRESHOLD = "PLML learns no threshold between similar and dissimilar pairs."


class _NotOffered(NotImplementedError, AttributeError):
    """Raised by a method that has no meaning here; ``hasattr`` says False."""


def _not_offered(message):
    def missing(self):
        raise _NotOffered(message)

    return property(missing)


class PLML(ClassifierMixin, MetricLearner, auto_wrap_output_keys=None):
    """Parametric local metric learning.

    Sample i has the metric M_i = sum_b W_ib M_b, a mean of m basis metrics that belong to anchors
    u_b, the centres of k-means. First the weights, without looking at the classes::

        min over W of   |X - W U|^2 + lambda1 sum_ib W_ib |x_i - u_b|^2 + lambda2 tr(W^T L W)

    each row of W non-negative with sum 1, and L the Laplacian of the graph of the nearest
    neighbours. Then the metrics, from triplets of a sample i, a near one j of its class and a
    near one l of another class, where d_i(j) = (x_i - x_j)^T M_i (x_i - x_j)::

        min over PSD M_b of   alpha1 sum_b |M_b|^2 + sum_ijl [1 + d_i(j) - d_i(l)]_+
                              + alpha2 sum_ij d_i(j)

    Both problems are convex and solved to a stated gap: the first by accelerated Gauss-Seidel
    sweeps from the solution on a coarser graph, the second by FISTA in its dual.

    A sample that was not in the training set takes the weights of its nearest training sample.
    Distances are measured with the metric of the first of two samples, so they are *not*
    symmetric. There is no linear map of all samples: ``transform`` and what needs it are not
    offered, and instead PLML is a classifier, which predicts the class of the nearest training
    sample in the metric of the sample in question.

    When to use: data that need another metric in another place, enough samples to learn several,
    and features scaled to about [0, 1]: alpha1 and lambda2 have the units of the data, and samples
    of another size want other values. Samples that are very small or large by these units end in
    a ConvergenceWarning or a ValueError.

    Parameters
    ----------
    alpha1 : float, default 1.0
        Weight of the norms; the authors choose it from 0.01 to 100 by 2-fold cross-validation.
    alpha2 : float, default 1.0
        Weight of the distances to the near samples of the same class.
    lambda1, lambda2 : float, default 1.0 and 100.0
        Weights of closeness to the anchors and of smoothness along the graph.
    n_anchors : int or None, default None
        m. None is 20, or a tenth of the samples if that is less (at least 1): small sets are our
        assumption. Never more than the distinct samples.
    k : int, default 3
        Neighbours of each kind that make a sample's triplets, k^2 of them.
    n_graph : int, default 6
        Neighbours in the graph of L, whose edges all weigh 1 and go both ways.
    tol : float, default 1e-3
        Stop each of the two problems at a gap of ``tol`` times its objective.
    max_iter : int, default 2000
        For each of the two; a ConvergenceWarning says so when they end it.
    random_state : int, RandomState or None
        For k-means.
    verbose : bool, default False
        Print a line per 50 iterations.

    Attributes
    ----------
    anchors_ : array (m, d)
        u_b.
    weights_ : array (n, m)
        W.
    metrics_ : array (m, d, d)
        M_b.
    primal_, dual_, gap_ : float
        Objectives of the second problem and their difference.
    weights_objective_ : float
        Objective of the first problem.
    n_iter_ : int
        Iterations of the second problem.
    classes_ : array (n_classes,)
        The labels.
    X_, y_ : array
        The training samples and the index of their classes.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Notes
    -----
    No code of the authors was found. The numbers above are those of their experiments as
    far as known; that the edges of the graph weigh 1, and the number of anchors on small sets,
    are assumptions of ours.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import PLML
    >>> X, y = load_iris(return_X_y=True)
    >>> PLML(random_state=0).fit(X, y).predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    path_parameter = "alpha1"

    transform = _not_offered(_NO_MAP)
    fit_transform = _not_offered(_NO_MAP)
    get_feature_names_out = _not_offered(_NO_MAP)
    get_mahalanobis_matrix = _not_offered(_NO_MAP)
    get_metric = _not_offered(_NO_MAP)
    decision_pairs = _not_offered(_NO_THRESHOLD)
    predict_pairs = _not_offered(_NO_THRESHOLD)

    def __init__(
        self,
        *,
        alpha1=1.0,
        alpha2=1.0,
        lambda1=1.0,
        lambda2=100.0,
        n_anchors=None,
        k=3,
        n_graph=6,
        tol=1e-3,
        max_iter=2000,
        random_state=None,
        verbose=False,
    ):
        self.alpha1 = alpha1
        self.alpha2 = alpha2
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.n_anchors = n_anchors
        self.k = k
        self.n_graph = n_graph
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags = None
        return tags

    def fit(self, X, y):
        """Learn weights and basis metrics from labelled samples."""
        self._check_parameters()
        self._learn_metrics(*self._learn_weights(X, y))
        return self

    def fit_path(self, X, y, *, alpha1):
        """Fitted copies for several ``alpha1``, in the order given.

        Neighbours, anchors and weights are the same for all and learned once; the metrics start
        from the solution for the next larger alpha1.
        """
        models = [clone(self).set_params(alpha1=value) for value in alpha1]
        for model in models:
            model._check_parameters()
        ordered = sorted(models, key=lambda model: -model.alpha1)
        for i, model in enumerate(ordered):
            if i == 0:
                X, same, other, size = model._learn_weights(X, y)
                g = np.zeros((*same.shape, other.shape[1]))
            for name in _SHARED & vars(ordered[0]).keys():
                setattr(model, name, getattr(ordered[0], name))
            model._learn_metrics(X, same, other, size, g)
        return models

    def _learn_weights(self, X, y):
        """The first problem; returns what the second one needs."""
        X, y = self._check_samples(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, y = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"PLML needs at least 2 classes, got one class only: {self.classes_[0]!r}."
            )
        same, other = class_neighbors(X, y, self.k)
        if (same < 0).all():
            raise ValueError("every sample is alone in its class: there is no triplet.")
        self.X_, self.y_ = X, y
        self._center = middle(X)
        X = X - self._center
        self._center, X = self._center + X.mean(axis=0), X - X.mean(axis=0)
        size = np.abs(X).max()
        if size == 0.0:
            raise ValueError("all samples are identical: there is no distance to learn.")
        # Both problems in units of the largest coordinate, where their numbers stay in range.
        X = X / size
        _, lambda2 = in_units_of(size, self.alpha1, self.lambda2)
        U = place_anchors(X, self.n_anchors, self.random_state)
        self.anchors_ = size * U + self._center
        graph = neighbor_laplacian(X, self.n_graph)
        self.weights_, objective, gap, n_iter = anchor_weights(
            X, U, graph, self.lambda1, lambda2, tol=self.tol, max_iter=self.max_iter
        )
        self.weights_objective_ = size**2 * objective
        self._warn(gap, objective, n_iter, "weights")
        return X, same, other, size

    def _learn_metrics(self, X, same, other, size, g=None):
        """The second problem, from the dual variables g, which become those of its solution."""
        metrics, self.primal_, self.dual_, self.n_iter_ = local_metrics(
            X,
            self.weights_,
            same,
            other,
            in_units_of(size, self.alpha1, self.lambda2)[0],
            self.alpha2,
            tol=self.tol,
            max_iter=self.max_iter,
            report=_report if self.verbose else None,
            g=g,
        )
        self.metrics_ = metrics / size**2
        self.gap_ = self.primal_ - self.dual_
        self._warn(self.gap_, self.primal_, self.n_iter_, "metrics")
        if not self.metrics_.any() and self.gap_ <= self.tol * self.primal_:
            warnings.warn(
                "the optimum is M_b = 0: near samples of the same class are not closer than those "
                "of others. Try a smaller alpha2.",
                UserWarning,
                stacklevel=3,
            )

    def _check_parameters(self):
        check_number("alpha1", self.alpha1, above=0)
        for name in ("alpha2", "lambda1", "lambda2"):
            check_number(name, getattr(self, name), at_least=0)
        if self.n_anchors is not None:
            check_number("n_anchors", self.n_anchors, at_least=1, integer=True)
        check_number("k", self.k, at_least=1, integer=True)
        check_number("n_graph", self.n_graph, at_least=1, integer=True)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)

    def _warn(self, gap, objective, n_iter, what):
        if gap > self.tol * objective:
            warnings.warn(
                f"the {what} of PLML stopped after {n_iter} iterations (max_iter="
                f"{self.max_iter}) at a gap of {gap:.3g}, above tol={self.tol:.3g} times the "
                f"objective of {objective:.3g}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def local_weights(self, X):
        """Weights of the basis metrics for any samples: those of the nearest training sample."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.weights_[pairwise_distances_argmin(X, self.X_)]

    def pair_distance(self, pairs):
        """Distance of each pair (n, 2, d), in the metric of its first sample."""
        check_is_fitted(self)
        pairs = check_pairs(pairs, n_features=self.n_features_in_)
        W = self.weights_[pairwise_distances_argmin(pairs[:, 0], self.X_)]
        return np.sqrt(quadratic(self.metrics_, pairs[:, 0] - pairs[:, 1], W))

    def pairwise_distance(self, A, B=None):
        """Distances between the rows of A and of B (default: A), in the metrics of the rows of A.

        Not symmetric: ``pairwise_distance(A, B)[i, j]`` uses the metric at ``A[i]``.
        """
        W = self.local_weights(A)
        A = validate_data(self, A, reset=False, dtype=np.float64) - self._center
        if B is None:
            B = A
        else:
            B = validate_data(self, B, reset=False, dtype=np.float64) - self._center
        return np.sqrt(np.concatenate([*distance_blocks(self.metrics_, A, W, B)]))

    def predict(self, X):
        """Class of the nearest training sample, in the metric of each row of X."""
        W = self.local_weights(X)
        X = validate_data(self, X, reset=False, dtype=np.float64) - self._center
        B = self.X_ - self._center
        nearest = [block.argmin(axis=1) for block in distance_blocks(self.metrics_, X, W, B)]
        return self.classes_[self.y_[np.concatenate(nearest)]]


def _report(iteration, primal, dual):
    print(f"PLML {iteration:4d}: primal {primal:.6g}, dual {dual:.6g}", flush=True)
