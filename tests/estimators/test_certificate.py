"""duality_gap recomputes everything from M, b, lambda, the pairs and C."""

import numpy as np
import pytest
from helpers import random_pairs

from metriclearn import NCML, PCML, DoubletSVM, duality_gap
from metriclearn.solvers.cones import project_generated
from metriclearn.solvers.hinge import best_bias, hinge_sum, proximal_bias
from metriclearn.solvers.nonnegative_qp import solve_nonnegative_qp
from metriclearn.solvers.spaces import LinearPairs

PAIRS = np.array([[[0.0], [1.0]], [[0.0], [2.0]]])
Y = np.array([1, -1])


def test_by_hand():
    """M = 1, b = -2: margins 1 and 2, so the primal is 1/2; lambda = 0.1: S = 0.3."""
    gap = duality_gap([[1.0]], -2.0, [0.1, 0.1], PAIRS, Y, 5.0)
    assert gap.primal == pytest.approx(0.5)
    assert gap.dual == pytest.approx(0.2 - 0.5 * 0.3**2)
    assert gap.gap == gap.primal - gap.dual
    with_slack = duality_gap([[1.0]], -3.0, [0.1, 0.1], PAIRS, Y, 5.0)
    assert with_slack.primal == pytest.approx(0.5 + 5.0 * 0.0)  # margins 2 and 1
    assert duality_gap([[0.5]], -2.0, [0.1, 0.1], PAIRS, Y, 5.0).primal == pytest.approx(
        0.125 + 5.0 * 1.0
    )  # margins 1.5 and 0


def test_infeasible_points_certify_nothing():
    assert duality_gap([[-1.0]], 0.0, [0.1, 0.1], PAIRS, Y, 1.0).primal == np.inf
    assert duality_gap([[-1.0]], 0.0, [0.1, 0.1], PAIRS, Y, 1.0, cone="symmetric").primal < np.inf
    assert duality_gap([[1.0]], 0.0, [0.1, 0.2], PAIRS, Y, 1.0).dual == -np.inf  # unbalanced
    assert duality_gap([[1.0]], 0.0, [2.0, 2.0], PAIRS, Y, 1.0).dual == -np.inf  # above C
    assert duality_gap([[1.0]], 0.0, [-0.1, -0.1], PAIRS, Y, 1.0).dual == -np.inf
    outside = np.diag([1.0, 1.0])  # not a combination of the one direction that the pairs have
    flat = np.array([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [2.0, 0.0]]])
    assert duality_gap(outside, 0.0, [0.1, 0.1], flat, Y, 1.0, cone="pairs").primal == np.inf


@pytest.mark.parametrize("seed", range(4))
def test_any_feasible_points_bound_the_optimum(seed):
    """Random matrices in the cone and random multipliers: dual <= optimum <= primal."""
    rng = np.random.default_rng(seed)
    pairs, y = random_pairs(seed, 4, 60, 0.5)
    best = {
        "psd": PCML(C=0.5, tol=1e-8).fit_pairs(pairs, y).primal_,
        "pairs": NCML(C=0.5, tol=1e-8).fit_pairs(pairs, y).primal_,
        "symmetric": DoubletSVM(C=0.5, tol=1e-8).fit_pairs(pairs, y).primal_,
    }
    delta = pairs[:, 0] - pairs[:, 1]
    for cone, optimum in best.items():
        for _ in range(5):
            alpha = rng.random(60) * (rng.random(60) < 0.2) * 0.05
            M = (delta * alpha[:, None]).T @ delta
            lam = rng.random(60) * 0.5
            lam[y > 0] *= lam[y < 0].sum() / lam[y > 0].sum()
            lam *= 0.5 / max(0.5, lam.max())
            gap = duality_gap(M, None, lam, pairs, y, 0.5, cone=cone)
            assert gap.dual <= optimum * (1 + 1e-7) <= gap.primal * (1 + 2e-7)


def test_the_fitted_certificate_can_be_recomputed(blobs):
    X, y = blobs
    pcml = PCML(C=0.2, k=2).fit(X, y)
    M = pcml.get_mahalanobis_matrix()
    b, lam, labels = pcml.intercept_, pcml.dual_coef_, pcml.pair_labels_
    again = duality_gap(M, b, lam, X[pcml.pairs_], labels, 0.2)
    assert again == (pcml.primal_, pcml.dual_, pcml.gap_)
    ncml = NCML(C=0.2, k=2).fit(X, y)
    pairs = X[ncml.pairs_]
    b, lam, labels = ncml.intercept_, ncml.dual_coef_, ncml.pair_labels_
    for matrix in (ncml.get_mahalanobis_matrix(), ncml.alpha_):
        again = duality_gap(matrix, b, lam, pairs, labels, 0.2, cone="pairs")
        np.testing.assert_allclose(again, (ncml.primal_, ncml.dual_, ncml.gap_), rtol=1e-8)
    doublet = DoubletSVM(C=0.2, k=2).fit(X, y)
    lam, labels = doublet.dual_coef_, doublet.pair_labels_
    again = duality_gap(
        doublet.unclipped_, None, lam, X[doublet.pairs_], labels, 0.2, cone="symmetric"
    )
    np.testing.assert_allclose(again[:2], (doublet.primal_, doublet.dual_), rtol=1e-9)


def test_best_bias_is_the_minimum_on_a_grid():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, h = rng.standard_normal(15), np.where(rng.random(15) < 0.4, 1.0, -1.0)
        h[:2] = 1, -1
        grid = min(hinge_sum(a, h, b) for b in np.linspace(-6, 6, 4001))
        assert hinge_sum(a, h, best_bias(a, h)) <= grid + 1e-12


def test_proximal_bias_balances_the_multipliers():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = rng.integers(2, 200)
        h = np.where(rng.random(n) < rng.random(), 1.0, -1.0)
        h[:2] = 1, -1
        C, sigma = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-3, 5)
        a, lam = rng.standard_normal(n) * 10.0 ** rng.uniform(-3, 3), rng.random(n) * C
        b = proximal_bias(a, h, lam, sigma, C, 0.0, rng.standard_normal())
        new = np.clip(lam + sigma * (1.0 - h * (a + b)), 0.0, C)
        assert abs(new @ h) <= 1e-7 * max(new.sum(), C * 1e-6)


def test_proximal_bias_ends_where_no_bias_balances():
    """All multipliers at C, and an outside share that is off by rounding: any b will do."""
    n, C = 5, 0.1
    h, a, lam = -np.ones(n), np.zeros(n), np.full(n, C)
    for off in (1e-12, -1e-12):
        b = proximal_bias(a, h, lam, 1.0, C, n * C * (1.0 + off), 0.0)
        assert abs(b) < 10.0


def test_nonnegative_qp_against_scipy():
    from scipy.optimize import nnls

    rng = np.random.default_rng(0)
    for n, rank in ((5, 8), (40, 6), (30, 60)):
        A, target = rng.standard_normal((rank, n)), rng.standard_normal(rank)
        x = solve_nonnegative_qp(A.T @ A, -A.T @ target, np.zeros(n))
        expected, residual = nnls(A, target)
        assert (x >= 0).all()
        assert np.linalg.norm(A @ x - target) == pytest.approx(residual, rel=1e-7, abs=1e-9)


def test_projection_onto_the_cone_of_pairs_against_scipy():
    from scipy.optimize import nnls

    pairs, _ = random_pairs(1, 5, 40, 0.5)
    delta = pairs[:, 0] - pairs[:, 1]
    S = np.random.default_rng(2).standard_normal((5, 5))
    S = S + S.T
    generators = np.einsum("pi,pj->ijp", delta, delta).reshape(25, 40)
    expected = generators @ nnls(generators, S.ravel())[0]
    projected = project_generated(LinearPairs(delta), S)
    np.testing.assert_allclose(projected.ravel(), expected, atol=1e-7)
