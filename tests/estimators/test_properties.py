"""Any input that numpy can hold: a finite PSD metric with an honest gap, or a ValueError."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import metriclearn as ml

SVMS = [ml.PCML, ml.NCML, ml.DoubletSVM]
BASELINES = [
    ml.Euclidean,
    ml.NCA,
    ml.ITML,
    ml.MCML,
    ml.LDML,
    ml.LMNN,
    ml.DMLEig,
    ml.PLML,
    ml.KISSME,
]
quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@st.composite
def labelled(draw):
    """Samples and labels of awkward shapes, types, scales, with copies and constant features."""
    n, d = draw(st.integers(1, 24)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 1e6]))
    X *= 10.0 ** draw(st.integers(-12, 12))
    if draw(st.booleans()):  # a feature on another scale, or constant
        X[:, draw(st.integers(0, d - 1))] *= draw(st.sampled_from([0.0, 1e-9, 1e9]))
    if draw(st.booleans()):
        X = X[rng.integers(0, n, size=n)]  # copies
    kind = draw(st.sampled_from([np.float64, np.float32, np.int64, bool]))
    with np.errstate(all="ignore"):
        X = (X > np.median(X)) if kind is bool else np.clip(X, -1e15, 1e15).astype(kind)
    y = rng.integers(0, draw(st.integers(1, 4)), size=n)
    if draw(st.booleans()):
        y = np.where(np.arange(n) == 0, 9, 1)  # one against the rest
    if draw(st.booleans()) and kind in (np.float64, np.float32):
        X[draw(st.integers(0, n - 1)), 0] = draw(st.sampled_from([np.nan, np.inf, 0.0]))
    return X, y


def fit(learner, X, y, **parameters):
    """The fitted model, or None where the input was refused in words."""
    model = learner(**parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)  # no overflow, no division by zero
        try:
            return model.fit(X, y)
        except ValueError as error:
            assert len(str(error)) > 10
            return None


def check_distances(model, X):
    D = model.pairwise_distance(X)
    assert D.shape == (len(X), len(X)) and np.isfinite(D).all() and (D >= 0.0).all()


def check_metric(model):
    M = model.get_mahalanobis_matrix()
    assert np.isfinite(M).all() and np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] >= -1e-8 * max(np.trace(M), 0.0)


@pytest.mark.parametrize("learner", SVMS, ids=lambda c: c.__name__)
@quick
@given(data=labelled(), C=st.sampled_from([1e-6, 1e-2, 1.0, 1e4]), k=st.integers(1, 3))
def test_svm_models(learner, data, C, k):
    X, y = data
    model = fit(learner, X, y, C=C, k=k, max_iter=60)
    if model is None:
        return
    check_distances(model, np.asarray(X, dtype=float))
    check_metric(model)
    assert np.isfinite([model.primal_, model.dual_, model.gap_, model.intercept_]).all()
    assert model.gap_ >= -1e-9 * abs(model.primal_)
    assert ((model.dual_coef_ >= 0) & (model.dual_coef_ <= C * (1 + 1e-12))).all()


@pytest.mark.parametrize("learner", BASELINES, ids=lambda c: c.__name__)
@quick
@given(data=labelled())
def test_baselines(learner, data):
    X, y = data
    limit = {"max_iter": 30} if "max_iter" in learner().get_params() else {}
    model = fit(learner, X, y, **limit)
    if model is None:
        return
    check_distances(model, np.asarray(X, dtype=float))
    if learner is not ml.PLML:  # which has a metric at every sample
        check_metric(model)


def test_an_offset_that_all_samples_share_costs_the_distances_nothing():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.full(len(X), 2.0**660)])
    learner = ml.ITML(random_state=0).fit(X, y)
    distances = learner.pairwise_distance(X[:5], X[5:9])
    pairs = [[a, b] for a in X[:5] for b in X[5:9]]
    np.testing.assert_allclose(distances.ravel(), learner.pair_distance(pairs), rtol=1e-12)
