"""Grids that grow by a rule, and paths that give what single fits give."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from metriclearn.estimators.base import MetricLearner
from metriclearn.evaluation.classification import Classification
from metriclearn.evaluation.grid import Grid
from metriclearn.evaluation.images import ImageProtocol
from metriclearn.evaluation.part import Part, Samples
from metriclearn.evaluation.tuning import candidate_scores, tune
from metriclearn.experiment.methods import read_method

# Grids ---------------------------------------------------------------------------------------


def grow(grid, score):
    """The values of ``a`` in the order in which they are tried, and the best one at the end."""
    tried, new = [], grid.candidates()
    while new:
        tried += new
        best = max(tried, key=lambda changes: score(**changes))
        new = grid.extended(best)
    return [changes["a"] for changes in tried], best


def test_a_grid_grows_by_its_last_ratio_as_long_as_its_edge_wins():
    grid = Grid({"a": [0.1, 1.0, 2.0]}, {"a": "factor"}, 3)
    tried, best = grow(grid, lambda a: -abs(np.log(a / 8.0)))
    assert tried == [0.1, 1.0, 2.0, 4.0, 8.0, 16.0]
    assert best == {"a": 8.0} and grid.edge(best) == []
    grid = Grid({"a": [0.1, 1.0, 2.0]}, {"a": "factor"}, 3)
    tried, best = grow(grid, lambda a: -a)
    assert tried == [0.1, 1.0, 2.0, 0.01, 1e-3, 1e-4]  # no further, and no digits of rounding
    assert best == {"a": 1e-4} and grid.edge(best) == ["a"]


def test_between_0_and_1_the_odds_grow():
    grid = Grid({"a": [0.2, 0.5, 0.8]}, {"a": "odds"}, 2)
    tried, best = grow(grid, lambda a: a)
    assert tried == pytest.approx([0.2, 0.5, 0.8, 16 / 17, 64 / 65]) and grid.edge(best) == ["a"]
    tried, best = grow(Grid({"a": [0.2, 0.5, 0.8]}, {"a": "odds"}, 1), lambda a: -a)
    assert tried == pytest.approx([0.2, 0.5, 0.8, 1 / 17])


def test_a_single_value_grows_by_ten_on_both_sides():
    tried, best = grow(Grid({"a": [5.0]}, {"a": "factor"}, 1), lambda a: a)
    assert sorted(tried) == [0.5, 5.0, 50.0] and best == {"a": 50.0}


def test_a_value_that_is_not_better_does_not_win():
    tried, best = grow(Grid({"a": [1.0, 10.0]}, {"a": "factor"}, 3), lambda a: min(a, 10.0))
    assert tried == [1.0, 10.0, 100.0] and best == {"a": 10.0}


def test_added_values_come_with_all_others_and_some_parameters_never_grow():
    grid = Grid({"a": [1.0, 10.0], "k": [1, 2]}, {"a": "factor"}, 1)
    assert grid.candidates()[1] == {"a": 1.0, "k": 2}
    assert grid.extended({"a": 10.0, "k": 2}) == [{"a": 100.0, "k": 1}, {"a": 100.0, "k": 2}]
    assert grid.extended({"a": 100.0, "k": 2}) == []  # one extension of a side
    assert grid.extended({"a": 1.0, "k": 2}) == [{"a": 0.1, "k": 1}, {"a": 0.1, "k": 2}]
    assert Grid().candidates() == [{}] and Grid().edge({}) == []
    assert Grid({"k": [1, 2]}, {"a": "factor"}, 1).extended({"k": 2}) == []


def test_an_edge_is_one_of_three_numbers_or_more():
    grid = Grid({"a": [1.0, 0.5, 2.0], "k": [1, 2], "how": ["x", "y", "z"], "on": [True, False]})
    at = {"k": 1, "how": "x", "on": True}
    assert [grid.edge({"a": a, **at}) for a in (0.5, 1.0, 2.0)] == [["a"], [], ["a"]]


# Candidates ----------------------------------------------------------------------------------


class Counter(MetricLearner):
    """The score of a candidate is its C; counts what is fitted and how."""

    path_parameter = "C"
    calls = []

    def __init__(self, *, C=1.0, k=1, bad=None):
        self.C, self.k, self.bad = C, k, bad

    def fit(self, X, y):
        self.calls.append((self.k, self.C))
        if self.C == self.bad:
            raise ValueError(f"never {self.C}")
        return self

    def fit_path(self, X, y, C):
        self.calls.append((self.k, list(C)))
        if self.bad in C:
            raise ValueError("no path")
        return [Counter(C=value, k=self.k) for value in C]


class OnPairs(Counter):
    def fit_pairs(self, pairs, y):
        return self.fit(pairs, y)


class Toy(Classification):
    """Classification with a class in place of a method's file; ``fit`` is the protocol's."""

    def __init__(self, kind=Counter, **method):
        self.kind = kind
        self.method = {"tune": {}, "extend": {}, "tune_samples": None, **method}
        self.tuning = {
            "kind": "nested",
            "folds": 2,
            "test_size": 0.2,
            "holdout_from": None,
            "max_samples": None,
            "extensions": 2,
        }

    path_parameter = property(lambda self: self.kind.path_parameter)

    def estimator(self, seed, changes):
        own = {key: value for key, value in self.method.items() if key == "bad"}
        return self.kind(**own, **changes)

    def preprocess(self, kind, train, test):
        return train, test

    def tuning_score(self, model, train, test):
        return model.C * test.size


class ToyPairs(Toy):
    given = ImageProtocol.given


@pytest.fixture(autouse=True)
def no_calls():
    Counter.calls.clear()


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return Samples(rng.normal(size=(20, 2)), np.arange(20) % 2)


GRID = [{"C": 0.1, "k": 1}, {"C": 0.1, "k": 2}, {"C": 1.0, "k": 1}, {"C": 1.0, "k": 2}]


def test_candidates_that_differ_in_the_path_parameter_are_one_path(samples):
    scores, failure = candidate_scores(Toy(), None, GRID, samples, samples, 0)
    assert Counter.calls == [(1, [0.1, 1.0]), (2, [0.1, 1.0])]
    assert scores == [2.0, 2.0, 20.0, 20.0] and failure is None


def test_a_path_that_fails_costs_only_the_bad_candidate(samples):
    scores, failure = candidate_scores(Toy(bad=0.1), None, GRID, samples, samples, 0)
    assert scores == [-np.inf, -np.inf, 20.0, 20.0] and str(failure) == "never 0.1"
    assert Counter.calls[:3] == [(1, [0.1, 1.0]), (1, 0.1), (1, 1.0)]


def test_without_a_path_all_are_single_fits(samples):
    scores, _ = candidate_scores(Toy(), None, [{"C": 0.5}], samples, samples, 0)
    assert scores == [10.0] and Counter.calls == [(1, 0.5)]  # nothing to share
    Counter.calls.clear()
    pairs = Part(samples.X, np.arange(20).reshape(10, 2), np.tile([1, -1], 5))
    scores, _ = candidate_scores(ToyPairs(OnPairs), None, GRID, pairs, pairs, 0)  # labels only
    assert scores == [1.0, 1.0, 10.0, 10.0]
    assert Counter.calls == [(1, 0.1), (1, 1.0), (2, 0.1), (2, 1.0)]


def test_a_preprocessing_that_fails_is_minus_infinity_for_all(samples):
    def preprocess(kind, train, test):
        raise ValueError("singular")

    toy = Toy()
    toy.preprocess = preprocess
    scores, failure = candidate_scores(toy, None, GRID, samples, samples, 0)
    assert scores == [-np.inf] * 4 and str(failure) == "singular" and not Counter.calls


def test_the_choice_grows_the_grid_and_says_where_it_ended(samples):
    choice = tune(Toy(tune={"C": [1.0, 0.1], "k": [1, 2]}, extend={"C": "factor"}), samples, 0)
    assert choice.changes == {"C": 100.0, "k": 1} and choice.edge == ("C",)
    added = [call for call in Counter.calls if call[1] in (10.0, 100.0)]
    assert added == [(k, C) for C in (10.0, 100.0) for _ in range(2) for k in (1, 2)]
    choice = tune(Toy(tune={"C": [1.0]}, extend={"C": "factor"}), samples, 0)
    assert choice.changes == {"C": 1.0} and choice.value is None and choice.edge == ()


@pytest.mark.parametrize(("most", "own", "size"), [(None, None, 20), (8, None, 8), (12, 6, 6)])
def test_on_how_many_samples_the_choice_is_made(most, own, size, samples):
    toy = Toy(tune_samples=own)
    toy.tuning["max_samples"] = most
    assert toy.tuning_size(samples) == size
    for inner, held in toy.inner_splits(samples, np.random.default_rng(0)):
        assert inner.size + held.size == size


# The estimators ------------------------------------------------------------------------------

FINE = {  # close enough to their optimum that a warm start ends where a cold one does
    "pcml": {"tol": 1e-6},
    "ncml": {"tol": 1e-6},
    "doublet_svm": {"tol": 1e-6},
    "itml": {"tol": 1e-10, "max_iter": 50_000},
    "lmnn": {"tol": 1e-5, "max_iter": 5_000},
    "plml": {"tol": 1e-6, "max_iter": 5_000},
}


@pytest.mark.parametrize("name", FINE)
def test_paths_of_the_methods_are_single_fits(name):
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + np.eye(3, 4)[y]
    method = {**read_method(name), **FINE[name]}
    config = {
        "method": method,
        "dataset": {"name": "toy"},
        "protocol": {"seed": 0, "scale": "none", "pca": "none"},
        "pairs": {"k": 1, "dissimilar": "nearest"},
        "tuning": {"kind": "nested"},
    }
    job = Classification(config, {"status": "ok"}, {"X": X, "y": y}, {})
    values = [0.1, 0.5]
    train = Samples(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = job.fit_path(job.estimator(0, {}), train, values)
        single = [job.fit(job.estimator(0, {job.path_parameter: v}), train) for v in values]
    for one, other in zip(path, single, strict=True):
        assert getattr(one, job.path_parameter) == getattr(other, job.path_parameter)
        near, far = (model.pairwise_distance(X) for model in (one, other))
        assert np.abs(near - far).max() <= 1e-3 * far.max()


def test_itml_has_a_path_on_pairs():
    rng = np.random.default_rng(2)
    pairs, y = rng.normal(size=(40, 2, 3)), np.tile([1, -1], 20)
    job = SimpleNamespace(path_parameter="gamma", given=lambda model, train: ("_pairs", train))
    from metriclearn.estimators.itml import ITML

    model = ITML(tol=1e-10, max_iter=50_000, random_state=0)
    path = Classification.fit_path(job, model, (pairs, y), [10.0, 0.1])
    for gamma, one in zip([10.0, 0.1], path, strict=True):
        alone = ITML(gamma=gamma, tol=1e-10, max_iter=50_000, random_state=0).fit_pairs(pairs, y)
        assert np.allclose(
            one.get_mahalanobis_matrix(), alone.get_mahalanobis_matrix(), rtol=1e-4, atol=1e-6
        )
        assert np.array_equal(one.bounds_, alone.bounds_)
