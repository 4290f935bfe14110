"""LMNN against cvxpy, brute force and its own certificate."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from metriclearn.estimators import _lmnn_triplets as _triplets
from metriclearn.estimators._lmnn_triplets import Problem, Whitened
from metriclearn.estimators.lmnn import LMNN, find_targets


def blobs(n=24, d=3, seed=0, classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, d)) * np.arange(1, d + 1) + 1.5 * rng.normal(size=(classes, d))[y], y


def triplets(y, targets):
    return [
        (i, j, m)
        for i in range(len(y))
        for j in targets[i][targets[i] >= 0]
        for m in np.flatnonzero(y != y[i])
    ]


def brute(M, X, y, targets, c):
    def d(i, j):
        return (X[i] - X[j]) @ M @ (X[i] - X[j])

    pull = sum(d(i, j) for i in range(len(X)) for j in targets[i][targets[i] >= 0])
    push = sum(max(0.0, 1.0 + d(i, j) - d(i, m)) for i, j, m in triplets(y, targets))
    return (1.0 - c) * pull + c * push


def problem_of(X, y, k=2, c=0.5):
    targets = find_targets(X, y, k)
    space = Whitened(X, targets, c)
    return Problem(space.X, y, targets, c), space


@pytest.mark.parametrize("c, k", [(0.5, 2), (0.2, 1), (0.8, 3)])
def test_optimum_against_cvxpy(c, k):
    X, y = blobs()
    model = LMNN(k=k, c=c, tol=1e-5, max_iter=5000).fit(X, y)
    i, j, m = np.array(triplets(y, model.targets_)).T
    M = cp.Variable((3, 3), PSD=True)

    def squared(a, b):
        v = X[a] - X[b]
        return np.einsum("pi,pj->pij", v, v).reshape(len(a), 9) @ cp.vec(M, order="C")

    rows, columns = np.nonzero(model.targets_ >= 0)
    pull = cp.sum(squared(rows, model.targets_[rows, columns]))
    push = cp.sum(cp.pos(1.0 + squared(i, j) - squared(i, m)))
    best = cp.Problem(cp.Minimize((1.0 - c) * pull + c * push)).solve(solver="CLARABEL")
    assert best * (1.0 - 1e-6) <= model.objective_ <= best * (1.0 + 2e-5)
    assert model.dual_ <= best * (1.0 + 1e-6)


def test_objective_is_that_of_every_triplet():
    X, y = blobs(30, 4, seed=1)
    model = LMNN(k=2, c=0.3).fit(X, y)
    M = model.get_mahalanobis_matrix()
    assert model.objective_ == pytest.approx(brute(M, X, y, model.targets_, 0.3), rel=1e-9)
    D = model.pairwise_distance(X) ** 2
    violated = [1.0 + D[i, j] - D[i, m] > 0.0 for i, j, m in triplets(y, model.targets_)]
    assert model.n_triplets_ == sum(violated)


def test_gradient_of_the_rounded_hinge():
    problem, _ = problem_of(*blobs())
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 3))
    M = 3.0 * (A @ A.T)
    index = problem.search(M, reach=1e6)
    _, G, _ = problem.rounded(M, index, 0.3)
    for _ in range(5):
        E = rng.normal(size=(3, 3))
        E = 1e-5 * (E + E.T)
        up, down = (problem.rounded(M + s * E, index, 0.3)[0] for s in (1, -1))
        assert up - down == pytest.approx(2.0 * np.sum(G * E), rel=1e-5)


def test_bounds_lie_below_every_objective():
    problem, _ = problem_of(*blobs())
    rng = np.random.default_rng(0)
    bounds, values = [], []
    for _ in range(20):
        A = rng.normal(size=(3, 3)) * rng.choice([0.3, 1.0, 3.0])
        index = problem.search(A @ A.T, reach=1.0)
        value, _, (bound, rounded_bound) = problem.rounded(A @ A.T, index, 0.2)
        bounds.append(bound)
        values.append(problem.objective(A @ A.T, index)[0])
        assert value <= values[-1] + 1e-9 and rounded_bound <= bound
    assert max(bounds) <= min(values)


def test_whitening_makes_the_pull_term_the_trace():
    X, y = blobs()
    problem, space = problem_of(X, y, c=0.3)
    A = np.random.default_rng(0).normal(size=(3, 3))
    M = A @ A.T
    index = problem.search(M, reach=0.0)
    original = space.W @ M @ space.W.T
    expected = brute(original, X, y, problem.targets, 0.3)
    assert problem.objective(M, index)[0] == pytest.approx(expected, rel=1e-9)


def test_search_is_exact_in_tiles(monkeypatch):
    problem, _ = problem_of(*blobs(50, 3, seed=2))
    monkeypatch.setattr(_triplets, "_TILE", 7)
    M = 5.0 * np.diag([1.0, 0.0, 2.0])
    Z = problem.X @ np.sqrt(M)
    D = np.sum((Z[:, None] - Z) ** 2, axis=2)
    radius = 1.2 + np.take_along_axis(D, problem.targets, axis=1).max(axis=1)
    expected = (D < radius[:, None]) & (problem.y[:, None] != problem.y)
    found = problem.search(M, reach=0.2)
    assert set(map(tuple, found.tolist())) == set(zip(*map(np.ndarray.tolist, expected.nonzero())))
    assert len(found) == expected.sum()


def test_certificate_and_history():
    X, y = load_wine(return_X_y=True)
    model = LMNN(tol=1e-3).fit(X, y)
    assert 0.0 <= model.gap_ <= 1e-3 * model.objective_
    assert (np.diff(model.history_["objective"]) <= 0.0).all()
    assert (np.diff(model.history_["dual"]) >= 0.0).all()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3\) at a relative gap of .*tol=0.001"):
        short = LMNN(tol=1e-3, max_iter=3).fit(X, y)
    assert short.n_iter_ == 3 and short.gap_ > model.gap_
    assert short.objective_ >= model.objective_


def test_invariances():
    X, y = blobs(40, 3, seed=3)
    reference = LMNN(tol=1e-6, max_iter=5000).fit(X, y)
    D = reference.pairwise_distance(X)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    moved = LMNN(tol=1e-6, max_iter=5000).fit(X[order], y[order])
    np.testing.assert_allclose(moved.pairwise_distance(X), D, rtol=0.02, atol=0.02)
    assert moved.objective_ == pytest.approx(reference.objective_, rel=1e-5)
    Q = 7.0 * np.linalg.qr(rng.normal(size=(3, 3)))[0]  # neighbours stay the same
    turned = LMNN(tol=1e-6, max_iter=5000).fit(X @ Q - 2.0, y)
    assert turned.objective_ == pytest.approx(reference.objective_, rel=1e-5)
    np.testing.assert_allclose(turned.pairwise_distance(X @ Q - 2.0), D, rtol=0.02, atol=0.02)


def test_small_classes():
    X, y = blobs(20, 2, seed=4)
    y = y.copy()
    y[:3] = [10, 11, 11]
    with pytest.warns(UserWarning, match="3 samples have fewer than k=3"):
        model = LMNN(k=3).fit(X, y)
    assert (model.targets_[0] == -1).all()
    assert model.targets_[1].tolist() == [2, -1, -1]
    M = model.get_mahalanobis_matrix()
    assert model.objective_ == pytest.approx(brute(M, X, y, model.targets_, 0.5), rel=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_more_features_than_samples():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), np.arange(20) % 2
    model = LMNN(k=1, tol=1e-3).fit(X, y)
    assert model.components_.shape == (19, 50)
    D = model.pairwise_distance(X) ** 2
    assert all(D[i, m] > 0.9 + D[i, j] for i, j, m in triplets(y, model.targets_))


def test_too_many_impostors(monkeypatch):
    monkeypatch.setattr(_triplets, "_MAX_PAIRS", 10)
    with pytest.raises(ValueError, match="more than 10 pairs"):
        LMNN().fit(*blobs())


def test_default_stops_early_by_its_rule():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model, best = LMNN().fit(X, y), LMNN(tol=1e-3).fit(X, y)
    assert 1.001 * best.objective_ < model.objective_ < 3.0 * best.objective_
    assert model.dual_ <= best.objective_ and model.gap_ == model.objective_ - model.dual_
    assert 50 <= model.n_iter_ < 1000
    M = model.get_mahalanobis_matrix()
    assert model.objective_ == pytest.approx(brute(M, X, y, model.targets_, 0.5), rel=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=20\), the last .* above 0.001"):
        short = LMNN(max_iter=20).fit(X, y)
    assert short.n_iter_ == 20 and short.objective_ > model.objective_


def test_default_starts_from_the_euclidean_distance():
    X, y = blobs(60, 3, seed=5)
    with pytest.warns(ConvergenceWarning):
        M = LMNN(max_iter=1).fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(M / M[0, 0], np.eye(3), atol=0.1)


def test_default_starts_away_from_zero_where_targets_are_far():
    """Two samples of each class, far apart in a feature of no use: 0 is the best multiple."""
    rng = np.random.default_rng(0)
    place = rng.uniform(size=(150, 2))
    X = np.vstack([np.column_stack([place, np.full(150, camera)]) for camera in (0.0, 5.0)])
    X += 0.002 * rng.normal(size=X.shape)
    model = LMNN(k=1, max_iter=200).fit(X, np.tile(np.arange(150), 2))
    first, second = model.transform(X)[:150], model.transform(X)[150:]
    nearest = np.argmin(((first[:, None] - second) ** 2).sum(axis=-1), axis=1)
    assert model.n_iter_ > 50
    assert np.mean(nearest == np.arange(150)) > 0.9


def test_subgradient_is_that_of_the_objective():
    problem, _ = problem_of(*blobs())
    A = np.random.default_rng(0).normal(size=(3, 3))
    M = 3.0 * (A @ A.T)
    index = problem.search(M, reach=1e6)
    value, G = problem.subgradient(M, index)
    assert value == pytest.approx(problem.objective(M, index)[0], rel=1e-12)
    E = np.random.default_rng(1).normal(size=(3, 3))
    E = 1e-7 * (E + E.T)
    up, down = (problem.objective(M + s * E, index)[0] for s in (1, -1))
    assert up - down == pytest.approx(2.0 * np.sum(G * E), rel=1e-4)


def test_calls_of_compiled_code_are_short(monkeypatch):
    problem, _ = problem_of(*blobs(50, 3, seed=2))
    M = np.diag([1.0, 0.5, 2.0])
    index = problem.search(M, reach=1.0)
    whole = problem.rounded(M, index, 0.3)
    monkeypatch.setattr(_triplets, "_NATIVE", 21)
    for left, right in zip(problem.rounded(M, index, 0.3), whole, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12)


@pytest.mark.parametrize("tol", [None, 1e-3])
def test_path_is_that_of_single_fits(tol):
    X, y = blobs(90, 3, seed=6)
    values = [0.5, 0.2, 0.8]
    path = LMNN(tol=tol, max_iter=3000).fit_path(X, y, c=values)
    for model, c in zip(path, values, strict=True):
        single = LMNN(tol=tol, c=c, max_iter=3000).fit(X, y)
        assert model.get_params() == single.get_params()
        assert vars(model).keys() == vars(single).keys()
        np.testing.assert_array_equal(model.targets_, single.targets_)
        assert model.objective_ == pytest.approx(single.objective_, rel=1e-3)
        if tol is None:
            np.testing.assert_array_equal(model.components_, single.components_)
        else:
            assert model.gap_ <= tol * model.objective_
