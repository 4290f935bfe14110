"""A clear ValueError before any work, or a finite PSD matrix with an honest gap."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from metriclearn import KISSME, NCML, PCML, DoubletSVM, duality_gap

MODELS = [PCML, NCML, DoubletSVM]
X = np.random.default_rng(0).standard_normal((20, 3))
Y = np.repeat([0, 1], 10)
PAIRS = np.stack([X[:10], X[10:]], axis=1)
LABELS = np.where(np.arange(10) % 2, 1, -1)


def spoiled(value):
    bad = X.copy()
    bad[3, 1] = value
    return bad


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"C": 0}, r"C must be a finite number > 0, got 0"),
        ({"C": -1.0}, r"C must be a finite number > 0, got -1.0"),
        ({"C": np.nan}, r"C must be a finite number > 0, got nan"),
        ({"C": "1"}, r"C must be a finite number > 0, got '1'"),
        ({"k": 0}, r"k must be an integer >= 1, got 0"),
        ({"k": 1.5}, r"k must be an integer >= 1, got 1.5"),
        ({"tol": 0.0}, r"tol must be a finite number > 0"),
        ({"max_iter": 0}, r"max_iter must be an integer >= 1, got 0"),
        ({"solver": "cplex"}, r"solver must be one of 'fast', 'libsvm', got 'cplex'"),
        ({"dissimilar": "near"}, r"dissimilar must be one of 'nearest', 'farthest', 'random'"),
    ],
)
def test_parameters(model, parameters, message):
    with pytest.raises(ValueError, match=message):
        model(**parameters).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model(**parameters).fit_pairs(PAIRS, LABELS)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "X, y, message",
    [
        (spoiled(np.nan), Y, "NaN"),
        (spoiled(np.inf), Y, "infinity"),
        (X, np.zeros(20), "one class only"),
        (X, Y[:5], "inconsistent numbers of samples"),
        (X, np.arange(20.0) + 0.5, "Unknown label type"),
        (X[:, 0], Y, "Expected 2D array"),
        (np.ones((20, 3)), Y, "no similar pair is left"),
        (X[:2], [0, 1], "no similar pair is left"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*identical samples", "ignore:.*alone in their class")
def test_samples(model, X, y, message):
    with pytest.raises(ValueError, match=message):
        model().fit(X, y)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "pairs, y, message",
    [
        (PAIRS, np.ones(10), "all pairs are similar"),
        (PAIRS, -np.ones(10), "all pairs are dissimilar"),
        (PAIRS, np.arange(10) % 2, r"must be \+1 \(similar\) or -1 \(dissimilar\), got \[0, 1\]"),
        (PAIRS, LABELS[:4], r"shape \(10,\), got \(4,\)"),
        (PAIRS[:, 0], LABELS, r"shape \(n, 2, d\), got \(10, 3\)"),
        (np.repeat(PAIRS, 2, axis=1), LABELS, r"shape \(n, 2, d\), got \(10, 4, 3\)"),
        (np.where(PAIRS > 2, np.nan, PAIRS) * np.nan, LABELS, "NaN"),
        (np.zeros((10, 2, 3)), LABELS, "no similar pair is left"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*identical samples")
def test_pairs(model, pairs, y, message):
    with pytest.raises(ValueError, match=message):
        model().fit_pairs(pairs, y)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"kernel": "sigmoidal"}, "kernel must be one of 'linear', 'rbf', 'polynomial', 'chi2'"),
        ({"pair_kernel": "rbf"}, "pair_kernel must be callable"),
        ({"pair_kernel": np.dot, "kernel": "rbf"}, "not both"),
        ({"kernel": "precomputed"}, r"square in fit, got \(20, 3\)"),
        ({"kernel": "chi2"}, "[Nn]egative"),
        ({"kernel": lambda A, B: np.ones(3)}, r"shape \(20, 20\), got \(3,\)"),
        ({"pair_kernel": lambda A, B: -np.ones((len(A), len(B)))}, "negative value"),
    ],
)
def test_kernels(parameters, message):
    with pytest.raises(ValueError, match=message):
        NCML(**parameters).fit(X, Y)


@pytest.mark.parametrize("model", MODELS)
def test_pairs_in_the_place_of_samples(model):
    name = model.__name__
    with pytest.raises(ValueError, match=rf"\(10, 2, 3\): for .* or PairClassifier\({name}\(\)\)"):
        model().fit(PAIRS, LABELS)


@pytest.mark.parametrize("model", MODELS)
def test_arguments_without_names(model):
    name = model.__name__
    with pytest.raises(TypeError, match=rf"^{name} takes .* only, as in {name}\(C=0.1, k=2\).$"):
        model(0.1, 2)
    with pytest.raises(TypeError, match=rf"^{name} takes \d+ arguments, by name, got 30.$"):
        model(*range(30))
    with pytest.raises(TypeError, match=r"C=array.*, k=array.*\)\.$") as caught:
        model(X, Y)
    assert len(str(caught.value)) < 160 and "\n" not in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        model(c=0.1)


def test_a_learner_that_is_not_fitted_says_that():
    with pytest.raises(NotFittedError, match="PCML instance is not fitted yet"):
        PCML().predict_pairs(PAIRS)
    with pytest.raises(NotFittedError, match="KISSME instance is not fitted yet"):
        KISSME().predict_pairs(PAIRS)


def test_wrong_width_later():
    model = PCML().fit(X, Y)
    with pytest.raises(ValueError, match="2 features, but PCML is expecting 3"):
        model.transform(X[:, :2])
    with pytest.raises(ValueError, match="pairs have 2 features, but the metric has 3"):
        model.pair_distance(PAIRS[:, :, :2])
    with pytest.raises(ValueError, match="cone must be one of 'psd', 'pairs', 'symmetric'"):
        duality_gap(np.eye(3), 0.0, np.zeros(10), PAIRS, LABELS, 1.0, cone="all")


def hard_cases():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((40, 4)), np.repeat([0, 1], 20)
    X[:, 0] += y
    constant = X.copy()
    constant[:, 2] = 7.0
    return {
        "constant feature": (constant, y),
        "duplicated rows": (np.repeat(X, 3, axis=0), np.repeat(y, 3)),
        "one dimension": (X[:, :1], y),
        "more features than samples": (rng.standard_normal((12, 60)), np.repeat([0, 1], 6)),
        "scaled by 1e8": (X * 1e8, y),
        "scaled by 1e-8": (X * 1e-8, y),
        "one feature scaled by 1e8": (X * [1.0, 1e8, 1.0, 1.0], y),
        "one feature scaled by 1e-8": (X * [1.0, 1e-8, 1.0, 1.0], y),
        "far from the origin": (X + 1e6, y),
        "separable": (X + 100.0 * y[:, None], y),
        "classes of one and two": (X, np.r_[np.zeros(37), 1, 2, 2].astype(int)),
    }


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", hard_cases())
@pytest.mark.filterwarnings("ignore")
def test_hard_cases_give_a_finite_psd_matrix_and_an_honest_gap(model, case):
    X, y = hard_cases()[case]
    fitted = model(C=1.0, k=2, max_iter=60).fit(X, y)
    M = fitted.get_mahalanobis_matrix()
    assert np.isfinite(M).all()
    assert np.linalg.eigvalsh(M)[0] >= -1e-10 * np.abs(M).max()
    assert np.isfinite([fitted.primal_, fitted.dual_, fitted.intercept_]).all()
    assert fitted.gap_ >= -1e-9 * fitted.primal_
    assert (fitted.dual_coef_ >= 0).all() and (fitted.dual_coef_ <= 1.0 + 1e-12).all()


def test_out_of_range_differences_say_so():
    with pytest.raises(ValueError, match="are out of range with C=1.0: scale the features"):
        PCML().fit(X * 1e100, Y)
