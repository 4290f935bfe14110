"""``n_components``: the leading directions of M, and nothing else changes."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import metriclearn
from metriclearn import ITML, KISSME, LDML, LMNN, MCML, NCA, NCML, PCML, PLML, DMLEig, DoubletSVM
from metriclearn.estimators.base import MetricLearner

GLOBAL = [PCML, NCML, DoubletSVM, ITML, KISSME, LDML, LMNN, MCML, DMLEig]
CERTIFICATE = ("primal_", "dual_", "gap_", "objective_", "intercept_", "dual_coef_", "n_iter_")
X, Y = load_iris(return_X_y=True)
X, Y = X[::2], Y[::2]
each = pytest.mark.parametrize("learner", GLOBAL, ids=lambda c: c.__name__)


def fit(learner, X=X, **parameters):
    model = learner(**parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, Y[: len(X)])


def best_of_rank(M, r):
    """Eckart and Young: the leading part of the spectrum."""
    w, U = np.linalg.eigh(M)
    return (U[:, -r:] * w[-r:]) @ U[:, -r:].T


def test_every_learner_with_one_linear_map_has_it():
    learners = [getattr(metriclearn, name) for name in metriclearn.__all__]
    learners = {c for c in learners if isinstance(c, type) and issubclass(c, MetricLearner)}
    have = {c for c in learners if "n_components" in c().get_params()}
    assert have >= {*GLOBAL, NCA}
    # The Euclidean distance prefers no direction, and PLML has no linear map.
    assert not have & {metriclearn.Euclidean, PLML}


@each
@pytest.mark.parametrize("r", [1, 2, 4])
def test_leading_directions_of_the_full_metric(learner, r):
    full, model = fit(learner), fit(learner, n_components=r)
    M, scale = full.get_mahalanobis_matrix(), np.trace(full.get_mahalanobis_matrix())
    N = model.get_mahalanobis_matrix()
    assert model.components_.shape == (r, 4) and model.transform(X).shape == (75, r)
    assert len(model.get_feature_names_out()) == r
    np.testing.assert_allclose(N, best_of_rank(M, r), atol=1e-9 * scale)
    gram = model.components_ @ model.components_.T
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-9 * scale)
    assert (np.diff(np.diag(gram)) <= 1e-9 * scale).all()
    D = model.pairwise_distance(X[:5], X)
    Z = model.transform(X)
    np.testing.assert_allclose(D[2], np.linalg.norm(Z - Z[2], axis=1), atol=1e-9 * np.sqrt(scale))
    for name in set(CERTIFICATE) & vars(full).keys():
        np.testing.assert_array_equal(getattr(model, name), getattr(full, name), err_msg=name)


@each
def test_one_more_than_the_features(learner):
    for bad in (0, 1.5, True, "2"):
        with pytest.raises(ValueError, match="n_components must be an integer >= 1, got "):
            fit(learner, n_components=bad)
    with pytest.raises(ValueError, match="^n_components=5 is more than the 4 features.$"):
        fit(learner, n_components=5)
    if hasattr(learner, "fit_pairs"):
        with pytest.raises(ValueError, match="^n_components=3 is more than the 2 features.$"):
            learner(n_components=3).fit_pairs(X[:20, :2].reshape(-1, 2, 2), [1, -1] * 5)


@each
def test_as_many_columns_as_asked_for_on_flat_data(learner):
    """Where the samples span fewer dimensions, the rest of the columns are 0."""
    flat = np.column_stack([X[:, :2], X[:, 0] + X[:, 1], np.ones(len(X))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(learner, flat, n_components=4)
        full = fit(learner, flat)
    assert model.transform(flat).shape == (75, 4)
    np.testing.assert_allclose(
        model.pairwise_distance(flat[:9]), full.pairwise_distance(flat[:9]), rtol=1e-5, atol=1e-6
    )


def test_the_paths_have_it_too():
    for model in PCML(n_components=2).fit_path(X, Y, [0.1, 1.0]):
        again = clone(model).fit(X, Y)
        assert model.components_.shape == (2, 4)
        M = again.get_mahalanobis_matrix()
        np.testing.assert_allclose(model.get_mahalanobis_matrix(), M, atol=0.05 * np.trace(M))
    shapes = [m.components_.shape for m in LMNN(n_components=1).fit_path(X, Y, c=[0.3, 0.6])]
    assert shapes == [(1, 4)] * 2


def hinge(model, X, b):
    squared = model.pair_distance(X[model.pairs_]) ** 2
    return np.maximum(1.0 - -model.pair_labels_ * (squared + b), 0.0).sum()


@pytest.mark.parametrize("learner", [PCML, NCML, DoubletSVM])
def test_threshold_is_for_the_distances_that_are_left(learner):
    model = fit(learner, n_components=1, C=0.1, k=2)
    grid = np.linspace(-5.0, 5.0, 2001) - model.threshold_
    best = min(hinge(model, X, b) for b in grid)
    assert hinge(model, X, -model.threshold_) <= best + 1e-9
    assert model.threshold_ != fit(learner, C=0.1, k=2).threshold_


def test_threshold_of_ldml_is_for_the_distances_that_are_left():
    model = fit(LDML, n_components=1, balance=False)
    i, j = np.triu_indices(len(X), 1)
    squared = model.pair_distance(np.stack([X[i], X[j]], axis=1)) ** 2
    same = Y[i] == Y[j]

    def loss(b):
        return np.logaddexp(0.0, np.where(same, squared - b, b - squared)).mean()

    around = model.threshold_ + np.linspace(-1.0, 1.0, 201)
    assert loss(model.threshold_) <= min(map(loss, around)) + 1e-9


def test_mcml_without_its_eigenvalues():
    full, model = (
        fit(MCML, components="orthogonal"),
        fit(MCML, components="orthogonal", n_components=2),
    )
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(full.components_[:2]), atol=1e-8)


@pytest.mark.parametrize("kernel", [{"kernel": "rbf"}, {"pair_kernel": np.dot}])
def test_a_kernel_has_no_directions(kernel):
    with pytest.raises(ValueError, match="n_components=2 needs kernel='linear'"):
        NCML(n_components=2, **kernel).fit(X, Y)


def test_classes_with_the_same_samples_start_nca_quietly():
    twice, labels = np.repeat(X[:20], 2, axis=0), np.arange(40) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(NCA(n_components=1).fit(twice, labels).components_).all()
