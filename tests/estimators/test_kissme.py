"""KISSME is its closed form."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from metriclearn.estimators.kissme import KISSME, repair
from metriclearn.estimators.pairs import make_pairs


def some_pairs(seed=0, n=200, d=4):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1, -1)
    spread = np.where(y[:, None] > 0, 0.3, 1.0) * np.arange(1, d + 1)
    start = rng.normal(size=(n, d))
    return np.stack([start, start + spread * rng.normal(size=(n, d))], axis=1), y


def by_hand(pairs, y, weight=1.0):
    S = {}
    for label in (1, -1):
        S[label] = np.zeros((pairs.shape[2],) * 2)
        for a, b in pairs[y == label]:
            S[label] += np.outer(a - b, a - b) / np.sum(y == label)
    return np.linalg.inv(S[1]) - weight * np.linalg.inv(S[-1])


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_closed_form(weight):
    pairs, y = some_pairs()
    model = KISSME(weight=weight).fit_pairs(pairs, y)
    assert model.n_repaired_ == 0
    np.testing.assert_allclose(
        model.get_mahalanobis_matrix(), by_hand(pairs, y, weight), rtol=1e-9, atol=1e-9
    )


def test_two_numbers():
    pairs = np.array([[[0.0], [1.0]], [[0.0], [-1.0]], [[0.0], [2.0]]])
    M = KISSME().fit_pairs(pairs, [1, 1, -1]).get_mahalanobis_matrix()
    np.testing.assert_allclose(M, [[1.0 - 0.25]])


def test_repair_replaces_eigenvalues_that_are_not_positive():
    U = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    M, n = repair((U * [4.0, 1.0, 0.0, -2.0]) @ U.T)
    assert n == 2
    np.testing.assert_allclose(np.linalg.eigvalsh(M), [4e-6, 4e-6, 1.0, 4.0], rtol=1e-6)
    good = (U * [4.0, 3.0, 2.0, 1.0]) @ U.T
    np.testing.assert_allclose(repair(good)[0], good)


def test_swapped_labels_are_repaired_to_a_full_rank_metric():
    pairs, y = some_pairs()
    model = KISSME().fit_pairs(pairs, -y)
    w = np.linalg.eigvalsh(model.get_mahalanobis_matrix())
    assert model.n_repaired_ == 4 and (w > 0.0).all()


def test_labels_go_through_make_pairs():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="identical"):
        made = make_pairs(X, y, k=2)
    with pytest.warns(UserWarning, match="identical"):
        model = KISSME(k=2).fit(X, y)
    again = KISSME().fit_pairs(X[made.index], made.y)
    np.testing.assert_allclose(model.components_, again.components_)


def test_invariances():
    pairs, y = some_pairs()
    rng = np.random.default_rng(1)
    D = KISSME().fit_pairs(pairs, y).pair_distance(pairs)
    order = rng.permutation(len(y))
    moved = KISSME().fit_pairs(pairs[order], y[order])
    np.testing.assert_allclose(moved.pair_distance(pairs), D, rtol=1e-9)
    doubled = KISSME().fit_pairs(np.tile(pairs, (2, 1, 1)), np.tile(y, 2))
    np.testing.assert_allclose(doubled.pair_distance(pairs), D, rtol=1e-9)
    A = rng.normal(size=(4, 4))  # any invertible map, as long as nothing needs repair
    mapped = KISSME().fit_pairs(pairs @ A + 3.0, y)
    np.testing.assert_allclose(mapped.pair_distance(pairs @ A + 3.0), D, rtol=1e-7)


def test_scale_does_not_change_what_is_repaired():
    pairs, y = some_pairs()
    pairs[..., 0] = pairs[..., 0] @ np.ones((2, 2)) * 0.5 + 0.01 * pairs[..., 0]
    reference = KISSME().fit_pairs(pairs, -y).pair_distance(pairs)
    for s in (1e-8, 1e8):
        D = KISSME().fit_pairs(s * pairs, -y).pair_distance(s * pairs)
        np.testing.assert_allclose(D, reference, rtol=1e-8)


def test_singular_covariance_gets_a_ridge_and_a_warning():
    pairs, y = some_pairs(n=6, d=8)
    with pytest.warns(UserWarning, match="similar pairs is singular.*ridge=0.0001"):
        model = KISSME().fit_pairs(pairs, y)
    assert np.isfinite(model.components_).all()
    pairs, y = some_pairs()
    pairs[..., 1] = 5.0  # nothing varies there: no ridge, no weight
    M = KISSME().fit_pairs(pairs, y).get_mahalanobis_matrix()
    assert np.abs(M[1]).max() < 1e-12
    keep = [0, 2, 3]
    np.testing.assert_allclose(M[np.ix_(keep, keep)], by_hand(pairs[..., keep], y), rtol=1e-9)
