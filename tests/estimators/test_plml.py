"""PLML: both stages against an independent solver, local distances, and what is not offered."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale

from metriclearn.estimators import _plml_metrics as _local_metrics
from metriclearn.estimators._plml_metrics import Triplets, local_metrics, positive_part
from metriclearn.estimators._plml_weights import Weighting, anchor_weights, project_simplex
from metriclearn.estimators.base import factor
from metriclearn.estimators.neighbors import class_neighbors
from metriclearn.estimators.plml import PLML, neighbor_laplacian


def small(n=12, d=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d)) + y[:, None]
    W = rng.dirichlet(np.ones(2), size=n)
    W[0] = [1.0, 0.0]
    return X, y, W


def test_simplex():
    rng = np.random.default_rng(0)
    V = rng.normal(size=(5, 4))
    ours = V.copy()
    for row in ours:
        project_simplex(row)
    P = cp.Variable((5, 4), nonneg=True)
    cp.Problem(cp.Minimize(cp.sum_squares(P - V)), [cp.sum(P, axis=1) == 1]).solve()
    np.testing.assert_allclose(ours, P.value, atol=1e-5)


def weighting(lambda2=5.0):
    X, _, W = small()
    rng = np.random.default_rng(0)
    K, C = np.diag([1.0, 2.0]) + 0.3, rng.normal(size=W.shape)
    return Weighting(C, K, np.ones(len(W)), neighbor_laplacian(X, 3), lambda2, 7.0), W


def test_weights_gradient():
    problem, W = weighting()
    E = np.random.default_rng(1).normal(size=W.shape)
    f = [problem.objective(W + h * E)[0] for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(np.vdot(problem.objective(W)[1], E), (f[0] - f[1]) / 2e-5, rtol=1e-6)


def test_coarser_graph_is_the_same_problem_with_shared_rows():
    problem, _ = weighting()
    coarse, group = problem.coarser()
    assert sorted(set(group)) == list(range(len(coarse.size))) and len(coarse.size) < 12
    np.testing.assert_array_equal(coarse.size, np.bincount(group))
    W = np.random.default_rng(0).dirichlet(np.ones(2), size=len(coarse.size))
    f, gradient = problem.objective(W[group])
    g, coarse_gradient = coarse.objective(W)
    assert g == pytest.approx(f, rel=1e-12)
    summed = [gradient[group == a].sum(axis=0) for a in range(len(W))]
    np.testing.assert_allclose(coarse_gradient, summed, atol=1e-11)


def test_weights_from_coarser_graphs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2)) + 20.0 * (np.arange(150) % 2)[:, None]  # a graph in two parts
    U, laplacian = X[:6] + 0.1, neighbor_laplacian(X, 6)
    W, objective, gap, n_iter = anchor_weights(
        X, U, laplacian, 1.0, 100.0, tol=1e-8, max_iter=10**4
    )
    assert 0.0 <= gap <= 1e-8 * objective and n_iter < 10**4
    V = cp.Variable(W.shape, nonneg=True)
    G = ((X[:, None] - U) ** 2).sum(axis=2)
    i, j = np.nonzero(np.triu(-laplacian.toarray(), 1))
    f = cp.sum_squares(X - V @ U) + cp.sum(cp.multiply(V, G))
    f += 100.0 * cp.sum_squares(V[i] - V[j])
    best = cp.Problem(cp.Minimize(f), [cp.sum(V, axis=1) == 1]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(objective, best, rtol=1e-6)


def test_one_anchor_has_weight_one():
    X, _, _ = small()
    for lambda2 in (0.0, 100.0):
        W, *_ = anchor_weights(
            X, np.zeros((1, 2)), neighbor_laplacian(X, 3), 1.0, lambda2, tol=1e-3, max_iter=10
        )
        np.testing.assert_array_equal(W, np.ones((12, 1)))


@pytest.mark.parametrize("lambda2", [0.0, 100.0])
def test_weights_against_cvxpy(lambda2):
    X, _, _ = small(n=15)
    U = X[[0, 4, 9]] + 0.1
    laplacian = neighbor_laplacian(X, 3)
    W, objective, gap, _ = anchor_weights(X, U, laplacian, 1.0, lambda2, tol=1e-7, max_iter=10**5)
    V = cp.Variable(W.shape, nonneg=True)
    G = ((X[:, None] - U) ** 2).sum(axis=2)
    smooth = sum(cp.quad_form(V[:, b], cp.psd_wrap(laplacian.toarray())) for b in range(3))
    f = cp.sum_squares(X - V @ U) + cp.sum(cp.multiply(V, G)) + lambda2 * smooth
    best = cp.Problem(cp.Minimize(f), [cp.sum(V, axis=1) == 1]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(objective, best, rtol=1e-6)
    assert 0.0 <= gap <= 1e-7 * objective
    np.testing.assert_allclose(W.sum(axis=1), 1.0)
    assert (W >= 0.0).all()


def test_laplacian_is_of_the_six_nearest():
    X = np.random.default_rng(0).normal(size=(30, 3))
    laplacian = neighbor_laplacian(X, 6).toarray()
    np.testing.assert_array_equal(laplacian, laplacian.T)
    np.testing.assert_allclose(laplacian.sum(axis=1), 0.0, atol=1e-12)
    order = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)
    for i in range(30):
        assert (laplacian[i, order[i, 1:7]] == -1.0).all()


@pytest.mark.parametrize("alpha1, alpha2", [(0.1, 1.0), (1.0, 0.3), (10.0, 0.0)])
def test_metrics_against_cvxpy(alpha1, alpha2):
    X, y, W = small()
    same, other = class_neighbors(X, y, 2)
    metrics, primal, dual, _ = local_metrics(
        X, W, same, other, alpha1, alpha2, tol=1e-7, max_iter=10**5
    )
    M = [cp.Variable((2, 2), PSD=True) for _ in range(2)]

    def distance(i, j):
        D = np.outer(X[i] - X[j], X[i] - X[j])
        return sum(W[i, b] * cp.sum(cp.multiply(D, M[b])) for b in range(2))

    f = alpha1 * sum(cp.sum_squares(B) for B in M)
    for i in range(len(X)):
        for j in same[i]:
            f += alpha2 * distance(i, j)
            for k in other[i]:
                f += cp.pos(1.0 + distance(i, j) - distance(i, k))
    best = cp.Problem(cp.Minimize(f)).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(primal, best, rtol=1e-5)
    assert dual <= best * (1 + 1e-6) and primal - dual <= 1e-7 * primal
    np.testing.assert_allclose(metrics, [B.value for B in M], atol=2e-3)


def test_linear_maps_by_hand(monkeypatch):
    rng = np.random.default_rng(0)
    X, y, W = small(n=13, d=5)
    y[0] = 2  # alone in its class
    same, other = class_neighbors(X, y, 2)
    near, far = (same >= 0) * rng.uniform(size=same.shape), rng.uniform(size=other.shape)
    far[3:5], near[3:5] = 0.0, 0.0
    M = rng.normal(size=(2, 5, 5))
    M = M + M.transpose(0, 2, 1)
    S, distances = np.zeros((2, 5, 5)), np.zeros((2, *same.shape))
    for i in range(13):
        local = np.tensordot(W[i], M, axes=1)
        for c in range(2):
            for kind, j, weight in ((0, same[i, c], -near[i, c]), (1, other[i, c], far[i, c])):
                v = X[i] - X[j]
                S += weight * W[i, :, None, None] * np.outer(v, v)
                distances[kind, i, c] = v @ local @ v
    for block in (10**6, 15 * 4):  # all samples at once, and four at a time
        monkeypatch.setattr(_local_metrics, "_BLOCK", block)
        triplets = Triplets(X, W, same, other)
        np.testing.assert_allclose(triplets.assemble(near, far), S, atol=1e-12)
        np.testing.assert_allclose(triplets.distances(M), distances, atol=1e-12)


def test_dual_gradient():
    X, y, W = small()
    same, other = class_neighbors(X, y, 2)
    triplets = Triplets(X, W, same, other)
    rng = np.random.default_rng(0)
    g, E = rng.uniform(size=(2, *triplets.shape))
    pull = triplets.assemble(triplets.pulled, np.zeros(other.shape))

    def dual(g):
        S = pull + triplets.assemble(g.sum(axis=2), g.sum(axis=1))
        metrics, quadratic = positive_part(S, 0.2)
        return g.sum() - quadratic, metrics

    near, far = triplets.distances(dual(g)[1])
    gradient = 1.0 + near[:, :, None] - far[:, None, :]
    slope = (dual(g + 1e-6 * E)[0] - dual(g - 1e-6 * E)[0]) / 2e-6
    np.testing.assert_allclose(np.vdot(gradient, E), slope, rtol=1e-5)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = minmax_scale(X)
    return PLML(random_state=0).fit(X[::2], y[::2]), X, y


def test_objective_by_hand(wine):
    model, X, y = wine
    X, y = X[::2], y[::2]
    same, other = class_neighbors(X, y, 3)
    local = np.einsum("ib,bjk->ijk", model.weights_, model.metrics_)
    value = model.alpha1 * np.sum(model.metrics_**2)
    for i in range(len(X)):
        near = [(X[i] - X[j]) @ local[i] @ (X[i] - X[j]) for j in same[i]]
        far = [(X[i] - X[j]) @ local[i] @ (X[i] - X[j]) for j in other[i]]
        value += sum(near) + sum(max(0.0, 1.0 + a - b) for a in near for b in far)
    np.testing.assert_allclose(model.primal_, value, rtol=1e-8)
    assert 0.0 <= model.gap_ <= model.tol * model.primal_


def test_distances_use_the_metric_of_the_first(wine):
    model, X, _ = wine
    A, B = X[:7], X[5:30]
    D = model.pairwise_distance(A, B)
    nearest = ((A[:, None] - model.X_) ** 2).sum(axis=2).argmin(axis=1)
    local = np.einsum("ib,bjk->ijk", model.weights_[nearest], model.metrics_)
    for i in range(len(A)):
        delta = A[i] - B
        by_hand = np.sqrt(np.maximum(np.einsum("nj,jk,nk->n", delta, local[i], delta), 0.0))
        np.testing.assert_allclose(D[i], by_hand, rtol=1e-7, atol=1e-9)
        pairs = np.stack([np.broadcast_to(A[i], B.shape), B], axis=1)
        np.testing.assert_allclose(D[i], model.pair_distance(pairs), rtol=1e-7, atol=1e-9)
    assert (model.pairwise_distance(A).diagonal() == 0.0).all()
    D = model.pairwise_distance(X)
    assert not np.allclose(D, D.T, rtol=1e-2)


def test_prediction(wine):
    model, X, y = wine
    D = model.pairwise_distance(X[1::2], X[::2])
    np.testing.assert_array_equal(model.predict(X[1::2]), y[::2][D.argmin(axis=1)])
    assert model.score(X[1::2], y[1::2]) > 0.9


def test_what_has_no_meaning_says_why(wine):
    model, X, _ = wine
    for name in ("transform", "fit_transform", "get_mahalanobis_matrix", "get_metric"):
        assert not hasattr(model, name)
        with pytest.raises(NotImplementedError, match="a metric per sample"):
            getattr(model, name)(X)
    with pytest.raises(NotImplementedError, match="no threshold"):
        model.decision_pairs(X)


def test_one_anchor_is_one_metric():
    X, y = load_iris(return_X_y=True)
    model = PLML(n_anchors=1).fit(X, y)
    np.testing.assert_allclose(model.weights_, 1.0)
    L = factor(model.metrics_[0])
    reference = KNeighborsClassifier(1).fit(X @ L.T, y).predict((X + 0.01) @ L.T)
    assert np.mean(model.predict(X + 0.01) == reference) > 0.98


def test_order_of_samples():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-3 * np.random.default_rng(1).normal(size=X.shape)  # no ties among neighbours
    order = np.random.default_rng(0).permutation(len(y))
    a = PLML(n_anchors=1, tol=1e-6).fit(X, y)
    b = PLML(n_anchors=1, tol=1e-6).fit(X[order], y[order])
    np.testing.assert_allclose(a.metrics_, b.metrics_, atol=5e-3 * a.metrics_.max())


def test_rotation():
    X, y = load_wine(return_X_y=True)
    X = minmax_scale(X)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(13, 13)))[0]
    a = PLML(n_anchors=4, tol=1e-5, max_iter=10**5, random_state=0).fit(X, y)
    b = PLML(n_anchors=4, tol=1e-5, max_iter=10**5, random_state=0).fit(X @ Q, y)
    np.testing.assert_allclose(a.primal_, b.primal_, rtol=1e-3)
    D, E = a.pairwise_distance(X), b.pairwise_distance(X @ Q)
    np.testing.assert_allclose(D, E, atol=0.02 * D.max())


def test_max_iter_is_told():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"metrics of PLML.*max_iter=2\).*above tol=0.001"):
        PLML(max_iter=2, random_state=0).fit(X, y)


def test_optimum_zero_is_told():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 2, axis=0)
    with pytest.warns(UserWarning, match="the optimum is M_b = 0"):
        model = PLML(random_state=0).fit(X, np.arange(40) % 2)
    assert (model.pairwise_distance(X) == 0.0).all()


def test_no_triplet():
    with pytest.raises(ValueError, match="alone in its class"):
        PLML().fit(np.eye(3), [0, 1, 2])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tiny_samples_end():
    for seed in range(12):  # some of which never did, by rounding in the projection
        X = 2e-9 * np.random.default_rng(seed).normal(size=(35, 1))
        model = PLML(random_state=0, max_iter=200).fit(X, np.arange(35) % 2)
        assert np.isfinite(model.pairwise_distance(X)).all()


def test_projection_ends_on_any_numbers():
    rng = np.random.default_rng(0)
    for size in (1e-300, 1e-8, 1.0, 1e8, 1e16, 1e300):
        for v in size * rng.normal(size=(200, 7)) + rng.choice([0.0, 1.0 / 7.0], size=(200, 1)):
            project_simplex(v)
            assert (v >= 0.0).all()
    project_simplex(np.full(3, np.nan))


def test_out_of_range_is_refused():
    with pytest.raises(ValueError, match="out of range for PLML"):
        PLML().fit(1e200 * np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2)


def test_path_is_that_of_single_fits():
    X, y = load_iris(return_X_y=True)
    values = [1.0, 100.0, 10.0]
    path = PLML(random_state=0).fit_path(X, y, alpha1=values)
    for model, alpha1 in zip(path, values, strict=True):
        single = PLML(alpha1=alpha1, random_state=0).fit(X, y)
        assert model.get_params() == single.get_params()
        assert vars(model).keys() == vars(single).keys()
        np.testing.assert_array_equal(model.weights_, single.weights_)
        assert model.gap_ <= model.tol * model.primal_
        assert model.primal_ == pytest.approx(single.primal_, rel=2 * model.tol)
        assert np.mean(model.predict(X) == single.predict(X)) > 0.98
