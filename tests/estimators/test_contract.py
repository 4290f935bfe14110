"""What every learner shares: conventions, bad input, awkward data.

Learners are found by themselves: a new file in estimators/ is tested here without an edit. PCML,
NCML and DoubletSVM have tests of their own beside these.
"""

import inspect
import pickle
import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import metriclearn
from metriclearn import ITML, KISSME, LDML, LMNN, MCML, NCA, PLML, DMLEig, Euclidean
from metriclearn.estimators.base import MetricLearner
from metriclearn.estimators.iterated_svm import IteratedSVM

PUBLIC = [getattr(metriclearn, name) for name in metriclearn.__all__]
ALL = [
    value
    for value in PUBLIC
    if isinstance(value, type)
    and issubclass(value, MetricLearner)
    and not issubclass(value, IteratedSVM)
]
LEARNERS = [learner for learner in ALL if learner is not Euclidean]
PAIRS = [learner for learner in ALL if hasattr(learner, "fit_pairs")]
# What is known of ours; a learner of one's own may do either.
KNOWN = {"DMLEig", "Euclidean", "ITML", "KISSME", "LDML", "LMNN", "MCML", "NCA", "PLML"}
KNOWN_PAIRS = {"DMLEig", "Euclidean", "ITML", "KISSME", "LDML"}
KNOWN_THRESHOLD = {"LDML"}
X, Y = load_iris(return_X_y=True)
each = pytest.mark.parametrize("learner", ALL, ids=lambda c: c.__name__)
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda c: c.__name__)
pytestmark = pytest.mark.filterwarnings("ignore")


def seeded(learner, **parameters):
    if "random_state" in learner().get_params():
        parameters["random_state"] = 0
    return learner(**parameters)


@parametrize_with_checks([cls() for cls in ALL])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each
def test_constructor_only_stores(learner):
    model = learner()
    assert isinstance(model, MetricLearner)
    assert vars(model).keys() == model.get_params().keys()
    assert clone(model).get_params() == model.get_params()
    assert inspect.signature(learner).parameters.keys() == model.get_params().keys()
    first = next(iter(inspect.signature(learner).parameters), None)
    name = learner.__name__
    message = f"{name} takes keyword arguments only, as in {name}({first}=0.5)."
    with pytest.raises(TypeError, match=re.escape(message) if first else f"{name} takes 0 arg"):
        learner(0.5)


@each
def test_fitted_methods(learner):
    model = seeded(learner).fit(X, Y)
    D = model.pairwise_distance(X[:20], X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.pairwise_distance(X[:20], X), D)
    np.testing.assert_array_equal(seeded(learner).fit(X, Y).pairwise_distance(X[:20], X), D)
    pairs = np.stack([X[:20], X[20:40]], axis=1)
    np.testing.assert_allclose(model.pair_distance(pairs), D[:, 20:40].diagonal(), atol=1e-7)
    np.testing.assert_array_equal(model.pair_score(pairs), -model.pair_distance(pairs))
    if learner.__name__ in KNOWN:
        assert hasattr(model, "threshold_") == (learner.__name__ in KNOWN_THRESHOLD)
        assert hasattr(model, "fit_pairs") == (learner.__name__ in KNOWN_PAIRS)
    if not hasattr(model, "threshold_"):
        with pytest.raises(NotImplementedError, match=f"{learner.__name__} learns no threshold"):
            model.predict_pairs(pairs)
    if learner is PLML:  # has a metric at every sample, and no map
        return
    Z = model.transform(X)
    np.testing.assert_allclose(D[3], np.linalg.norm(Z - Z[3], axis=1), atol=1e-10)
    M = model.get_mahalanobis_matrix()
    assert np.linalg.eigvalsh(M)[0] >= -1e-10 * np.trace(M)
    assert len(model.get_feature_names_out()) == Z.shape[1]


@each
def test_pipeline_with_string_labels(learner):
    labels = np.array(["a", "b", "c"])[Y]
    classifier = [] if learner is PLML else [KNeighborsClassifier(1)]
    model = make_pipeline(MinMaxScaler(), seeded(learner), *classifier)
    assert model.fit(X[::2], labels[::2]).score(X[1::2], labels[1::2]) > 0.9


BAD = {
    "tol": [0.0, -1.0, np.nan, "x"],
    "max_iter": [0, 1.5, None],
    "n_pairs": [0, 2.5],
    "k": [0, 1.5],
    "c": [0.0, 1.0, np.nan],
    "gamma": [0.0, np.inf],
    "weight": [-0.1, 1.1],
    "ridge": [0.0],
    "dissimilar": ["nearby"],
    "solver": ["newton"],
    "init": ["random"],
    "prior": ["spd"],
    "bounds": ["wide", (0.0, 1.0), (2.0, 1.0), (1.0, 2.0, 3.0)],
    "n_components": [0, 1.5],
    "mu": [0.0, np.inf],
    "alpha1": [0.0],
    "balance": ["yes"],
    "components": ["both"],
    "alpha2": [-1.0],
    "lambda1": [-1.0],
    "lambda2": [np.nan],
    "n_anchors": [0],
    "n_graph": [0],
}


def test_the_learners_are_found():
    assert {learner.__name__ for learner in ALL} >= KNOWN
    assert "make_pairs" in metriclearn.__all__ and "duality_gap" in dir(metriclearn)


@each_learner
def test_bad_parameters(learner):
    names = learner().get_params().keys() - {"verbose", "random_state"}
    assert learner.__name__ not in KNOWN or names <= BAD.keys()
    for name in names:
        for value in BAD.get(name, [object()]):
            with pytest.raises(ValueError, match=rf"{name} must be .*, got "):
                learner(**{name: value}).fit(X, Y)


@each_learner
def test_bad_labels(learner):
    with pytest.raises(ValueError, match="one class only"):
        learner().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="inconsistent"):
        learner().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="label type"):
        learner().fit(X, X[:, 0] + 0.123)


@each
def test_bad_samples(learner):
    for value in (np.nan, np.inf):
        broken = X.copy()
        broken[3, 1] = value
        with pytest.raises(ValueError, match="NaN|infinity"):
            learner().fit(broken, Y)
    advice = "fit_pairs or PairClassifier" if learner in PAIRS else r"PCML\(\).fit_pairs"
    with pytest.raises(ValueError, match=rf"shape \(75, 2, 4\): for pairs use {advice}"):
        learner().fit(X.reshape(-1, 2, 4), Y[::2])
    model = seeded(learner).fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        model.pairwise_distance(X[:, :2])
    with pytest.raises(ValueError, match=r"shape \(n, 2, d\)"):
        model.pair_distance(X)


@each_learner
def test_nothing_to_learn_from(learner):
    model = seeded(learner)
    if learner is not NCA:  # whose gradient is 0: it keeps its start
        with pytest.raises(ValueError, match="identical|the same|is left"):
            model.fit(np.ones((20, 3)), np.arange(20) % 2)
    if learner is not ITML:  # which takes dissimilar pairs alone, with a warning
        with pytest.raises(ValueError, match="two samples|similar pair|alone in its class"):
            model.fit(X[:4], np.arange(4))


@pytest.mark.parametrize("learner", PAIRS)
def test_bad_pairs(learner):
    pairs, y = X.reshape(-1, 2, 4)[:6], np.array([1, -1, 1, -1, 1, -1])
    with pytest.raises(ValueError, match=r"shape \(n, 2, d\)"):
        learner().fit_pairs(pairs[:, 0], y)
    with pytest.raises(ValueError, match="one label per pair"):
        learner().fit_pairs(pairs, y[:-1])
    with pytest.raises(ValueError, match=r"\+1 \(similar\) or -1"):
        learner().fit_pairs(pairs, y + 1)
    with pytest.raises(ValueError, match="all pairs are similar"):
        learner().fit_pairs(pairs, np.ones(6))
    with pytest.raises(ValueError, match="NaN"):
        learner().fit_pairs(pairs * np.nan, y)
    with pytest.raises(ValueError, match="2 features, but the metric has 4"):
        learner().fit_pairs(pairs, y).pair_distance(np.zeros((3, 2, 2)))


def plain():
    y = np.arange(40) % 2
    return np.random.default_rng(0).normal(size=(40, 4)) + 1.5 * y[:, None], y


def awkward():
    rng = np.random.default_rng(1)
    X, y = plain()
    yield "one and two members", X, np.r_[7, 8, 8, y[3:]]
    yield "duplicates", np.repeat(X[:20], 2, axis=0), np.repeat(y[:20], 2)
    yield "duplicates in two classes", np.repeat(X[:20], 2, axis=0), y
    yield "constant features", np.where([True, False, True, False], X, [0.0, 5.0, 0.0, 0.0]), y
    yield "unbalanced", X, (np.arange(40) >= 37).astype(int)
    yield "one against the rest", X, (np.arange(40) >= 39).astype(int)
    yield "d > n", rng.normal(size=(40, 60)) + y[:, None], y
    yield "dependent features", np.column_stack([X, X @ rng.normal(size=(4, 2))]), y
    yield "scales", X * [1e-6, 1.0, 1e3, 1e8], y
    yield "class without spread", np.where(y[:, None] == 0, 1.0, X), y
    yield "four samples", X[:4], y[:4]
    yield "one feature", X[:, :1], y
    yield "tiny", X * 1e-30, y
    yield "huge", X * 1e30, y


@each
@pytest.mark.parametrize("name, X, y", list(awkward()), ids=[name for name, *_ in awkward()])
def test_awkward_data(learner, name, X, y):
    if (learner, name) == (KISSME, "duplicates in two classes"):  # each nearest one identical
        with pytest.raises(ValueError, match="no dissimilar pair"):
            learner().fit(X, y)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        D = seeded(learner).fit(X, y).pairwise_distance(X)
    assert np.isfinite(D).all()
    # PLML's parameters have the units of the data: its optimum, or what it gets to, can be 0.
    if (learner, name) not in {(PLML, n) for n in ("duplicates in two classes", "tiny", "huge")}:
        assert D.max() > 0.0


@pytest.mark.parametrize("learner", PAIRS)
def test_awkward_pairs(learner):
    rng = np.random.default_rng(0)
    pairs, y = rng.normal(size=(20, 2, 3)), np.where(np.arange(20) < 2, 1, -1)
    repeated = np.tile(pairs, (3, 1, 1)), np.tile(y, 3)
    wide = rng.normal(size=(20, 2, 50)), y
    same = pairs.copy(), y
    same[0][5] = 1.0
    for given in ((pairs, y), repeated, wide, same):
        model = seeded(learner).fit_pairs(*given)
        assert np.isfinite(model.pair_distance(given[0])).all()


@pytest.mark.parametrize(
    "learner", [MCML, LDML, LMNN, DMLEig, KISSME, NCA], ids=lambda c: c.__name__
)
@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e9])
def test_units_do_not_matter(learner, unit):
    X, y = plain()
    reference, model = seeded(learner).fit(X, y), seeded(learner).fit(unit * X, y)
    M, N = reference.get_mahalanobis_matrix(), unit**2 * model.get_mahalanobis_matrix()
    np.testing.assert_allclose(N, M, rtol=0.0, atol=1e-3 * np.abs(M).max())
    if hasattr(model, "n_iter_"):
        assert abs(model.n_iter_ - reference.n_iter_) <= 0.1 * reference.n_iter_ + 1
