"""Many values of C at once: the same optima as one by one, in any order."""

import numpy as np
import pytest
from helpers import random_pairs

from metriclearn import NCML, PCML, DoubletSVM, duality_gap

MODELS = [PCML, NCML, DoubletSVM]
VALUES = np.logspace(-3, 1, 6)


def same_optimum(first, second, tol):
    """Two certified primal values are within both gaps of each other."""
    assert abs(first.primal_ - second.primal_) <= tol * max(first.primal_, second.primal_)


@pytest.mark.parametrize("model", MODELS)
def test_a_path_has_the_optima_of_single_fits(model, blobs):
    X, y = blobs
    path = model(k=2).fit_path(X, y, VALUES)
    assert [fitted.C for fitted in path] == list(VALUES)
    for C, fitted in zip(VALUES, path, strict=True):
        single = model(C=C, k=2).fit(X, y)
        assert fitted.gap_ <= 1e-3 * fitted.primal_
        same_optimum(fitted, single, 1e-3)
        assert fitted.n_iter_ == len(fitted.history_["gap"])
        assert fitted.n_features_in_ == X.shape[1]
        np.testing.assert_array_equal(fitted.pairs_, single.pairs_)
        assert set(vars(single)) == set(vars(fitted))


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_the_values_does_not_matter(model):
    pairs, y = random_pairs(4, 6, 120, 0.5)
    forward = model().fit_path_pairs(pairs, y, VALUES)
    backward = model().fit_path_pairs(pairs, y, VALUES[::-1])
    for first, second in zip(forward, reversed(backward), strict=True):
        assert first.C == second.C
        same_optimum(first, second, 1e-3)


def test_each_point_is_certified_by_its_own_numbers(blobs):
    X, y = blobs
    for fitted in PCML(k=1).fit_path(X, y, [1.0, 0.01]):
        M, labels = fitted.get_mahalanobis_matrix(), fitted.pair_labels_
        again = duality_gap(
            M, fitted.intercept_, fitted.dual_coef_, X[fitted.pairs_], labels, fitted.C
        )
        assert again == (fitted.primal_, fitted.dual_, fitted.gap_)


@pytest.mark.parametrize("model", [PCML, NCML])
def test_a_path_over_many_pairs(model):
    """Beyond the size up to which a few SVMs do."""
    pairs, y = random_pairs(6, 5, 2500, 0.5)
    for fitted in model().fit_path_pairs(pairs, y, [0.001, 0.1, 3.0]):
        single = model(C=fitted.C).fit_pairs(pairs, y)
        assert fitted.gap_ <= 1e-3 * fitted.primal_
        same_optimum(fitted, single, 1e-3)


def test_the_estimator_itself_stays_unfitted(blobs):
    X, y = blobs
    model = PCML()
    assert model.fit_path(X, y, []) == []
    model.fit_path(X, y, [0.1])
    assert not hasattr(model, "components_") and model.C == 1.0
    with pytest.raises(ValueError, match="C must be"):
        model.fit_path(X, y, [0.1, -1.0])


def test_a_path_with_a_kernel_fits_one_by_one(blobs):
    X, y = blobs
    path = NCML(kernel="rbf", gamma=0.1).fit_path(X, y, [0.1, 1.0])
    for fitted in path:
        single = NCML(C=fitted.C, kernel="rbf", gamma=0.1).fit(X, y)
        assert fitted.primal_ == pytest.approx(single.primal_)
