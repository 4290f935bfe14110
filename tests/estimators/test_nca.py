"""NCA: one objective, three solvers."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from metriclearn.estimators import _nca_objective, nca
from metriclearn.estimators._nca_objective import objective
from metriclearn.estimators.nca import NCA

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, Y = load_iris(return_X_y=True)
SMALL, LABELS = X[::5] - X[::5].mean(axis=0), Y[::5]


def brute(L, X, y):
    total = 0.0
    for i in range(len(X)):
        squared = np.sum(((X[i] - X) @ L.T) ** 2, axis=1)
        squared[i] = np.inf
        e = np.exp(squared.min() - squared)
        total += e[y == y[i]].sum() / e.sum()
    return total


def test_objective_and_gradient(monkeypatch):
    rng = np.random.default_rng(0)
    L = rng.normal(size=(2, 4))
    value, G = objective(L, SMALL, LABELS)
    assert value == pytest.approx(brute(L, SMALL, LABELS), rel=1e-12)
    for _ in range(5):
        E = 1e-6 * rng.normal(size=L.shape)
        change = brute(L + E, SMALL, LABELS) - brute(L - E, SMALL, LABELS)
        assert change == pytest.approx(2.0 * np.sum(G * E), rel=1e-5)
    monkeypatch.setattr(_nca_objective, "_BLOCK", 7 * len(SMALL))  # blocks of rows change nothing
    again, H = objective(L, SMALL, LABELS)
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(H, G, rtol=1e-9, atol=1e-12)


def test_stochastic_gradient_is_unbiased():
    L = np.random.default_rng(0).normal(size=(3, 4))
    parts = [objective(L, SMALL, LABELS, np.array([i, i + 1])) for i in range(0, 30, 2)]
    value, G = objective(L, SMALL, LABELS)
    assert sum(v for v, _ in parts) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(sum(H for _, H in parts), G, rtol=1e-9, atol=1e-12)


def test_optimum_of_a_tiny_problem():
    # Two clusters, each of a mixed majority: the best scale is neither 0 nor infinite.
    Z = np.r_[np.arange(8.0) / 10.0, 3.0 + np.arange(8.0) / 10.0][:, None]
    y = np.array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1])
    model = NCA(solver="exact", max_iter=1000, tol=1e-9).fit(Z, y)
    best = minimize_scalar(
        lambda scale: -brute(np.array([[scale]]), Z, y), bounds=(0.1, 2.0), method="bounded"
    )
    assert 0.2 < best.x < 1.9
    assert abs(model.components_[0, 0]) == pytest.approx(best.x, rel=1e-3)
    assert model.objective_ * 16 == pytest.approx(-best.fun, rel=1e-7)


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 1.0], ids=["dense", "sparse"])
def test_value_and_gradient_are_scikit_learns(scale, share, monkeypatch):
    monkeypatch.setattr(_nca_objective, "_SPARSE_BELOW", share + 1e-9)
    Z = X - X.mean(axis=0) + 1e-3 * np.random.default_rng(1).normal(size=X.shape)
    L = scale * np.random.default_rng(0).normal(size=(3, 4))
    peer = NeighborhoodComponentsAnalysis()
    peer.n_iter_ = 1
    loss, slope = peer._loss_grad_lbfgs(L.ravel(), Z, Y[:, None] == Y, -1.0)
    value, G = objective(L, Z, Y)
    assert value == pytest.approx(-loss, rel=1e-10)
    np.testing.assert_allclose(G.ravel(), -slope, rtol=0.0, atol=1e-10 * np.abs(slope).max())


def test_sparse_rows_are_the_dense_ones(monkeypatch):
    rng = np.random.default_rng(0)
    L, rows = 8.0 * rng.normal(size=(4, 4)), rng.permutation(150)[:40]
    Z = X + 100.0  # far from the origin: single precision can only say which pairs may count
    results = []
    for share in (0.0, 2.0):
        monkeypatch.setattr(_nca_objective, "_SPARSE_BELOW", share)
        monkeypatch.setattr(_nca_objective, "_MAX_SLACK", np.inf)
        results.append(objective(L, Z, Y, rows))
    assert results[0][0] == pytest.approx(results[1][0], rel=1e-7)
    np.testing.assert_allclose(
        results[0][1], results[1][1], rtol=0.0, atol=1e-6 * np.abs(results[1][1]).max()
    )


@pytest.mark.parametrize("n_components", [None, 2, 1])
def test_is_scikit_learns(n_components):
    peer = NeighborhoodComponentsAnalysis(n_components, max_iter=15).fit(X, Y)
    expected = brute(peer.components_, X, Y) / 150
    for solver in ("auto", "sklearn"):
        init = "identity" if n_components is None else "lda"  # "auto", in the units of X
        model = NCA(n_components=n_components, init=init, max_iter=15, solver=solver).fit(X, Y)
        assert model.solver_ == {"auto": "exact"}.get(solver, solver)
        assert model.objective_ == pytest.approx(expected, rel=1e-3)
        assert model.objective_ == pytest.approx(brute(model.components_, X, Y) / 150, rel=1e-9)


def test_solvers_agree():
    Z, y = load_wine(return_X_y=True)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    values = {
        s: NCA(solver=s, random_state=0).fit(Z, y).objective_
        for s in ("sklearn", "exact", "stochastic")
    }
    assert values["exact"] == pytest.approx(values["sklearn"], rel=1e-3)
    assert values["stochastic"] > 0.98


def test_which_solver_is_taken(monkeypatch):
    assert NCA(max_iter=2).fit(SMALL, LABELS).solver_ == "exact"
    monkeypatch.setattr(nca, "_EXACT_UP_TO", 20)
    model = NCA(max_iter=2).fit(SMALL, LABELS)
    assert model.solver_ == "stochastic" and model.n_iter_ == 20


@pytest.mark.parametrize("solver", ["sklearn", "exact"])
def test_warns_at_max_iter(solver):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 .* above tol=1e-05"):
        model = NCA(solver=solver, max_iter=2).fit(X, Y)
    assert model.n_iter_ == 2


def test_never_worse_than_its_start():
    start = brute(np.eye(4), X, Y) / 150
    for max_iter in (1, 5, 20):
        assert NCA(init="identity", max_iter=max_iter).fit(X, Y).objective_ >= start


def test_starts():
    for init in ("auto", "identity", "pca", "lda"):
        assert NCA(init=init, n_components=2, max_iter=5).fit(X, Y).components_.shape == (2, 4)
    with pytest.raises(ValueError, match="n_components=5 is more than the 4 features"):
        NCA(n_components=5).fit(X, Y)


def test_invariances():
    settings = {"solver": "exact", "init": "identity", "max_iter": 8}
    D = NCA(**settings).fit(X, Y).pairwise_distance(X)
    rng = np.random.default_rng(0)
    order = rng.permutation(150)
    moved = NCA(**settings).fit(X[order], Y[order])
    np.testing.assert_allclose(moved.pairwise_distance(X), D, rtol=1e-5, atol=1e-5)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    turned = NCA(**settings).fit(X @ Q + 3.0, Y)
    np.testing.assert_allclose(turned.pairwise_distance(X @ Q + 3.0), D, rtol=1e-4, atol=1e-4)


def test_units_do_not_matter():
    reference = NCA().fit(X, Y)
    for unit in (1e-9, 1e9):
        model = NCA().fit(unit * X, Y)
        assert model.objective_ == pytest.approx(reference.objective_, rel=1e-3)
        scaled = NCA(max_iter=5).fit(unit * X, Y).components_ * unit
        np.testing.assert_allclose(scaled, NCA(max_iter=5).fit(X, Y).components_, rtol=1e-4)


@pytest.mark.parametrize("init", ["auto", "identity", "pca", "lda"])
@pytest.mark.parametrize("solver", ["exact", "sklearn", "stochastic"])
def test_huge_features_are_a_result_or_refused(init, solver):
    model = NCA(init=init, solver=solver, random_state=0, max_iter=5)
    constant = np.column_stack([X, np.full(150, 1e300), np.full(150, -1e300)])
    assert np.isfinite(model.fit(constant, Y).components_).all()
    signs = np.column_stack([X, 1e300 * (-1.0) ** np.arange(150)])
    if init == "auto":
        assert np.isfinite(model.fit(signs, Y).components_).all()
    else:
        with pytest.raises(ValueError, match="too large for init"):
            model.fit(signs, Y)
