"""Verification with scikit-learn's tools: is a pair similar or not?"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from .base import check_choice, check_number, check_pair_labels, check_pairs, shape_of
from .threshold import OBJECTIVES, best_threshold

__all__ = ["PairClassifier"]


class PairClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of pairs: a learned metric, and the distance at which "similar" ends.

    ``fit`` gives the pairs to the learner's ``fit_pairs`` and then chooses the threshold on the
    distances of the same pairs. What scikit-learn does with samples it does here with pairs:
    ``GridSearchCV`` (parameters of the learner are ``estimator__C``, ...), ``cross_val_score``,
    ``scoring="roc_auc"``, splits by groups, probabilities by ``CalibratedClassifierCV``.

    When to use: verification, where the question is whether two samples are the same person,
    object or kind, also of ones that were not in training; and whenever pairs take part in model
    selection. Give ``groups`` to the split where pairs share samples, or the scores are too good.
    A learner that follows its training pairs closely makes them a poor guide to the threshold:
    ``calibrate_threshold`` on pairs that were kept back.

    Parameters
    ----------
    estimator : learner
        One with ``fit_pairs``: PCML, NCML, DoubletSVM, ITML, KISSME, LDML, DMLEig or Euclidean.
        It is cloned, and stays as it is.
    samples : array (n_samples, d) or None, default None
        What index pairs are rows of. Pairs of shape (n, 2, d) need no ``samples``.
    objective : {"accuracy", "balanced_accuracy", "f1", "true_positive_rate"}, default "accuracy"
        What the threshold maximises on the pairs. "true_positive_rate" needs the bound below.
    max_false_positive_rate : float or None, default None
        The threshold calls at most this part of the dissimilar pairs similar, from 0 to 1; the
        objective is maximised within this bound.

    Attributes
    ----------
    estimator_ : learner
        The fitted learner, with ``transform``, ``pair_distance``, ``get_mahalanobis_matrix``, ...
    threshold_ : float
        The squared distance at which a pair turns dissimilar; half-way between two pairs.
    classes_ : array (2,)
        Dissimilar, then similar: -1 and 1, or 0 and 1, as in y.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from metriclearn import PCML, PairClassifier
    >>> X, species = load_iris(return_X_y=True)
    >>> index = np.random.default_rng(0).integers(0, len(X), size=(300, 2))
    >>> same = species[index[:, 0]] == species[index[:, 1]]
    >>> model = PairClassifier(PCML(), samples=X)
    >>> search = GridSearchCV(model, {"estimator__C": [0.01, 1.0]}, scoring="roc_auc")
    >>> bool(search.fit(index, same).best_score_ > 0.95)
    True
    >>> search.predict([[0, 1], [0, 100]])
    array([ True, False])
    """

    def __init__(
        self, estimator, *, samples=None, objective="accuracy", max_false_positive_rate=None
    ):
        self.estimator = estimator
        self.samples = samples
        self.objective = objective
        self.max_false_positive_rate = max_false_positive_rate

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = self.samples is not None
        return tags

    def fit(self, pairs, y):
        """Learn the metric and choose the threshold.

        Parameters
        ----------
        pairs : array (n, 2, d), or (n, 2) of integers
            Pairs of samples, or of rows of ``samples``.
        y : array (n,)
            1 for similar pairs, -1 or 0 for dissimilar ones.

        Returns
        -------
        self
        """
        self._check_parameters()
        pairs = self._check_pairs(pairs)
        self.classes_, labels = _check_labels(y, len(pairs))
        self.estimator_ = clone(self.estimator).fit_pairs(pairs, labels)
        return self._choose_threshold(pairs, labels)

    def calibrate_threshold(self, pairs, y):
        """Choose the threshold again, on other pairs; the metric stays."""
        check_is_fitted(self)
        self._check_parameters()
        pairs = self._check_pairs(pairs)
        return self._choose_threshold(pairs, _check_labels(y, len(pairs))[1])

    def set_threshold(self, threshold):
        """Set the squared distance at which a pair turns dissimilar; the metric stays."""
        check_is_fitted(self)
        check_number("threshold", threshold, at_least=0)
        self.threshold_ = float(threshold)
        return self

    def decision_function(self, pairs):
        """``threshold_`` minus the squared distance: at least 0 where a pair counts as similar."""
        check_is_fitted(self)
        return self.threshold_ - self.estimator_.pair_distance(self._check_pairs(pairs)) ** 2

    def predict(self, pairs):
        """The class of each pair, of ``classes_``."""
        similar = self.decision_function(pairs) >= 0.0
        return self.classes_[similar.astype(int)]

    def _choose_threshold(self, pairs, labels):
        scores = -(self.estimator_.pair_distance(pairs) ** 2)
        same, bound = labels > 0, self.max_false_positive_rate
        self.threshold_ = -best_threshold(scores, same, self.objective, bound)
        return self

    def _check_parameters(self):
        if not hasattr(self.estimator, "fit_pairs"):
            raise TypeError(
                "PairClassifier needs a learner with fit_pairs, such as PCML(), got "
                f"{self.estimator!r}."
            )
        check_choice("objective", self.objective, OBJECTIVES)
        bound = self.max_false_positive_rate
        if bound is not None:
            check_number("max_false_positive_rate", bound, at_least=0)
            if bound > 1:
                raise ValueError(f"max_false_positive_rate must be at most 1, got {bound!r}.")
        elif self.objective == "true_positive_rate":
            raise ValueError(
                "objective='true_positive_rate' needs max_false_positive_rate: without it every "
                "pair is similar."
            )

    def _check_pairs(self, pairs):
        """Pairs (n, 2, d), from such or from index pairs."""
        shape = shape_of(pairs)
        if len(shape) != 2:
            return check_pairs(pairs)
        if self.samples is None:
            raise ValueError(
                "pairs must have the shape (n, 2, d), or be index pairs (n, 2) with samples=X in "
                f"the constructor, got the shape {shape}."
            )
        index = check_array(pairs, dtype=None)
        if index.shape[1] != 2 or not np.issubdtype(index.dtype, np.integer):
            raise ValueError(
                "index pairs must be integers of the shape (n, 2), got "
                f"{index.dtype} of the shape {index.shape}."
            )
        samples = check_array(self.samples, dtype=np.float64)
        outside = index[(index < 0) | (index >= len(samples))]
        if len(outside):
            raise ValueError(
                f"index pairs must be from 0 to {len(samples) - 1}, the rows of samples, got "
                f"{outside[0]}."
            )
        return samples[index]


def _check_labels(y, n_pairs):
    """The two classes, and +1 or -1 for each pair."""
    y = column_or_1d(y, warn=True)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    classes = np.unique(y)
    if not any(set(classes.tolist()) <= known for known in ({-1, 1}, {0, 1})):
        binary = (
            "" if kind == "binary" else f" Only binary classification is supported, not {kind}."
        )
        raise ValueError(
            "y must be 1 for similar and -1 or 0 for dissimilar pairs, got "
            f"{classes[:5].tolist()}.{binary}"
        )
    return classes, check_pair_labels(np.where(y == 1, 1, -1), n_pairs)
