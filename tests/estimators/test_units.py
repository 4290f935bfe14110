"""Raw units: a certified optimum of the problem as it was given, whatever the scales."""

import warnings

import numpy as np
import pytest
from helpers import optimum, random_pairs
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning

from metriclearn import NCML, PCML, DoubletSVM, duality_gap
from metriclearn.datasets import load_dataset

MODELS = {"PCML": PCML, "NCML": NCML, "DoubletSVM": DoubletSVM}


def raw(name):
    if name == "breast_tissue":
        data = load_dataset(name)
        return data.X, data.y
    return {"breast_cancer": load_breast_cancer, "wine": load_wine}[name](return_X_y=True)


@pytest.mark.parametrize("model", MODELS.values())
@pytest.mark.parametrize("name", ["breast_cancer", "wine", "breast_tissue"])
@pytest.mark.parametrize("C", [0.01, 0.9, 1.0])
def test_unscaled_features_converge_in_their_own_units(model, name, C):
    X, y = raw(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        fitted = model(C=C).fit(X, y)
    assert fitted.gap_ <= 1e-3 * fitted.primal_
    if model is PCML:
        M, labels = fitted.get_mahalanobis_matrix(), fitted.pair_labels_
        again = duality_gap(M, fitted.intercept_, fitted.dual_coef_, X[fitted.pairs_], labels, C)
        assert again.gap <= 1e-3 * again.primal


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("factor", [1e-9, 1e-4, 1e4, 1e9])
def test_one_factor_on_all_data_changes_the_unit_alone(model, factor, blobs):
    X, y = blobs
    plain = MODELS[model](C=0.3, tol=1e-6).fit(X, y)
    scaled = MODELS[model](C=0.3 * factor**-4, tol=1e-6).fit(factor * X, y)
    M = plain.get_mahalanobis_matrix()
    np.testing.assert_allclose(
        factor**2 * scaled.get_mahalanobis_matrix(), M, atol=1e-2 * np.abs(M).max()
    )
    assert factor**4 * scaled.primal_ == pytest.approx(plain.primal_, rel=2e-6)


@pytest.mark.parametrize("factor", [1e-9, 1e9])
@pytest.mark.parametrize("model", MODELS)
def test_the_same_C_in_other_units_ends(model, factor, blobs):
    X, y = blobs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = MODELS[model](C=0.3).fit(factor * X, y)
    assert np.isfinite([fitted.primal_, fitted.dual_]).all()
    assert fitted.dual_ <= fitted.primal_


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_uneven_features_have_the_optimum_of_the_convex_solver(model, seed):
    """Sizes from 1/2 to 10: C is large for the pairs' unit, yet cvxpy still solves it."""
    pairs, y = random_pairs(seed, 4, 60, 0.5)
    pairs = pairs * np.array([0.5, 1.0, 3.0, 10.0])
    fitted = MODELS[model](C=1.0, tol=1e-5).fit_pairs(pairs, y)
    assert fitted.gap_ <= 1.0001e-5 * fitted.primal_
    assert fitted.primal_ == pytest.approx(optimum(model, pairs, y, 1.0), rel=1e-3)
