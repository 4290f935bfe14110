"""Pairs: exact, deterministic, ties included, and everything left out is counted."""

import numpy as np
import pytest

from metriclearn import make_pairs
from metriclearn.estimators.neighbors import class_neighbors


def brute_force(X, y, k, *, same, farthest=False):
    """By definition: sort all candidates of a sample by (distance, index)."""
    result = np.full((len(X), k), -1)
    for i in range(len(X)):
        squared = ((X - X[i]) ** 2).sum(axis=1)
        allowed = y == y[i] if same else y != y[i]
        allowed[i] = False
        candidates = np.flatnonzero(allowed)
        key = -squared[candidates] if farthest else squared[candidates]
        chosen = candidates[np.lexsort((candidates, key))][:k]
        result[i, : len(chosen)] = chosen
    return result


@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize(
    "kind",
    ["real", "integers with many ties", "far from the origin", "tiny", "outlier", "underflow"],
)
@pytest.mark.parametrize("n", [3, 40, 1500])
def test_neighbors_equal_brute_force(n, kind, farthest):
    rng = np.random.default_rng(n)
    y = rng.integers(0, 4, n)
    if kind == "integers with many ties":
        X = rng.integers(0, 3, (n, 2)).astype(float)
    else:
        X = rng.standard_normal((n, 3))
        X = X + 1e4 if kind == "far from the origin" else X * (1e-8 if kind == "tiny" else 1.0)
        X[n // 2] *= {"outlier": 1e5, "underflow": 1e60}.get(kind, 1.0)
    same, other = class_neighbors(X, y, 3, farthest=farthest)
    np.testing.assert_array_equal(same, brute_force(X, y, 3, same=True))
    np.testing.assert_array_equal(other, brute_force(X, y, 3, same=False, farthest=farthest))


def test_make_pairs_lists_similar_then_dissimilar():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    pairs = make_pairs(X, ["a", "a", "b", "b"], k=1)
    assert pairs.index.tolist() == [[0, 1], [1, 0], [2, 3], [3, 2], [0, 2], [1, 2], [2, 1], [3, 1]]
    assert pairs.y.tolist() == [1, 1, 1, 1, -1, -1, -1, -1]
    farthest = make_pairs(X, ["a", "a", "b", "b"], k=1, dissimilar="farthest")
    assert farthest.index[4:].tolist() == [[0, 3], [1, 3], [2, 0], [3, 0]]


def test_random_pairs_are_seeded_distinct_and_of_other_classes():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), rng.integers(0, 3, 60)
    first = make_pairs(X, y, k=5, dissimilar="random", random_state=3)
    again = make_pairs(X, y, k=5, dissimilar="random", random_state=3)
    other = make_pairs(X, y, k=5, dissimilar="random", random_state=4)
    np.testing.assert_array_equal(first.index, again.index)
    assert (first.index != other.index).any()
    i, j = first.index[first.y < 0].T
    assert (y[i] != y[j]).all()
    assert len(set(zip(i.tolist(), j.tolist()))) == 60 * 5


def test_what_is_left_out_is_counted_and_said_once():
    X = np.array([[0.0], [0.0], [1.0], [5.0], [9.0]])
    y = [0, 0, 0, 1, 2]  # classes 1 and 2 have one member; two samples are identical
    with pytest.warns(UserWarning) as said:
        pairs = make_pairs(X, y, k=2)
    assert (pairs.n_singletons, pairs.n_short, pairs.n_zero) == (2, 0, 2)
    assert [str(warning.message) for warning in said] == [
        "2 samples are alone in their class and give no similar pair.",
        "2 pairs of identical samples were dropped.",
    ]
    assert np.sum(pairs.y > 0) == 4
    with pytest.warns(UserWarning, match="3 samples have fewer than k=4 candidates"):
        short = make_pairs(X + np.arange(5)[:, None] * 0.1, y, k=4)
    assert (short.n_singletons, short.n_short, short.n_zero) == (2, 3, 0)
    assert np.sum(short.y > 0) == 6  # 3 samples with 2 others each


def test_order_of_the_samples_does_not_matter():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((50, 3)), rng.integers(0, 3, 50)
    shuffled = rng.permutation(50)
    as_sets = [
        {(*sorted([tuple(X[i]), tuple(X[j])]), label) for (i, j), label in zip(p.index, p.y)}
        for X, p in (
            (X, make_pairs(X, y, k=2)),
            (X[shuffled], make_pairs(X[shuffled], y[shuffled], k=2)),
        )
    ]
    assert as_sets[0] == as_sets[1]


@pytest.mark.filterwarnings("ignore:.*identical samples")
def test_rows_that_all_occur_twice_still_give_pairs():
    X = np.repeat([[0.0], [1.0], [3.0], [7.0]], 2, axis=0)
    y = np.repeat([0, 0, 1, 1], 2)
    with pytest.warns(UserWarning, match="each sample is used once"):
        pairs = make_pairs(X, y, k=1)
    assert pairs.index[:4].tolist() == [[0, 2], [2, 0], [4, 6], [6, 4]]
    assert pairs.n_zero == 8
