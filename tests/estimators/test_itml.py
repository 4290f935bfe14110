"""ITML against its constraints, its KKT conditions and an independent solver."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from metriclearn.estimators.itml import ITML, find_bounds, objectives, random_pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    start = rng.normal(size=(n, d))
    scale = np.where(y[:, None] > 0, [0.3, 1.0, 0.5], [1.0, 1.0, 1.5])
    return np.stack([start, start + scale * rng.normal(size=(n, d))], axis=1), y


def solved(gamma=1.0, **parameters):
    pairs, y = problem()
    parameters = {"bounds": (0.5, 3.0), "tol": 1e-10, "max_iter": 20000} | parameters
    return ITML(gamma=gamma, **parameters).fit_pairs(pairs, y), pairs[:, 0] - pairs[:, 1], y


@pytest.mark.parametrize("gamma", [0.1, 1.0, 5.0])
def test_optimality_conditions(gamma):
    model, v, y = solved(gamma)
    M, lam = model.get_mahalanobis_matrix(), model.dual_coef_
    xi0 = np.where(y > 0, 0.5, 3.0)
    # Stationarity, dual feasibility.
    expected = np.eye(3) + v.T @ ((y * lam)[:, None] * v)
    np.testing.assert_allclose(np.linalg.inv(M), expected, rtol=1e-6, atol=1e-8)
    assert (lam >= 0.0).all() and (lam > 0.0).any() and (lam == 0.0).any()
    # Primal feasibility with the slack of lambda, complementary slackness.
    xi = 1.0 / (1.0 / xi0 - y * lam / gamma)
    excess = y * (np.einsum("pi,ij,pj->p", v, M, v) - xi) / xi
    assert excess.max() < 1e-6
    assert np.abs(excess[lam > 1e-9]).max() < 1e-5
    assert -1e-9 <= model.gap_ <= 1e-6 * model.primal_


def test_optimum_of_a_tiny_problem():
    model, v, y = solved(0.7)
    xi0 = np.where(y > 0, 0.5, 3.0)
    low = np.tril_indices(3)

    def value(flat):
        L = np.zeros((3, 3))
        L[low] = flat
        M = L @ L.T + 1e-12 * np.eye(3)
        r = np.sum((v @ M) * v, axis=1) / xi0
        bad = np.where(y > 0, r > 1.0, r < 1.0)
        divergence = np.trace(M) - np.linalg.slogdet(M)[1] - 3.0
        return divergence + 0.7 * np.sum((r - np.log(r) - 1.0)[bad])

    best = minimize(value, np.eye(3)[low], method="BFGS", options={"gtol": 1e-8})
    assert model.primal_ == pytest.approx(best.fun, rel=1e-6)
    assert model.dual_ == pytest.approx(best.fun, rel=1e-6)


def test_primal_is_least_at_the_solution():
    model, v, y = solved()
    M = model.get_mahalanobis_matrix()
    arguments = model.dual_coef_, v, y, np.where(y > 0, 0.5, 3.0), np.eye(3), 1.0
    rng = np.random.default_rng(0)
    for _ in range(20):
        E = rng.normal(size=(3, 3)) * 1e-3
        assert objectives(M + E + E.T, *arguments)[0] >= model.primal_ - 1e-9


def test_bounds_hold_when_slack_is_dear():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(30, 2))
    near = np.stack([base, base + [0.1, 1.0] * rng.choice([-1, 1], (30, 2))], axis=1)
    far = np.stack([base, base + [2.0, 0.5] * rng.choice([-1, 1], (30, 2))], axis=1)
    pairs, y = np.concatenate([near, far]), np.repeat([1, -1], 30)
    model = ITML(gamma=1e4, bounds=(0.5, 5.0), tol=1e-9, max_iter=5000).fit_pairs(pairs, y)
    squared = model.pair_distance(pairs) ** 2
    assert squared[:30].max() <= 0.5 * 1.001 and squared[30:].min() >= 5.0 * 0.999


def test_small_gamma_keeps_the_prior():
    model, _, _ = solved(1e-9)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), np.eye(3), atol=1e-6)
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 2, 3]
    model = ITML(gamma=1e-9, prior="covariance", random_state=0).fit(X, np.arange(50) % 2)
    np.testing.assert_allclose(
        model.get_mahalanobis_matrix(), np.linalg.inv(np.cov(X.T)), rtol=1e-5, atol=1e-7
    )
    with pytest.raises(ValueError, match="invertible covariance"):
        ITML(prior="covariance").fit(X[:, [0, 0]], np.arange(50) % 2)


def test_stopping_rule_and_warning():
    pairs, y = problem()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 sweeps at a change of .*tol=1e-08"):
        model = ITML(tol=1e-8, max_iter=2).fit_pairs(pairs, y)
    assert model.n_iter_ == 2
    gaps = [solved(tol=tol)[0].gap_ for tol in (1e-1, 1e-3, 1e-6)]
    assert gaps[0] > gaps[1] > gaps[2] >= -1e-9


def test_drawing_pairs_and_bounds():
    rng = np.random.RandomState(0)
    index = random_pairs(50, 4, None, rng)
    assert index.shape == (40 * 4 * 3, 2) and index.min() >= 0 and index.max() < 50
    X = np.arange(101.0)[:, None]
    low, high = find_bounds(X, np.eye(1), "range", rng)  # distances from 1 to 100^2
    np.testing.assert_allclose([low, high], [450, 9450], rtol=0.02)
    low, high = find_bounds(X, np.eye(1), "percentile", rng)
    i, j = np.triu_indices(101, 1)
    np.testing.assert_allclose([low, high], np.percentile((i - j) ** 2.0, (5, 95)), rtol=0.2)
    twice = find_bounds(X, 4.0 * np.eye(1), "percentile", rng)
    np.testing.assert_allclose(twice, [4.0 * low, 4.0 * high], rtol=0.2)


def test_fit_labels_the_pairs_by_class():
    X, y = load_iris(return_X_y=True)
    model = ITML(random_state=0).fit(X, y)
    i, j = model.pairs_.T
    assert len(i) <= 240 and (X[i] != X[j]).any(axis=1).all()
    np.testing.assert_array_equal(model.pair_labels_, np.where(y[i] == y[j], 1, -1))
    again = ITML(bounds=tuple(model.bounds_)).fit_pairs(X[model.pairs_], model.pair_labels_)
    np.testing.assert_allclose(again.components_, model.components_, rtol=1e-9, atol=1e-12)
    assert len(ITML(n_pairs=50, random_state=0).fit(X, y).pairs_) <= 50


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_warns_when_one_kind_was_not_drawn():
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.warns(UserWarning, match="no similar pair among"):
        ITML(random_state=0, n_pairs=30).fit(X, np.arange(40))


def test_invariances():
    pairs, y = problem()
    settings = {"bounds": (0.5, 3.0), "tol": 1e-10, "max_iter": 20000}
    D = ITML(**settings).fit_pairs(pairs, y).pair_distance(pairs)
    rng = np.random.default_rng(1)
    order = rng.permutation(len(y))
    moved = ITML(**settings).fit_pairs(pairs[order], y[order])
    np.testing.assert_allclose(moved.pair_distance(pairs), D, rtol=1e-5)
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turned = ITML(**settings).fit_pairs(pairs @ Q + 1.0, y)
    np.testing.assert_allclose(turned.pair_distance(pairs @ Q + 1.0), D, rtol=1e-6)


def test_path_is_that_of_single_fits():
    X, y = load_iris(return_X_y=True)
    values = [1.0, 0.01, 0.1]
    settings = {"tol": 1e-7, "max_iter": 20000, "random_state": 0}
    path = ITML(**settings).fit_path(X, y, gamma=values)
    for model, gamma in zip(path, values, strict=True):
        single = ITML(gamma=gamma, **settings).fit(X, y)
        assert model.get_params() == single.get_params()
        np.testing.assert_array_equal(model.pairs_, single.pairs_)
        assert vars(model).keys() == vars(single).keys()
        assert model.primal_ == pytest.approx(single.primal_, rel=1e-5)
        np.testing.assert_allclose(model.transform(X), single.transform(X), rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="gamma must be"):
        ITML().fit_path(X, y, gamma=[1.0, 0.0])
    assert ITML().fit_path(X, y, gamma=[]) == []


def test_units_of_the_pairs():
    pairs, y = problem()
    reference = ITML(random_state=0).fit_pairs(pairs, y)
    M = reference.get_mahalanobis_matrix()
    for unit in (1e-9, 1e9):
        model = ITML(random_state=0).fit_pairs(unit * pairs, y)
        assert model.n_iter_ == reference.n_iter_
        np.testing.assert_allclose(model.get_mahalanobis_matrix(), M, rtol=1e-6, atol=1e-9)
        inverse = np.eye(3) + np.einsum(
            "p,pi,pj->ij", y * model.dual_coef_, *2 * [unit * (pairs[:, 0] - pairs[:, 1])]
        )
        np.testing.assert_allclose(np.linalg.inv(inverse), M, rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(model.bounds_, unit**2 * reference.bounds_, rtol=1e-9)
