"""The estimators as scikit-learn objects, and what a fitted metric can do."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from metriclearn import NCML, PCML, DoubletSVM
from metriclearn.datasets import load_dataset

MODELS = [PCML, NCML, DoubletSVM]


@parametrize_with_checks([PCML(), NCML(), DoubletSVM()])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(params=MODELS, ids=lambda model: model.__name__)
def fitted(request, blobs):
    return request.param(C=0.1, k=2).fit(*blobs), blobs[0]


def test_distances_agree_with_each_other(fitted):
    model, X = fitted
    M = model.get_mahalanobis_matrix()
    pairs = np.stack([X[:10], X[10:20]], axis=1)
    difference = X[:10] - X[10:20]
    squared = np.einsum("ij,jk,ik->i", difference, M, difference)
    np.testing.assert_allclose(model.pair_distance(pairs) ** 2, squared, rtol=1e-10)
    np.testing.assert_allclose(
        np.diag(model.pairwise_distance(X[:10], X[10:20])) ** 2, squared, rtol=1e-10
    )
    mapped = model.transform(X)
    np.testing.assert_allclose(
        np.linalg.norm(mapped[:10] - mapped[10:20], axis=1) ** 2, squared, rtol=1e-10
    )
    metric = pickle.loads(pickle.dumps(model.get_metric()))
    assert metric(X[0], X[10]) ** 2 == pytest.approx(squared[0])
    np.testing.assert_array_equal(model.pair_score(pairs), -model.pair_distance(pairs))
    assert np.linalg.eigvalsh(M)[0] >= -1e-12 * np.abs(M).max()
    assert model.pairwise_distance(X).shape == (90, 90)


def test_threshold_separates_what_predict_pairs_says(fitted):
    model, X = fitted
    pairs = X[model.pairs_]
    squared = model.pair_distance(pairs) ** 2
    np.testing.assert_array_equal(
        model.predict_pairs(pairs), np.where(squared <= model.threshold_, 1, -1)
    )
    np.testing.assert_allclose(model.decision_pairs(pairs), model.threshold_ - squared)
    assert np.mean(model.predict_pairs(pairs) == model.pair_labels_) > 0.65


def test_fit_and_fit_pairs_are_the_same_problem(fitted):
    model, X = fitted
    again = clone(model).fit_pairs(X[model.pairs_], model.pair_labels_)
    assert again.primal_ == pytest.approx(model.primal_, rel=1e-12)
    np.testing.assert_allclose(again.components_, model.components_, rtol=1e-12)


def test_pickle_keeps_the_metric(fitted):
    model, X = fitted
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_grid_search_in_a_pipeline(blobs):
    pipeline = make_pipeline(StandardScaler(), PCML(), KNeighborsClassifier(n_neighbors=1))
    search = GridSearchCV(pipeline, {"pcml__C": [0.01, 1.0], "pcml__k": [1, 2]}, cv=3).fit(*blobs)
    assert search.best_score_ > 0.7
    assert set(search.best_params_) == {"pcml__C", "pcml__k"}


def test_verbose_prints_a_line_per_iteration(blobs, capsys):
    model = PCML(verbose=True).fit(*blobs)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0].startswith("PCML   1: 180 pairs, primal ")


def test_the_metric_finds_the_features_that_matter(blobs):
    M = PCML(C=0.1, k=3).fit(*blobs).get_mahalanobis_matrix()
    assert set(np.argsort(M.diagonal())[-2:]) == {0, 1}


@pytest.mark.parametrize("model, C", [(PCML, 0.9), (NCML, 0.9)])
def test_pendigits_reproduces_the_paper(model, C):
    """Table 5: Euclidean 2.26 %, PCML and NCML 2.06 %, on the fixed split without PCA."""
    data = load_dataset("pendigits")
    X, y = data.X / 100.0, data.y
    train, test = data.train, data.test

    def error(map_to):
        nearest = KNeighborsClassifier(n_neighbors=1, algorithm="brute")
        nearest.fit(map_to(X[train]), y[train])
        return 100.0 * np.mean(nearest.predict(map_to(X[test])) != y[test])

    assert error(lambda X: X) == pytest.approx(2.26, abs=0.005)
    fitted = model(C=C, k=1).fit(X[train], y[train])
    assert fitted.gap_ <= 1e-3 * fitted.primal_
    assert error(fitted.transform) == pytest.approx(2.06, abs=0.15)
