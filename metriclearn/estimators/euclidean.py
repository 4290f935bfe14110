"""The Euclidean distance as an estimator: the baseline of every table."""

import numpy as np

from .base import MetricLearner, check_pair_labels, check_pairs

__all__ = ["Euclidean"]


class Euclidean(MetricLearner):
    """M = I: no objective, no parameter; ``fit`` only learns the number of features.

    y is optional and ignored by ``fit``. It has no ``threshold_``: without learning there is
    nothing that says where "similar" ends.

    When to use: to see what learning a metric is worth. It has no author whose code could differ.
    It has no ``n_components``, as no direction leads; PCA chooses some.

    Attributes
    ----------
    components_ : array (d, d)
        The identity.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : array (d,)
        Their names, after ``fit`` on a table with names.

    Examples
    --------
    >>> from metriclearn import Euclidean
    >>> Euclidean().fit([[0.0, 0.0], [3.0, 4.0]]).pairwise_distance([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])
    """

    def __init__(self):
        pass

    def fit(self, X, y=None):
        """Check the samples and note their number of features."""
        X = self._check_samples(X)
        self.components_ = np.eye(X.shape[1])
        return self

    def fit_pairs(self, pairs, y=None):
        """Check pairs (n, 2, d), and labels if there are any, and note the number of features."""
        pairs = check_pairs(pairs)
        if y is not None:
            check_pair_labels(y, len(pairs))
        self.n_features_in_ = pairs.shape[2]
        self.components_ = np.eye(self.n_features_in_)
        return self
