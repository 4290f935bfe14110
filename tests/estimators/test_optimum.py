"""The solvers against an independent convex solver, a hand calculation, and each other."""

import warnings

import numpy as np
import pytest
from helpers import optimum, random_pairs
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from metriclearn import NCML, PCML, DoubletSVM, duality_gap
from metriclearn.datasets import load_dataset

MODELS = {"PCML": PCML, "NCML": NCML, "DoubletSVM": DoubletSVM}

# d, pairs, C, share of similar pairs: all of the range, balanced and very unbalanced.
PROBLEMS = [
    (1, 30, 0.1, 0.5),
    (1, 50, 100.0, 0.9),
    (2, 40, 1e-3, 0.5),
    (2, 60, 10.0, 0.1),
    (3, 80, 1.0, 0.5),
    (4, 100, 100.0, 0.5),
    (4, 120, 0.03, 0.97),
    (5, 90, 30.0, 0.05),
    (6, 120, 100.0, 0.9),
    (8, 60, 1.0, 0.5),
    (8, 150, 100.0, 0.5),
    (8, 150, 1e-3, 0.1),
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_fast_agrees_with_convex_solver(model, seed, problem):
    d, n_pairs, C, share = problem
    pairs, y = random_pairs(seed, d, n_pairs, share)
    fitted = MODELS[model](C=C, tol=1e-5).fit_pairs(pairs, y)
    expected = optimum(model, pairs, y, C)
    assert fitted.gap_ <= 1.0001e-5 * fitted.primal_
    assert fitted.primal_ == pytest.approx(expected, rel=1e-4)
    assert fitted.dual_ <= expected * (1 + 1e-6)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("problem", [(2, 40, 1e-3, 0.5), (3, 60, 0.1, 0.9), (4, 40, 1.0, 0.5)])
def test_libsvm_agrees_with_convex_solver_in_the_papers_range(model, problem):
    d, n_pairs, C, share = problem
    pairs, y = random_pairs(7, d, n_pairs, share)
    fitted = MODELS[model](C=C, tol=1e-5, solver="libsvm", max_iter=2000).fit_pairs(pairs, y)
    assert fitted.primal_ == pytest.approx(optimum(model, pairs, y, C), rel=1e-4)
    assert fitted.gap_ <= 1.0001e-5 * fitted.primal_


@pytest.mark.parametrize("model", ["PCML", "NCML"])
def test_libsvm_that_does_not_finish_warns_and_its_gap_bounds_its_error(model):
    pairs, y = random_pairs(3, 6, 60, 0.5)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 .* gap of .* tol=0.001"):
        stopped = MODELS[model](C=20.0, solver="libsvm", max_iter=3).fit_pairs(pairs, y)
    expected = optimum(model, pairs, y, 20.0)
    assert stopped.n_iter_ == 3
    assert stopped.gap_ > 1e-3 * stopped.primal_
    assert stopped.primal_ - expected <= stopped.gap_
    assert stopped.dual_ <= expected <= stopped.primal_


def test_raw_units_that_keep_it_from_finishing_are_named():
    """The gap is honest there, too: C times the fourth power of the length is 1e12."""
    pairs, y = random_pairs(3, 6, 60, 0.5)
    length = np.sqrt(np.mean(np.sum((pairs[:, 0] - pairs[:, 1]) ** 2, axis=1)))
    with pytest.warns(ConvergenceWarning, match=r"about 1e\+03 apart: scale the features"):
        stopped = MODELS["PCML"](C=1.0, max_iter=3).fit_pairs(1e3 / length * pairs, y)
    assert stopped.gap_ > 1e-3 * stopped.primal_
    assert stopped.gap_ == pytest.approx(stopped.primal_ - stopped.dual_)


def test_cones_are_nested():
    """The larger the cone, the smaller the optimum: all matrices, PSD ones, those of pairs."""
    for seed in range(5):
        pairs, y = random_pairs(seed, 4, 60, 0.5)
        doublet, pcml, ncml = (
            MODELS[name](C=1.0, tol=1e-7).fit_pairs(pairs, y).primal_
            for name in ("DoubletSVM", "PCML", "NCML")
        )
        assert doublet <= pcml * (1 + 1e-6)
        assert pcml <= ncml * (1 + 1e-6)


@pytest.mark.parametrize("solver", ["fast", "libsvm"])
@pytest.mark.parametrize("model", MODELS.values())
def test_two_pairs_by_hand(model, solver):
    """Similar at distance 1, dissimilar at distance 2, in one dimension.

    For C >= 2/9 both margins hold: M = 2 / (4 - 1), b = -1 - M; below, lambda = C for both pairs
    and M = C (4 - 1).
    """
    pairs = np.array([[[0.0], [1.0]], [[0.0], [2.0]]])
    y = np.array([1, -1])
    hard = model(C=10.0, tol=1e-6, solver=solver).fit_pairs(pairs, y)
    M = hard.components_[0, 0] ** 2
    assert M == pytest.approx(2 / 3, rel=1e-3)
    assert hard.intercept_ == pytest.approx(-5 / 3, rel=1e-3)
    assert hard.threshold_ == -hard.intercept_
    assert hard.primal_ == pytest.approx(2 / 9, rel=2e-6)
    np.testing.assert_allclose(hard.dual_coef_, [2 / 9, 2 / 9], rtol=2e-3)
    soft = model(C=0.1, tol=1e-6, solver=solver).fit_pairs(pairs, y)
    assert soft.components_[0, 0] ** 2 == pytest.approx(0.3, rel=1e-3)
    np.testing.assert_allclose(soft.dual_coef_, [0.1, 0.1], rtol=1e-6)


@pytest.mark.parametrize("model", MODELS.values())
def test_rotating_the_data_rotates_the_matrix(model, blobs):
    X, y = blobs
    Q, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((5, 5)))
    M = model(C=0.3, k=2, tol=1e-9).fit(X, y).get_mahalanobis_matrix()
    rotated = model(C=0.3, k=2, tol=1e-9).fit(X @ Q, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(rotated, Q.T @ M @ Q, atol=1e-4 * np.abs(M).max())


@pytest.mark.parametrize("model", ["PCML", "NCML"])
def test_many_pairs_start_on_a_subset_and_reach_the_same_optimum(model):
    """Above some thousand pairs the solver uses levels and working sets; the optimum is the same.

    Doubling every pair and halving C leaves the problem as it is.
    """
    pairs, y = random_pairs(11, 4, 700, 0.5)
    small = MODELS[model](C=1.0, tol=1e-7).fit_pairs(pairs, y)
    many = MODELS[model](C=0.1, tol=1e-7).fit_pairs(np.tile(pairs, (10, 1, 1)), np.tile(y, 10))
    assert many.primal_ == pytest.approx(small.primal_, rel=1e-6)
    np.testing.assert_allclose(
        many.get_mahalanobis_matrix(), small.get_mahalanobis_matrix(), atol=1e-3
    )


def test_fewer_pairs_than_features_reduce_exactly():
    pairs, y = random_pairs(2, 40, 12, 0.5)
    fitted = PCML(C=1.0, tol=1e-6).fit_pairs(pairs, y)
    assert fitted.primal_ == pytest.approx(optimum("PCML", pairs, y, 1.0), rel=1e-4)
    assert fitted.components_.shape == (40, 40)


def test_history_is_monotone_and_ends_where_the_certificate_does():
    pairs, y = random_pairs(5, 6, 150, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = PCML(C=1.0, tol=1e-6).fit_pairs(pairs, y)
    history = fitted.history_
    assert {len(values) for values in history.values()} == {fitted.n_iter_}
    assert (np.diff(history["seconds"]) >= 0).all()
    assert (np.diff(history["primal"]) <= 0).all()
    assert (np.diff(history["dual"]) >= 0).all()
    assert (history["gap"] >= 0).all()
    assert history["primal"][-1] == pytest.approx(fitted.primal_, rel=1e-9)
    assert history["dual"][-1] == pytest.approx(fitted.dual_, rel=1e-9)
    certificate = duality_gap(
        fitted.get_mahalanobis_matrix(), fitted.intercept_, fitted.dual_coef_, pairs, y, 1.0
    )
    assert certificate == (fitted.primal_, fitted.dual_, fitted.gap_)


def test_the_papers_gap_is_negative_before_the_optimum_and_closes_there():
    """Equation (13) takes the slack from KKT conditions that do not hold yet."""
    pairs, y = random_pairs(0, 6, 150, 0.5)
    fitted = PCML(C=1.0, tol=1e-8, solver="fast").fit_pairs(pairs, y)
    paper = fitted.history_["paper_gap"]
    assert paper.min() < -1e-3 * fitted.primal_
    assert abs(paper[-1]) < 1e-4 * fitted.primal_


@pytest.mark.parametrize("model", ["PCML", "NCML"])
@pytest.mark.parametrize("C", [1e-6, 1e-4, 1e-3])
def test_a_small_C_gives_the_direction_it_has_in_the_limit(model, C):
    """At M = 0 the relative gap is below tol already; what M gains must be found all the same.

    In the limit all multipliers are at C, so that M / C is the projection of sum_p h_p X_p: on
    separated balanced pairs it does not depend on C.
    """
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    small = MODELS[model](C=C, k=1).fit(X, y).get_mahalanobis_matrix()
    smaller = MODELS[model](C=0.1 * C, k=1).fit(X, y).get_mahalanobis_matrix()
    assert np.linalg.norm(small) > 0.0
    assert np.vdot(small, smaller) >= 0.9 * np.linalg.norm(small) * np.linalg.norm(smaller)


def test_working_sets_hold_both_kinds_of_pairs():
    """All multipliers at their bound: any pair is as near to moving as any other."""
    data = load_dataset("pendigits")
    X, y = data.X[data.train] / 100.0, data.y[data.train]
    fitted = PCML(C=1e-3, k=1).fit(X, y)
    assert fitted.gap_ <= 1e-3 * fitted.primal_ and fitted.components_.any()
