"""LDML: likelihood, gradients, optimum of the concave problem, pairs and threshold."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from metriclearn.estimators.ldml import LDML, logistic_all, logistic_pairs


def small(n=20, d=3, classes=3, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) + spread * rng.normal(size=(classes, d))[y], y


def all_pairs(X, y):
    i, j = np.triu_indices(len(X), 1)
    return np.stack([X[i], X[j]], axis=1), np.where(y[i] == y[j], 1, -1)


def loss_by_hand(M, b, X, y, balance=False):
    terms, alike = [], []
    for i in range(len(X)):
        for j in range(i):
            p = 1.0 / (1.0 + np.exp((X[i] - X[j]) @ M @ (X[i] - X[j]) - b))
            terms.append(-np.log(p if y[i] == y[j] else 1.0 - p))
            alike.append(y[i] == y[j])
    terms, alike = np.array(terms), np.array(alike)
    if balance:
        return 0.5 * (terms[alike].mean() + terms[~alike].mean())
    return np.mean(terms)


@pytest.mark.parametrize("balance", [True, False])
def test_objective_by_hand(balance):
    X, y = small()
    model = LDML(balance=balance).fit(X, y)
    by_hand = loss_by_hand(model.get_mahalanobis_matrix(), model.threshold_, X, y, balance)
    np.testing.assert_allclose(model.objective_, by_hand, rtol=1e-8)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.7, 0.6)], ids=["plain", "balanced"])
def test_gradients(weights):
    X, y = small()
    rng = np.random.default_rng(1)
    L, E = rng.normal(size=(2, 3, 3))
    b, h = np.array([1.5]), 1e-6
    pairs, t = all_pairs(X, y)
    delta = pairs[:, 0] - pairs[:, 1]
    for loss in (
        lambda L, b: logistic_all(L, b, X, y, weights),
        lambda L, b: logistic_pairs(L, b, lambda s: delta[s], t > 0, weights),
    ):
        slope = (loss(L + h * E, b - h)[0] - loss(L - h * E, b + h)[0]) / (2 * h)
        _, G, g = loss(L, b)
        np.testing.assert_allclose(np.vdot(2.0 * L @ G, E) - g[0], slope, rtol=1e-6)


@pytest.mark.parametrize("tile", [7, 16, 512])
def test_tiles_and_chunks_agree(monkeypatch, tile):
    X, y = small(n=45)
    monkeypatch.setattr("metriclearn.estimators.ldml._TILE", tile)
    monkeypatch.setattr("metriclearn.estimators.ldml._CHUNK", 10 * tile)
    pairs, t = all_pairs(X, y)
    L, b = np.eye(3) * 3.0, np.array([2.0])
    for weights in ((1.0, 1.0), (1.7, 0.6)):
        a = logistic_all(L, b, X, y, weights)
        c = logistic_pairs(L, b, lambda s: pairs[s, 0] - pairs[s, 1], t > 0, weights)
        for left, right in zip(a, c, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("balance", [True, False])
@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_optimum_against_cvxpy(spread, balance):
    """The problem in the full matrix, which is the concave one of the paper."""
    X, y = small(spread=spread)
    pairs, t = all_pairs(X, y)
    delta = pairs[:, 0] - pairs[:, 1]
    M, b = cp.Variable((3, 3), PSD=True), cp.Variable()
    outer = np.einsum("ni,nj->nij", delta, delta).reshape(len(delta), -1)
    s = b - outer @ cp.vec(M, order="C")
    similar = np.mean(t > 0)
    weight = np.where(t > 0, 0.5 / similar, 0.5 / (1.0 - similar)) if balance else np.ones(len(t))
    best = cp.Problem(cp.Minimize(weight @ cp.logistic(cp.multiply(-t, s)) / len(t)))
    best.solve(solver=cp.CLARABEL)
    model = LDML(balance=balance, tol=1e-7, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.objective_, best.value, rtol=1e-6)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M.value, atol=1e-3)
    np.testing.assert_allclose(model.threshold_, b.value, atol=1e-3)


def test_optimum_against_scipy_from_random_starts():
    """The authors' form, in a factor from a random start: no start does better."""
    X, y = small(n=14)
    ours = LDML(balance=False, tol=1e-6, max_iter=1000).fit(X, y).objective_
    for seed in range(3):
        start = np.random.default_rng(seed).normal(size=10)
        theirs = minimize(
            lambda x: loss_by_hand(x[:9].reshape(3, 3).T @ x[:9].reshape(3, 3), x[9], X, y),
            start,
            method="BFGS",
        )
        assert ours <= theirs.fun + 1e-6
    np.testing.assert_allclose(ours, theirs.fun, rtol=1e-4)


def test_given_pairs_and_samples_agree():
    X, y = small(n=40)
    a = LDML(tol=1e-6).fit(X, y)
    pairs, t = all_pairs(X, y)
    b = LDML(tol=1e-6).fit_pairs(pairs, t)
    doubled = LDML(tol=1e-6).fit_pairs(np.tile(pairs, (2, 1, 1)), np.tile(t, 2))
    for other in (b, doubled):
        np.testing.assert_allclose(a.objective_, other.objective_, rtol=1e-5)
        np.testing.assert_allclose(a.pairwise_distance(X), other.pairwise_distance(X), rtol=2e-2)
        np.testing.assert_allclose(a.threshold_, other.threshold_, rtol=2e-2)


def test_drawn_pairs_estimate_the_same_likelihood():
    X, y = small(n=150, spread=1.5)
    whole = LDML().fit(X, y)
    drawn = LDML(n_pairs=8000, random_state=0).fit(X, y)
    again = LDML(n_pairs=8000, random_state=0).fit(X, y)
    np.testing.assert_array_equal(drawn.components_, again.components_)
    np.testing.assert_allclose(drawn.objective_, whole.objective_, rtol=0.1)
    np.testing.assert_array_equal(LDML(n_pairs=10**9).fit(X, y).components_, whole.components_)


def test_pairs_of_many_samples_are_drawn(monkeypatch):
    X, y = small(n=60, spread=1.5)
    monkeypatch.setattr("metriclearn.estimators.ldml.MANY_SAMPLES", 59)
    monkeypatch.setattr("metriclearn.estimators.ldml.MANY_PAIRS", 500)
    drawn = LDML(n_pairs=500, random_state=0).fit(X, y).components_
    np.testing.assert_array_equal(LDML(random_state=0).fit(X, y).components_, drawn)
    whole = LDML(n_pairs=60 * 59 // 2).fit(X, y).components_
    assert not np.allclose(drawn, whole)
    monkeypatch.setattr("metriclearn.estimators.ldml.MANY_SAMPLES", 60)
    np.testing.assert_array_equal(LDML(random_state=0).fit(X, y).components_, whole)


def test_threshold_is_even_odds():
    X, y = small(n=40)
    model = LDML().fit(X, y)
    pairs, _ = all_pairs(X, y)
    p = 1.0 / (1.0 + np.exp(model.pair_distance(pairs) ** 2 - model.threshold_))
    np.testing.assert_array_equal(model.predict_pairs(pairs) > 0, p >= 0.5)


def test_never_rises_and_stops_by_its_rule():
    X, y = load_wine(return_X_y=True)
    model = LDML().fit(X, y)
    assert (np.diff(model.history_) <= 1e-12).all()
    assert LDML(tol=1e-6, max_iter=1000).fit(X, y).objective_ >= model.objective_ - model.gap_
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2\b.*above tol=0.001"):
        LDML(max_iter=2).fit(X, y)


def test_order_and_linear_maps():
    X, y = small(n=60)
    a = LDML(tol=1e-6).fit(X, y).pairwise_distance(X)
    order = np.random.default_rng(0).permutation(60)
    b = LDML(tol=1e-6).fit(X[order], y[order]).pairwise_distance(X)
    np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-3)
    T = 1e5 * (np.eye(3) + 0.5 * np.random.default_rng(2).normal(size=(3, 3)))
    c = LDML(tol=1e-6).fit(X @ T, y).pairwise_distance(X @ T)
    np.testing.assert_allclose(a, c, rtol=1e-2, atol=1e-3)


def test_separable_pairs_end():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = 0.01 * rng.normal(size=(30, 2)) + 10.0 * y[:, None]
    model = LDML(max_iter=500).fit(X, y)
    assert np.isfinite(model.components_).all() and model.objective_ < 0.01
    pairs, t = all_pairs(X, y)
    np.testing.assert_array_equal(model.predict_pairs(pairs), t)


def test_no_similar_pair():
    with pytest.raises(ValueError, match="alone in its class"):
        LDML().fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="raise n_pairs"):
        LDML(n_pairs=2, random_state=0).fit(np.arange(40.0).reshape(20, 2), np.arange(20) // 2)
