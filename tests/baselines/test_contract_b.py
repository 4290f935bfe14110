"""What MCML, LDML, DML-eig and PLML share: conventions, bad input, awkward data."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from metriclearn.base import MetricLearner
from metriclearn.dml_eig import DMLEig
from metriclearn.ldml import LDML
from metriclearn.mcml import MCML
from metriclearn.plml import PLML

ALL = [MCML, LDML, DMLEig, PLML]
MAPS = [MCML, LDML, DMLEig]
PAIRS = [LDML, DMLEig]
each = pytest.mark.parametrize("learner", ALL, ids=lambda c: c.__name__)
pytestmark = pytest.mark.filterwarnings("ignore")


@parametrize_with_checks([cls() for cls in ALL])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each
def test_constructor_stores_and_clones(learner):
    assert isinstance(learner(), MetricLearner)
    with pytest.raises(TypeError):
        learner(1.0)
    model = learner(tol=0.5, max_iter=7)
    assert clone(model).get_params() == model.get_params()
    assert vars(model).keys() == model.get_params().keys()


@each
def test_pickle_and_same_result_again(learner):
    X, y = load_iris(return_X_y=True)
    seed = {"random_state": 0} if "random_state" in learner().get_params() else {}
    model = learner(**seed).fit(X, y)
    D = model.pairwise_distance(X[:20], X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).pairwise_distance(X[:20], X), D)
    np.testing.assert_array_equal(learner(**seed).fit(X, y).pairwise_distance(X[:20], X), D)
    assert D.shape == (20, 150) and (D >= 0).all()
    pairs = np.stack([X[:20], X[20:40]], axis=1)
    np.testing.assert_allclose(
        model.pair_distance(pairs), model.pairwise_distance(X[:20], X[20:40]).diagonal(), atol=1e-7
    )
    np.testing.assert_array_equal(model.pair_score(pairs), -model.pair_distance(pairs))


@each
def test_pipeline_classifies(learner):
    X, y = load_iris(return_X_y=True)
    steps = [MinMaxScaler(), learner()]
    if learner in MAPS:
        steps.append(KNeighborsClassifier(1))
    labels = np.array(["a", "b", "c"])[y]
    assert make_pipeline(*steps).fit(X[::2], labels[::2]).score(X[1::2], labels[1::2]) > 0.9


@pytest.mark.parametrize("learner", MAPS)
def test_distance_is_euclidean_after_the_map(learner):
    X, y = load_iris(return_X_y=True)
    model = learner().fit(X, y)
    Z = model.transform(X)
    D = model.pairwise_distance(X)
    np.testing.assert_allclose(D[3], np.linalg.norm(Z - Z[3], axis=1), atol=1e-10)
    assert hasattr(model, "threshold_") == (learner is LDML)


BAD = {
    "tol": [0.0, -1.0, np.nan, "x"],
    "max_iter": [0, 1.5, None],
    "n_pairs": [1, 2.5],
    "mu": [0.0, np.inf],
    "k": [0, 1.5],
    "dissimilar": ["nearby"],
    "solver": ["newton"],
    "ridge": [0.0],
    "alpha1": [0.0],
    "alpha2": [-1.0],
    "lambda1": [-1.0],
    "lambda2": [np.nan],
    "n_anchors": [0],
    "n_graph": [0],
}


@each
def test_bad_parameters(learner):
    X, y = load_iris(return_X_y=True)
    for name in learner().get_params().keys() & BAD.keys():
        for value in BAD[name]:
            with pytest.raises(ValueError, match=rf"{name} must be .*, got "):
                learner(**{name: value}).fit(X, y)


@each
def test_bad_samples(learner):
    X, y = load_iris(return_X_y=True)
    for value in (np.nan, np.inf):
        broken = X.copy()
        broken[3, 1] = value
        with pytest.raises(ValueError, match="NaN|infinity"):
            learner().fit(broken, y)
    with pytest.raises(ValueError, match="one class"):
        learner().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="inconsistent"):
        learner().fit(X, y[:-1])
    with pytest.raises(ValueError, match="label type"):
        learner().fit(X, X[:, 0] + 0.123)
    model = learner().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.pairwise_distance(X[:, :2])
    with pytest.raises(ValueError, match=r"shape \(n, 2, d\)"):
        model.pair_distance(X)
    with pytest.raises(ValueError, match="2 features, but the metric has 4"):
        model.pair_distance(np.zeros((3, 2, 2)))


@pytest.mark.parametrize("learner", PAIRS)
def test_bad_pairs(learner):
    rng = np.random.default_rng(0)
    pairs, y = rng.normal(size=(6, 2, 3)), np.array([1, -1, 1, -1, 1, -1])
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


def awkward(kind):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 4)) + 1.5 * y[:, None]
    if kind == "one and two members":
        y[:3] = [7, 8, 8]
    elif kind == "duplicates":
        X, y = np.repeat(X[:20], 2, axis=0), np.repeat(y[:20], 2)
    elif kind == "duplicates in two classes":
        X = np.repeat(X[:20], 2, axis=0)
    elif kind == "constant features":
        X[:, 1:3] = [5.0, 0.0]
    elif kind == "unbalanced":
        y = (np.arange(40) >= 37).astype(int)
    elif kind == "d > n":
        X = rng.normal(size=(40, 45)) + y[:, None]
    elif kind == "dependent features":
        X = np.column_stack([X, X @ rng.normal(size=(4, 2))])
    elif kind == "scales":
        X = X * [1e-6, 1.0, 1e3, 1e8]
    elif kind == "class without spread":
        X[y == 0] = 1.0
    elif kind == "four samples":
        X, y = X[:4], y[:4]
    return X, y


@each
@pytest.mark.parametrize(
    "kind",
    [
        "one and two members",
        "duplicates",
        "duplicates in two classes",
        "constant features",
        "unbalanced",
        "d > n",
        "dependent features",
        "scales",
        "class without spread",
        "four samples",
    ],
)
def test_awkward_data(learner, kind):
    X, y = awkward(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = learner(max_iter=300).fit(X, y)
        D = model.pairwise_distance(X)
    assert np.isfinite(D).all()
    if (learner, kind) != (PLML, "duplicates in two classes"):  # whose optimum is 0
        assert D.max() > 0.0


@pytest.mark.parametrize("learner", PAIRS)
def test_awkward_pairs(learner):
    rng = np.random.default_rng(0)
    pairs = rng.normal(size=(20, 2, 3))
    y = np.where(np.arange(20) < 2, 1, -1)
    repeated = np.tile(pairs, (3, 1, 1)), np.tile(y, 3)
    wide = rng.normal(size=(20, 2, 50)), y
    for given in ((pairs, y), repeated, wide):
        model = learner(max_iter=300).fit_pairs(*given)
        assert np.isfinite(model.pair_distance(given[0])).all()
