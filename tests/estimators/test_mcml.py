"""MCML: its objective, gradient, optimum, and what must not change it."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from metriclearn.estimators.mcml import MCML, class_scatter, collapse


def small(n=16, d=3, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) + 0.8 * rng.normal(size=(classes, d))[y], y


def objective_by_hand(M, X, y):
    """sum_i KL(p0(.|i) || p(.|i)), in plain loops."""
    total = 0.0
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        d = np.array([(X[i] - X[j]) @ M @ (X[i] - X[j]) for j in others])
        p = np.exp(-d) / np.exp(-d).sum()
        alike = y[others] == y[i]
        if alike.any():
            p0 = alike / alike.sum()
            total += np.sum(p0[alike] * np.log(p0[alike] / p[alike]))
    return total


def test_objective_by_hand():
    X, y = small()
    y[0] = 7  # alone in its class
    model = MCML().fit(X, y)
    by_hand = objective_by_hand(model.get_mahalanobis_matrix(), X, y)
    np.testing.assert_allclose(model.objective_, by_hand, rtol=1e-8)


@pytest.mark.parametrize("rows", [np.arange(16), np.array([0, 3, 4, 9])])
def test_gradient(rows):
    X, y = small()
    rng = np.random.default_rng(1)
    A = class_scatter(X, y)
    L, E = rng.normal(size=(2, 3, 3))
    h = 1e-6
    slope = (collapse(L + h * E, X, A, rows)[0] - collapse(L - h * E, X, A, rows)[0]) / (2 * h)
    np.testing.assert_allclose(np.vdot(2.0 * L @ collapse(L, X, A, rows)[1], E), slope, rtol=1e-6)


def test_blocks_do_not_matter(monkeypatch):
    X, y = small(n=40)
    A, L, rows = class_scatter(X, y), np.eye(3), np.arange(40)
    whole = collapse(L, X, A, rows)
    monkeypatch.setattr("metriclearn.estimators.mcml._BLOCK", 120)
    np.testing.assert_allclose(collapse(L, X, A, rows)[0], whole[0])
    np.testing.assert_allclose(collapse(L, X, A, rows)[1], whole[1], atol=1e-10)


@pytest.mark.parametrize("seed", [0, 1])
def test_optimum_against_cvxpy(seed):
    X, y = small(seed=seed)
    n, d = X.shape
    M = cp.Variable((d, d), PSD=True)
    distance = [
        [cp.sum(cp.multiply(np.outer(X[i] - X[j], X[i] - X[j]), M)) for j in range(n)]
        for i in range(n)
    ]
    f = 0.0
    for i in range(n):
        alike = [j for j in range(n) if j != i and y[j] == y[i]]
        f += sum(distance[i][j] for j in alike) / len(alike) - np.log(len(alike))
        f += cp.log_sum_exp(cp.hstack([-distance[i][j] for j in range(n) if j != i]))
    best = cp.Problem(cp.Minimize(f)).solve(solver=cp.CLARABEL)
    model = MCML(tol=1e-7, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.objective_, best, rtol=1e-6)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M.value, atol=1e-3)


def test_never_rises_and_stops_by_its_rule():
    X, y = load_wine(return_X_y=True)
    model = MCML().fit(X, y)
    assert (np.diff(model.history_) <= 1e-9 * model.history_[0]).all()
    at_zero = np.sum(np.log((len(y) - 1) / (np.bincount(y)[y] - 1)))
    assert model.gap_ <= 1e-3 * at_zero
    assert MCML(tol=1e-6).fit(X, y).objective_ >= model.objective_ - model.gap_


def test_max_iter_is_told():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1\b.*above tol=0.001"):
        MCML(max_iter=1).fit(X, y)


def test_order_of_samples():
    X, y = small(n=60)
    order = np.random.default_rng(0).permutation(60)
    a = MCML(tol=1e-6).fit(X, y).pairwise_distance(X)
    b = MCML(tol=1e-6).fit(X[order], y[order]).pairwise_distance(X)
    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("scale", [1.0, 1e7, 1e-7])
def test_any_linear_map(scale):
    X, y = small(n=60)
    T = scale * (np.eye(3) + 0.5 * np.random.default_rng(2).normal(size=(3, 3)))
    a = MCML(tol=1e-6).fit(X, y).pairwise_distance(X)
    b = MCML(tol=1e-6).fit(X @ T + 5 * scale, y).pairwise_distance(X @ T + 5 * scale)
    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


def test_optimum_at_infinity_is_finite():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 40)), np.arange(12) % 3
    model = MCML().fit(X, y)
    assert np.isfinite(model.components_).all()
    assert model.objective_ < 0.1


def test_nothing_to_collapse():
    with pytest.raises(ValueError, match="alone in its class"):
        MCML().fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="all samples are the same"):
        MCML().fit(np.ones((4, 2)), [0, 1, 0, 1])


def test_orthogonal_components_are_euclidean():
    X, y = load_wine(return_X_y=True)
    model = MCML(components="orthogonal").fit(X, y)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(13), atol=1e-12)
    expected = np.linalg.norm(X[:9, None] - X, axis=2)
    np.testing.assert_allclose(model.pairwise_distance(X[:9], X), expected, rtol=1e-6, atol=1e-9)
    # The rows are directions of the metric, by falling weight.
    M = MCML().fit(X, y).get_mahalanobis_matrix()
    weights = np.einsum("ij,jk,ik->i", model.components_, M, model.components_)
    assert (np.diff(weights) <= 1e-9 * weights[0]).all()
