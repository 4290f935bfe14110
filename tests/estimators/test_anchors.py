"""Pairs of some anchors are those of all samples, less the others; threads change nothing."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from metriclearn import NCML, PCML, DoubletSVM, duality_gap, make_pairs
from metriclearn.estimators.neighbors import _TILE, _rounds, class_neighbors
from metriclearn.solvers import spaces, threads


def classes(n, d=4, seed=0):
    """Four classes of unequal size that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    return rng.standard_normal((n, d)) + y[:, None], y


@pytest.mark.parametrize("dissimilar", ["nearest", "farthest"])
@pytest.mark.parametrize("n", [30, 3 * _TILE + 7])
@pytest.mark.filterwarnings("ignore:.*fewer than k")
def test_anchors_have_the_pairs_they_have_among_all(n, dissimilar):
    X, y = classes(n)
    every = make_pairs(X, y, k=2, dissimilar=dissimilar)
    some = make_pairs(X, y, k=2, dissimilar=dissimilar, n_anchors=n // 3, random_state=0)
    anchors = np.unique(some.index[:, 0])
    assert len(anchors) == n // 3
    kept = np.isin(every.index[:, 0], anchors)
    np.testing.assert_array_equal(some.index, every.index[kept])
    np.testing.assert_array_equal(some.y, every.y[kept])


def test_anchors_are_seeded_and_in_proportion_to_the_classes():
    X, y = classes(1000)
    drawn = [
        np.unique(make_pairs(X, y, n_anchors=100, random_state=seed).index[:, 0])
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    share = np.bincount(y[drawn[0]], minlength=4) - np.bincount(y) / 10.0
    assert (np.abs(share) < 1.0).all()


def test_as_many_anchors_as_samples_are_all_samples():
    X, y = classes(40)
    for n_anchors in (40, 1000):
        some = make_pairs(X, y, n_anchors=n_anchors, random_state=0)
        np.testing.assert_array_equal(some.index, make_pairs(X, y).index)


def test_random_pairs_of_anchors():
    X, y = classes(60)
    pairs = make_pairs(X, y, k=3, dissimilar="random", n_anchors=20, random_state=0)
    i, j = pairs.index[pairs.y < 0].T
    assert len(i) == 60 and len(np.unique(i)) == 20 and (y[i] != y[j]).all()
    np.testing.assert_array_equal(np.unique(i), np.unique(pairs.index[pairs.y > 0, 0]))


@pytest.mark.parametrize("model", [PCML, NCML, DoubletSVM])
def test_a_fit_is_that_of_the_anchors_pairs(model):
    X, y = classes(120)
    fitted = model(n_anchors=40, random_state=3).fit(X, y)
    pairs = make_pairs(X, y, n_anchors=40, random_state=3)
    np.testing.assert_array_equal(fitted.pairs_, pairs.index)
    alone = model().fit_pairs(X[pairs.index], pairs.y)
    np.testing.assert_array_equal(fitted.components_, alone.components_)
    [on_path] = model(n_anchors=40, random_state=3).fit_path(X, y, [1.0])
    np.testing.assert_array_equal(on_path.pairs_, pairs.index)


def test_kernels_take_anchors_too():
    X, y = classes(60)
    fitted = NCML(kernel="rbf", n_anchors=20, random_state=0).fit(X, y)
    every = NCML(kernel="rbf").fit(X, y).pairs_
    assert len(np.unique(fitted.pairs_[:, 0])) == 20
    assert {*map(tuple, fitted.pairs_)} < {*map(tuple, every)}
    by_pairs = NCML(pair_kernel=_pair_kernel, n_anchors=20, random_state=0).fit(X, y)
    pairs = make_pairs(X, y, n_anchors=20, random_state=0)
    np.testing.assert_array_equal(by_pairs.pairs_, pairs.index)


def _pair_kernel(first, second):
    return ((first[:, 0] - first[:, 1]) @ (second[:, 0] - second[:, 1]).T) ** 2


@pytest.mark.parametrize("n_anchors", [0, -1, 1.5, True, "all"])
def test_bad_numbers_of_anchors(n_anchors):
    X, y = classes(20)
    message = rf"n_anchors must be an integer >= 1, got {n_anchors!r}\."
    with pytest.raises(ValueError, match=message):
        make_pairs(X, y, n_anchors=n_anchors)
    for model in (PCML, NCML, DoubletSVM):
        with pytest.raises(ValueError, match=message):
            model(n_anchors=n_anchors).fit(X, y)


@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("n_anchors", [None, 2 * _TILE + 3])
def test_threads_change_no_neighbour(n_anchors, farthest, monkeypatch):
    X, y = classes(5 * _TILE + 1)
    X = np.round(X, 1)  # ties
    anchors = None if n_anchors is None else np.arange(n_anchors) * 2
    found = []
    for workers in (1, 4):
        monkeypatch.setattr(threads, "_n_blas_threads", lambda workers=workers: workers)
        found.append(class_neighbors(X, y, 2, farthest=farthest, anchors=anchors))
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("n", range(1, 12))
def test_rounds_meet_each_pair_of_tiles_once(n):
    met = []
    for pairs in _rounds(n):
        tiles = [tile for pair in pairs for tile in set(pair)]
        assert len(tiles) == len(set(tiles))  # no tile twice in a round
        met += [tuple(sorted(pair)) for pair in pairs]
    assert sorted(met) == [(i, j) for i in range(n) for j in range(i, n)]


def blas_threads():
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]


def test_calls_run_at_the_same_time_with_one_blas_thread_each(monkeypatch):
    monkeypatch.setattr(threads, "_n_blas_threads", lambda: 2)
    both = threading.Barrier(2, timeout=30)
    seen = []

    def call(i):
        both.wait()
        seen.append((i, max(blas_threads())))

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        threads.for_each(call, [(0,), (1,)])
        assert sorted(seen) == [(0, 1), (1, 1)]
        with pytest.raises(ZeroDivisionError):
            threads.for_each(lambda i: 1 / i, [(1,), (0,), (2,)])
        assert blas_threads() == before


def test_many_pairs_are_combined_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    delta, coef = rng.standard_normal((70, 3)), rng.standard_normal(70)
    coef[::4] = 0.0
    monkeypatch.setattr(spaces, "_LARGE", 16)
    space = spaces.LinearPairs(delta)
    expected = np.einsum("p,pi,pj->ij", coef, delta, delta)
    np.testing.assert_allclose(space.combine(coef), expected, atol=1e-12)
    index = np.arange(0, 70, 2)
    expected = np.einsum("p,pi,pj->ij", coef[index], delta[index], delta[index])
    np.testing.assert_allclose(space.combine(coef[index], index), expected, atol=1e-12)


def test_the_certificate_is_in_the_units_of_the_samples():
    X, y = classes(200)
    model = PCML(n_anchors=50, random_state=0).fit(1e3 * X, y)
    samples = 1e3 * X[model.pairs_]
    M = model.get_mahalanobis_matrix()
    gap = duality_gap(M, model.intercept_, model.dual_coef_, samples, model.pair_labels_, 1.0)
    np.testing.assert_allclose(gap, (model.primal_, model.dual_, model.gap_), rtol=1e-12)
