"""DML-eig: smoothed minimum, optimum on the spectrahedron, and the way back to M."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from metriclearn.estimators import _dml_eig_objective as _smooth_minimum
from metriclearn.estimators._dml_eig_objective import project_trace_one, smooth_minimum
from metriclearn.estimators.dml_eig import DMLEig


def small(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.normal(size=(n, 2, d))
    y = np.where(np.arange(n) < n // 2, 1, -1)
    pairs[y < 0, 0, 0] += 2.0
    return pairs, y


def parts(pairs, y):
    delta = pairs[:, 0] - pairs[:, 1]
    similar, dissimilar = delta[y > 0], delta[y < 0]
    return similar.T @ similar / len(similar), dissimilar


def f_by_hand(M, dissimilar, mu):
    return -mu * np.log(sum(np.exp(-(v @ M @ v) / mu) for v in dissimilar))


@pytest.mark.parametrize("solver", ["lbfgs", "fista", "frank-wolfe"])
@pytest.mark.parametrize("mu", [0.2, 2.0])
def test_objective_and_constraint_by_hand(solver, mu):
    pairs, y = small()
    model = DMLEig(mu=mu, solver=solver).fit_pairs(pairs, y)
    X_S, dissimilar = parts(pairs, y)
    M = model.get_mahalanobis_matrix()
    np.testing.assert_allclose(np.vdot(X_S, M), 1.0, rtol=1e-8)
    np.testing.assert_allclose(model.objective_, f_by_hand(M, dissimilar, mu), rtol=1e-8)
    least = min(v @ M @ v for v in dissimilar)
    np.testing.assert_allclose(model.minimum_, least, rtol=1e-8)
    assert least - mu * np.log(len(dissimilar)) <= model.objective_ <= least


def test_gradient():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(30, 4))
    A, E = (B @ B.T for B in rng.normal(size=(2, 4, 4)))
    mu, h = 0.7, 1e-6

    def f(A):
        return smooth_minimum(np.einsum("ij,jk,ik->i", Y, A, Y), mu)

    gradient = (Y * f(A)[1][:, None]).T @ Y
    slope = (f(A + h * E)[0] - f(A - h * E)[0]) / (2 * h)
    np.testing.assert_allclose(np.vdot(gradient, E), slope, rtol=1e-6)


@pytest.mark.parametrize("mu", [0.06, 0.6])
def test_optimum_against_cvxpy(mu):
    pairs, y = small()
    X_S, dissimilar = parts(pairs, y)
    M = cp.Variable((3, 3), PSD=True)
    outer = np.einsum("ni,nj->nij", dissimilar, dissimilar).reshape(len(dissimilar), -1)
    values = outer @ cp.vec(M, order="C")
    problem = cp.Problem(cp.Maximize(-mu * cp.log_sum_exp(-values / mu)), [cp.trace(X_S @ M) <= 1])
    best = problem.solve(solver=cp.CLARABEL)
    model = DMLEig(mu=mu, tol=1e-6, max_iter=20000).fit_pairs(pairs, y)
    assert abs(model.objective_ - best) <= 1e-6 * abs(best) + model.gap_
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M.value, atol=1e-4)


def test_small_mu_is_the_maximal_minimum():
    pairs, y = small()
    X_S, dissimilar = parts(pairs, y)
    M, t = cp.Variable((3, 3), PSD=True), cp.Variable()
    outer = np.einsum("ni,nj->nij", dissimilar, dissimilar).reshape(len(dissimilar), -1)
    best = cp.Problem(
        cp.Maximize(t), [outer @ cp.vec(M, order="C") >= t, cp.trace(X_S @ M) <= 1]
    ).solve(solver=cp.CLARABEL)
    mu = 1e-3 * best
    model = DMLEig(mu=mu, max_iter=20000).fit_pairs(pairs, y)
    assert best - mu * np.log(len(dissimilar)) - model.gap_ <= model.minimum_ <= best * (1 + 1e-6)


def test_solvers_agree_and_the_gap_holds():
    X, y = load_wine(return_X_y=True)
    fast = DMLEig(mu=5.0, tol=1e-5).fit(X, y)
    paper = DMLEig(mu=5.0, tol=1e-3, solver="frank-wolfe").fit(X, y)
    assert abs(fast.objective_ - paper.objective_) <= max(fast.gap_, paper.gap_)
    for model in (fast, paper):
        assert (np.diff(model.history_) >= -1e-10 * abs(model.history_[0])).all()
        assert model.n_iter_ >= len(model.history_)
        assert model.objective_ == model.history_[-1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tiny_mu_does_not_underflow():
    X, y = load_iris(return_X_y=True)
    model = DMLEig(mu=1e-12, max_iter=50).fit(X, y)
    assert np.isfinite(model.components_).all() and np.isfinite(model.objective_)


@pytest.mark.parametrize("solver", ["lbfgs", "fista", "frank-wolfe"])
@pytest.mark.parametrize("max_iter", [1, 3, 40])
def test_max_iter_is_told(solver, max_iter):
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=rf"max_iter={max_iter}\b.*above tol=0.001"):
        model = DMLEig(mu=1e-4, max_iter=max_iter, solver=solver).fit(X, y)
    assert model.n_iter_ == max_iter


def test_larger_mu_is_only_a_start():
    pairs, y = small()
    values = [DMLEig(mu=2e-3, tol=1e-6, max_iter=20000).fit_pairs(pairs, y).objective_]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_smooth_minimum, "_SCALE", 0.0)  # from I/d, at mu itself
        model = DMLEig(mu=2e-3, tol=1e-6, max_iter=20000).fit_pairs(pairs, y)
    assert model.n_iter_ == len(model.history_)
    assert values[0] == pytest.approx(model.objective_, rel=1e-5)


def test_order_and_linear_maps():
    pairs, y = small()
    given = DMLEig(mu=0.2, tol=1e-6).fit_pairs(pairs, y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = DMLEig(mu=0.2, tol=1e-6).fit_pairs(pairs[order], y[order])
    np.testing.assert_allclose(
        given.pair_distance(pairs), shuffled.pair_distance(pairs), rtol=1e-3, atol=1e-5
    )
    T = 1e6 * (np.eye(3) + 0.5 * np.random.default_rng(2).normal(size=(3, 3)))
    mapped = DMLEig(mu=0.2, tol=1e-6).fit_pairs(pairs @ T, y)
    np.testing.assert_allclose(
        given.pair_distance(pairs), mapped.pair_distance(pairs @ T), rtol=1e-3, atol=1e-5
    )


def test_mu_does_not_depend_on_the_number_of_pairs():
    pairs, y = small()
    similar = y > 0
    once = DMLEig(mu=0.2, tol=1e-6).fit_pairs(pairs, y)
    more = np.concatenate([pairs, np.repeat(pairs[similar], 9, axis=0)])
    labels = np.concatenate([y, np.ones(9 * similar.sum(), dtype=int)])
    tenfold = DMLEig(mu=0.2, tol=1e-6).fit_pairs(more, labels)
    np.testing.assert_allclose(
        once.get_mahalanobis_matrix(), tenfold.get_mahalanobis_matrix(), rtol=1e-8
    )


def test_rotation_with_made_pairs():
    X, y = load_iris(return_X_y=True)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    # Distinct distances: rotation must not change which neighbours are the nearest.
    X = X + 1e-3 * np.random.default_rng(1).normal(size=X.shape)
    a = DMLEig(mu=0.1, tol=1e-6).fit(X, y).pairwise_distance(X)
    b = DMLEig(mu=0.1, tol=1e-6).fit(X @ Q, y).pairwise_distance(X @ Q)
    np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-4)


@pytest.mark.parametrize("ridge", [1e-6, 1e-3])
def test_similar_pairs_that_do_not_span(ridge):
    pairs, y = small()
    pairs[y > 0, :, 2] = 1.0  # similar pairs agree in a feature in which others differ
    model = DMLEig(mu=0.2, ridge=ridge).fit_pairs(pairs, y)
    assert np.isfinite(model.components_).all() and model.minimum_ > 0.0


def test_constant_feature_gets_no_weight():
    pairs, y = small()
    pairs[:, :, 1] = 4.0
    M = DMLEig(mu=0.2).fit_pairs(pairs, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(M[1], 0.0, atol=1e-12 * M.max())


def test_identical_samples_are_dropped():
    pairs, y = small()
    pairs[-1, 0] = pairs[-1, 1]
    with pytest.warns(UserWarning, match="1 pairs of identical samples"):
        model = DMLEig(mu=0.2).fit_pairs(pairs, y)
    assert model.minimum_ > 0.0
    same = np.ones((4, 2, 3))
    with (
        pytest.warns(UserWarning, match="dropped"),
        pytest.raises(ValueError, match="no similar pair"),
    ):
        DMLEig().fit_pairs(same, [1, 1, -1, -1])


def test_projection():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(4, 4))
    A = project_trace_one(B + B.T)
    np.testing.assert_allclose(np.trace(A), 1.0)
    assert np.linalg.eigvalsh(A)[0] >= -1e-12
    P = cp.Variable((4, 4), PSD=True)
    cp.Problem(cp.Minimize(cp.sum_squares(P - (B + B.T))), [cp.trace(P) == 1]).solve(
        solver=cp.CLARABEL
    )
    np.testing.assert_allclose(A, P.value, atol=1e-5)


def test_default_reaches_its_optimum_where_similar_pairs_leave_directions_out():
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, len(X), size=(2, 6000))
    alike = (y[i] == y[j]) & (i != j)
    some = np.r_[np.flatnonzero(alike)[:250], np.flatnonzero(y[i] != y[j])[:250]]
    pairs, labels = np.stack([X[i[some]], X[j[some]]], axis=1), np.repeat([1, -1], 250)
    model = DMLEig().fit_pairs(pairs, labels)
    scale = model.objective_ + model.mu * np.log(250)
    assert model.gap_ <= model.tol * scale and model.n_iter_ < 1500


@pytest.mark.parametrize("unit", [1e-9, 1e9, 1e-100, 1e100])
def test_units_do_not_matter(unit):
    X, y = load_iris(return_X_y=True)
    X = X + 1e-3 * np.random.default_rng(1).normal(size=X.shape)  # no ties among neighbours
    reference, model = DMLEig().fit(X, y), DMLEig().fit(unit * X, y)
    assert 0.5 * reference.n_iter_ <= model.n_iter_ <= 2.0 * reference.n_iter_
    assert model.objective_ == pytest.approx(reference.objective_, abs=reference.gap_ + model.gap_)
    D = reference.pairwise_distance(X)
    np.testing.assert_allclose(model.pairwise_distance(unit * X), D, rtol=0, atol=0.02 * D.max())
