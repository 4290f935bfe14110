"""Nonlinear NCML: equations (33) and (34)."""

import pickle

import numpy as np
import pytest
from sklearn.metrics.pairwise import chi2_kernel, polynomial_kernel, rbf_kernel

from metriclearn import NCML, duality_gap
from metriclearn.estimators.kernels import sample_kernel


def ring_pairs(n, seed):
    """Pairs of points on two rings, similar if on the same one: far apart or close alike."""
    rng = np.random.default_rng(seed)
    ring, angle = rng.integers(0, 2, (n, 2)), rng.uniform(0, 2 * np.pi, (n, 2))
    radius = 1.0 + ring + 0.1 * rng.standard_normal((n, 2))
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    return pairs, np.where(ring[:, 0] == ring[:, 1], 1, -1)


def histograms(n, seed):
    """Histograms of 12 bins; a few rare bins carry the class, the common ones are noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    rates = np.r_[np.full(6, 30.0), np.full(6, 1.0)] * np.ones((n, 1))
    rates[:, 6:9] += 1.5 * y[:, None]
    rates[:, 9:] += 1.5 * (1 - y[:, None])
    rates[:, :6] *= rng.uniform(0.3, 1.7, (n, 6))
    counts = rng.poisson(rates) + 0.0
    return counts / counts.sum(axis=1, keepdims=True), y


def error(model, train, test):
    model.fit(*train)
    nearest = model.pairwise_distance(test[0], train[0]).argmin(axis=1)
    return np.mean(train[1][nearest] != test[1])


def test_kernel_helps_on_rings():
    """The radius is linear in the features of a polynomial kernel, and of no linear metric."""
    train, (pairs, y) = ring_pairs(400, 0), ring_pairs(1000, 1)
    linear = NCML(C=1.0).fit_pairs(*train)
    kernel = NCML(C=1.0, kernel="polynomial", degree=2, gamma=1.0, coef0=0.0).fit_pairs(*train)
    assert np.mean(linear.predict_pairs(pairs) == y) < 0.65
    assert np.mean(kernel.predict_pairs(pairs) == y) > 0.75


def test_chi2_helps_on_histograms():
    train, test = histograms(200, 0), histograms(1000, 1)
    linear = error(NCML(C=10.0, k=2), train, test)
    chi2 = error(NCML(C=10.0, k=2, kernel="chi2", gamma=1.0), train, test)
    assert chi2 < linear - 0.02


def test_polynomial_of_degree_one_is_the_linear_model(blobs):
    X, y = blobs
    linear = NCML(C=0.3, k=2, tol=1e-5).fit(X, y)
    kernel = NCML(C=0.3, k=2, tol=1e-5, kernel="polynomial", degree=1, gamma=1.0).fit(X, y)
    np.testing.assert_array_equal(kernel.pairs_, linear.pairs_)
    assert kernel.primal_ == pytest.approx(linear.primal_, rel=2e-5)
    np.testing.assert_allclose(
        kernel.pairwise_distance(X[:9]), linear.pairwise_distance(X[:9]), atol=1e-2
    )


def test_pair_kernel_of_the_paper_is_the_linear_model(blobs):
    """Equation (33) with K = (Delta . Delta')^2, the kernel (8)."""
    X, y = blobs

    def linear_kernel(first, second):
        return ((first[:, 0] - first[:, 1]) @ (second[:, 0] - second[:, 1]).T) ** 2

    linear = NCML(C=0.3, k=2, tol=1e-5).fit(X, y)
    kernel = NCML(C=0.3, k=2, tol=1e-5, pair_kernel=linear_kernel).fit(X, y)
    assert kernel.primal_ == pytest.approx(linear.primal_, rel=2e-5)
    expected = linear.pairwise_distance(X[:5], X[5:12])
    np.testing.assert_allclose(kernel.pairwise_distance(X[:5], X[5:12]), expected, atol=1e-2)


@pytest.mark.parametrize(
    "name, function",
    [("rbf", rbf_kernel), ("polynomial", polynomial_kernel), ("chi2", chi2_kernel)],
)
def test_named_callable_and_precomputed_kernels_are_one(blobs, name, function):
    X, y = np.abs(blobs[0]), blobs[1]

    def kernel(A, B):
        return function(A, B, gamma=0.5)

    named = NCML(C=0.5, kernel=name, gamma=0.5).fit(X, y)
    called = NCML(C=0.5, kernel=kernel).fit(X, y)
    given = NCML(C=0.5, kernel="precomputed").fit(kernel(X, X), y)
    assert named.primal_ == called.primal_ == given.primal_
    expected = named.pairwise_distance(X[:4], X[4:9])
    np.testing.assert_allclose(called.pairwise_distance(X[:4], X[4:9]), expected)
    np.testing.assert_allclose(
        given.pairwise_distance(kernel(X[:4], X), kernel(X[4:9], X)), expected
    )
    by_pairs = named.pair_distance(np.stack([X[:4], X[4:8]], axis=1))
    np.testing.assert_allclose(by_pairs, np.diag(expected))


def test_the_distance_is_equation_34(blobs):
    X, y = blobs
    model = NCML(C=0.5, kernel="rbf", gamma=0.3).fit(X, y)
    K = rbf_kernel(X, gamma=0.3)
    i, j = model.pairs_.T
    m, n = 3, 50
    squared = model.alpha_ @ (K[i, m] - K[i, n] - K[j, m] + K[j, n]) ** 2
    assert model.pairwise_distance(X[[m]], X[[n]])[0, 0] ** 2 == pytest.approx(squared)
    metric = pickle.loads(pickle.dumps(model.get_metric()))
    assert metric(X[m], X[n]) ** 2 == pytest.approx(squared)


@pytest.mark.parametrize("solver", ["fast", "libsvm"])
def test_the_kernel_certificate_can_be_recomputed(blobs, solver):
    X, y = blobs
    model = NCML(C=0.1, kernel="rbf", gamma=0.1, solver=solver).fit(X, y)
    gap = duality_gap(
        model.alpha_,
        model.intercept_,
        model.dual_coef_,
        X[model.pairs_],
        model.pair_labels_,
        0.1,
        cone="pairs",
        kernel=sample_kernel("rbf", gamma=0.1),
    )
    np.testing.assert_allclose(gap, (model.primal_, model.dual_, model.gap_), rtol=1e-6, atol=1e-9)
    assert model.gap_ <= 1.001e-3 * model.primal_


def test_both_solvers_agree_with_a_kernel(blobs):
    X, y = blobs
    fast, slow = (
        NCML(C=0.1, kernel="rbf", gamma=0.1, tol=1e-4, solver=solver).fit(X, y).primal_
        for solver in ("fast", "libsvm")
    )
    assert fast == pytest.approx(slow, rel=2e-4)


def test_fit_pairs_with_a_kernel_is_the_same_problem(blobs):
    X, y = blobs
    model = NCML(C=0.5, kernel="rbf", gamma=0.3).fit(X, y)
    again = NCML(C=0.5, kernel="rbf", gamma=0.3).fit_pairs(X[model.pairs_], model.pair_labels_)
    assert again.primal_ == pytest.approx(model.primal_, rel=1e-9)


def test_transform_says_why_it_cannot(blobs):
    model = NCML(kernel="rbf").fit(*blobs)
    with pytest.raises(NotImplementedError, match="feature space .* pairwise_distance"):
        model.transform(blobs[0])
    with pytest.raises(NotImplementedError, match="no matrix M"):
        model.get_mahalanobis_matrix()
