"""The Euclidean distance, through the common methods."""

import numpy as np
from scipy.spatial.distance import cdist

from metriclearn.estimators.euclidean import Euclidean

X = np.random.default_rng(0).normal(size=(12, 3))


def test_is_the_euclidean_distance():
    for model in (Euclidean().fit(X), Euclidean().fit(X, np.arange(12) % 2)):
        np.testing.assert_array_equal(model.get_mahalanobis_matrix(), np.eye(3))
        np.testing.assert_array_equal(model.transform(X), X)
        np.testing.assert_allclose(model.pairwise_distance(X, X[:4]), cdist(X, X[:4]), rtol=1e-13)


def test_pairs_with_and_without_labels():
    pairs = X.reshape(6, 2, 3)
    expected = np.linalg.norm(pairs[:, 0] - pairs[:, 1], axis=1)
    for y in (None, np.array([1, -1] * 3)):
        np.testing.assert_allclose(Euclidean().fit_pairs(pairs, y).pair_distance(pairs), expected)
