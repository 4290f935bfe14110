"""LibSVM's iterations are bounded, and the authors' stopping rule is offered for it alone."""

import warnings

import numpy as np
import pytest
from helpers import optimum, random_pairs
from sklearn.exceptions import ConvergenceWarning

from metriclearn import NCML, PCML, DoubletSVM
from metriclearn.solvers import libsvm, newton
from metriclearn.solvers.hinge import authors_gap
from metriclearn.solvers.smo import train_svm

MODELS = {"PCML": PCML, "NCML": NCML, "DoubletSVM": DoubletSVM}


def unlucky_pairs():
    """26 pairs in 2 dimensions, on which LibSVM once ran into its 10^7 iterations per call."""
    rng = np.random.default_rng(42)
    d, n = rng.integers(2, 7), rng.integers(14, 30)
    C = 10 ** rng.uniform(-2.5, 1.5)
    return rng.normal(size=(n, 2, d)) * rng.uniform(0.3, 2, size=d), C


@pytest.fixture
def iterations(monkeypatch):
    """Those of each call of LibSVM."""
    counted = []
    add = libsvm._Work.add

    def count(work, number):
        counted.append(number)
        return add(work, number)

    monkeypatch.setattr(libsvm._Work, "add", count)
    return counted


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shift", range(4))
def test_a_small_problem_does_not_take_long(model, shift, iterations):
    pairs, C = unlucky_pairs()
    y = np.where((np.arange(len(pairs)) + shift) % 4 == 0, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = MODELS[model](C=C, solver="libsvm", random_state=0).fit_pairs(pairs, y)
    assert sum(iterations) <= 2_000_000 + 100 * len(pairs)
    expected = optimum(model, pairs, y, C)
    assert fitted.dual_ <= expected * (1 + 1e-6) <= fitted.primal_ * (1 + 2e-6)


@pytest.mark.parametrize("model", ["PCML", "NCML"])
def test_a_fit_ends_with_libsvms_iterations(model, iterations, monkeypatch):
    monkeypatch.setattr(libsvm, "_ITERATIONS", (10_000, 0))
    pairs, y = random_pairs(1, 4, 20, 0.5)
    slow = MODELS[model](C=0.5, solver="libsvm", tol=1e-14, max_iter=10_000, random_state=0)
    with pytest.warns(ConvergenceWarning, match="iterations are used up. Use solver='fast'"):
        slow.fit_pairs(pairs, y)
    assert sum(iterations) == 10_000


@pytest.mark.parametrize(("model", "unsolved"), [("PCML", 2), ("NCML", 2), ("DoubletSVM", 1)])
def test_what_libsvm_does_not_solve_ends_the_fit_and_is_said(
    model, unsolved, iterations, monkeypatch
):
    monkeypatch.setattr(libsvm, "_ITERATIONS", (400, 0))
    monkeypatch.setattr(libsvm, "_UNSOLVED", 2)
    pairs, y = random_pairs(1, 4, 60, 0.5)
    share = 400 // (10 if model == "DoubletSVM" else 40)
    with pytest.warns(ConvergenceWarning, match=f"left {unsolved} of its subproblems unsolved"):
        MODELS[model](C=10.0, solver="libsvm", random_state=0).fit_pairs(pairs, y)
    assert max(iterations) == share
    assert iterations.count(share) == unsolved


def test_the_warning_names_the_bar_that_was_missed():
    """Where M gains little, a gap below tol is not enough: M = 0 would have it too."""
    pairs, y = random_pairs(1, 4, 60, 0.5)
    with pytest.warns(ConvergenceWarning, match="above a tenth of what M gains over M = 0"):
        PCML(C=1e-4, solver="libsvm", tol=0.1, max_iter=1).fit_pairs(pairs, y[::-1])


@pytest.mark.parametrize("model", ["PCML", "NCML"])
def test_the_authors_rule_stops_early_and_says_nothing(model):
    pairs, y = random_pairs(1, 4, 60, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        early = MODELS[model](C=0.5, solver="libsvm", stopping="authors").fit_pairs(pairs, y)
    assert early.n_iter_ >= 3
    certified = MODELS[model](C=0.5, solver="libsvm", tol=1e-6, max_iter=2000)
    assert early.n_iter_ < certified.fit_pairs(pairs, y).n_iter_


def test_the_authors_rule_is_for_libsvm():
    pairs, y = random_pairs(1, 4, 60, 0.5)
    with pytest.raises(ValueError, match="solver='libsvm'"):
        PCML(stopping="authors").fit_pairs(pairs, y)
    with pytest.raises(ValueError, match="stopping must be one of"):
        PCML(stopping="never").fit_pairs(pairs, y)


def test_the_authors_gap_by_hand():
    """b = 1 - 3 from the free pair, so the slacks are 0 and 2: 4 + 2 * 2 - 3."""
    a, h, lam = np.array([3.0, 3.0]), np.array([1.0, -1.0]), np.array([1.0, 2.0])
    assert authors_gap(a, h, lam, 2.0, 4.0) == pytest.approx(5.0)


def test_the_native_svm_ends_at_its_limit_and_stays_feasible():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((40, 3))
    h = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
    lam, iterations = train_svm((A @ A.T) ** 2, np.ones(40), h, np.zeros(40), 1e6, 1e-300, 500)
    assert iterations <= 500
    assert (lam >= 0.0).all() and (lam <= 1e6).all()
    assert abs(lam @ h) <= 1e-9 * lam.sum()


@pytest.mark.parametrize("scale", [1e-90, 1e100, 1e300])
def test_lengths_out_of_range_are_refused_without_a_numerical_warning(scale):
    pairs, y = random_pairs(3, 4, 20, 0.5)
    with warnings.catch_warnings(), pytest.raises(ValueError, match="out of range"):
        warnings.simplefilter("error")
        PCML().fit_pairs(scale * pairs, y)


def test_what_is_out_of_reach_is_noticed_early():
    pairs, y = random_pairs(3, 4, 40, 0.5)
    with pytest.warns(ConvergenceWarning, match=r"out of reach.*scale the features"):
        fitted = PCML().fit_pairs(1e60 * pairs, y)
    assert fitted.n_iter_ <= 30
    assert fitted.dual_ <= fitted.primal_


def test_many_newton_steps_far_from_the_end_are_out_of_reach(monkeypatch):
    monkeypatch.setattr(newton, "_TOO_MANY", 10**9)
    monkeypatch.setattr(newton, "_TOO_HARD", 0)
    pairs, y = random_pairs(3, 4, 40, 0.5)
    with pytest.warns(ConvergenceWarning, match="out of reach"):
        assert PCML().fit_pairs(1e20 * pairs, y[::-1]).n_iter_ == newton._LOOK
