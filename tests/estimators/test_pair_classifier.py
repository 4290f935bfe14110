"""PairClassifier: pairs in scikit-learn's model selection, and its threshold."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedGroupKFold,
    cross_val_score,
)
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.validation import validate_data

import metriclearn
from metriclearn import KISSME, LMNN, NCML, PCML, Euclidean, PairClassifier

TAKE_PAIRS = [
    learner
    for learner in (getattr(metriclearn, name) for name in metriclearn.__all__)
    if hasattr(learner, "fit_pairs")
]
X, SPECIES = load_iris(return_X_y=True)
INDEX = np.random.default_rng(0).integers(0, len(X), size=(240, 2))
INDEX = INDEX[INDEX[:, 0] != INDEX[:, 1]]
Y = np.where(SPECIES[INDEX[:, 0]] == SPECIES[INDEX[:, 1]], 1, -1)
PAIRS = X[INDEX]
GROUPS = INDEX.min(axis=1) // 10
TRAIN, TEST = slice(0, 160), slice(160, None)


class RowPairs(PairClassifier):
    """Rows as pairs with the origin: scikit-learn's checks make samples, not pairs."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags

    def _check_pairs(self, X):
        X = validate_data(self, X, reset=not hasattr(self, "estimator_"), dtype=np.float64)
        return np.stack([X, np.zeros_like(X)], axis=1)


LABELS = "the labels of this check are not 1 and -1 or 0"
DO_NOT_APPLY = {
    "check_classifier_data_not_an_array": LABELS,
    "check_classifiers_classes": LABELS,
    "check_estimators_dtypes": LABELS,
    "check_fit2d_1feature": LABELS,
    "check_classifiers_train": "asks for 83 % right by the length of the rows, which says nothing",
}


@parametrize_with_checks([RowPairs(PCML())], expected_failed_checks=lambda _: DO_NOT_APPLY)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_scikit_learn_leaves_out_what_takes_three_dimensions():
    with pytest.warns(UserWarning, match="Can't test estimator PairClassifier"):
        passed = check_estimator(PairClassifier(PCML()))
    assert {result["status"] for result in passed} == {"passed"}


@pytest.mark.parametrize("learner", TAKE_PAIRS, ids=lambda c: c.__name__)
@pytest.mark.filterwarnings("ignore")
def test_every_learner_that_takes_pairs(learner):
    parameters = {"random_state": 0} if "random_state" in learner().get_params() else {}
    model = PairClassifier(learner(**parameters)).fit(PAIRS[TRAIN], Y[TRAIN])
    fitted = learner(**parameters).fit_pairs(PAIRS[TRAIN], Y[TRAIN])
    squared = fitted.pair_distance(PAIRS) ** 2
    np.testing.assert_array_equal(model.decision_function(PAIRS), model.threshold_ - squared)
    np.testing.assert_array_equal(
        model.predict(PAIRS), np.where(squared <= model.threshold_, 1, -1)
    )
    # No threshold has a higher accuracy on the training pairs.
    accuracy = model.score(PAIRS[TRAIN], Y[TRAIN])
    cuts = [-1.0, *squared[TRAIN]]
    said = [np.where(squared[TRAIN] <= cut, 1, -1) for cut in cuts]
    assert accuracy == max(accuracy_score(Y[TRAIN], one) for one in said)
    assert model.score(PAIRS[TEST], Y[TEST]) > 0.75


def test_the_learner_is_left_alone():
    learner = PCML()
    model = PairClassifier(learner).fit(PAIRS, Y)
    assert not hasattr(learner, "components_") and model.estimator_ is not learner
    assert model.classes_.tolist() == [-1, 1] and is_classifier(model)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(PAIRS), model.predict(PAIRS))
    assert clone(model).get_params()["estimator__C"] == 1.0


def test_index_pairs_are_the_pairs():
    model = PairClassifier(PCML(), samples=X).fit(INDEX, Y)
    plain = PairClassifier(PCML()).fit(PAIRS, Y)
    assert model.threshold_ == plain.threshold_
    for given in (INDEX, INDEX.tolist(), PAIRS, INDEX.astype(np.uint8), pd.DataFrame(INDEX)):
        np.testing.assert_array_equal(
            model.decision_function(given), plain.decision_function(PAIRS)
        )
    frame = PairClassifier(PCML(), samples=pd.DataFrame(X)).fit(INDEX, Y)
    assert frame.threshold_ == plain.threshold_


@pytest.mark.parametrize("similar, dissimilar", [(1, -1), (1, 0), (True, False), (1.0, -1.0)])
def test_labels_are_given_back(similar, dissimilar):
    y = np.where(Y > 0, similar, dissimilar)
    model = PairClassifier(Euclidean()).fit(PAIRS, y)
    said = model.predict(PAIRS)
    assert said.dtype == y.dtype and model.classes_.tolist() == [dissimilar, similar]
    assert model.score(PAIRS, y) == PairClassifier(Euclidean()).fit(PAIRS, Y).score(PAIRS, Y) > 0.8


def test_other_objectives():
    few = np.flatnonzero((Y < 0) | (np.arange(len(Y)) % 4 == 0))  # similar pairs are rare
    pairs, y = PAIRS[few], Y[few]
    measures = {
        "accuracy": accuracy_score,
        "f1": f1_score,
        "balanced_accuracy": balanced_accuracy_score,
    }
    models = {name: PairClassifier(Euclidean(), objective=name).fit(pairs, y) for name in measures}
    assert models["balanced_accuracy"].threshold_ > models["accuracy"].threshold_
    for name, measure in measures.items():
        values = {other: measure(y, model.predict(pairs)) for other, model in models.items()}
        assert values[name] == max(values.values())
    for bound in (0.0, 0.02, 0.1):
        strict = PairClassifier(
            Euclidean(), objective="true_positive_rate", max_false_positive_rate=bound
        ).fit(pairs, y)
        squared = np.sum((pairs[:, 0] - pairs[:, 1]) ** 2, axis=1)
        assert np.mean(strict.predict(pairs[y < 0]) == 1) <= bound
        # The next similar pair would bring too many dissimilar ones with it.
        following = squared[(y > 0) & (squared > strict.threshold_)].min()
        assert np.mean(squared[y < 0] <= following) > bound


def test_threshold_by_hand_and_on_other_pairs():
    model = PairClassifier(KISSME()).fit(PAIRS[TRAIN], Y[TRAIN])
    chosen = model.threshold_
    assert model.set_threshold(0) is model and (model.predict(PAIRS) == -1).all()
    assert (model.set_threshold(1e9).predict(PAIRS) == 1).all()
    assert model.calibrate_threshold(PAIRS[TRAIN], Y[TRAIN]).threshold_ == chosen
    model.calibrate_threshold(PAIRS[TEST], Y[TEST])
    assert model.threshold_ != chosen
    assert model.score(PAIRS[TEST], Y[TEST]) >= model.set_threshold(chosen).score(
        PAIRS[TEST], Y[TEST]
    )
    for bad in (-1.0, np.nan, "1"):
        with pytest.raises(ValueError, match="threshold must be a finite number >= 0, got "):
            model.set_threshold(bad)


@pytest.mark.parametrize("pairs, samples", [(PAIRS, None), (INDEX, X)], ids=["pairs", "index"])
@pytest.mark.parametrize("cv", [3, GroupKFold(3), StratifiedGroupKFold(3)], ids=str)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_model_selection(pairs, samples, cv):
    model = PairClassifier(PCML(), samples=samples)
    grid = {"estimator__C": [1e-3, 1.0], "objective": ["accuracy", "f1"]}
    search = GridSearchCV(model, grid, cv=cv, scoring=["roc_auc", "f1"], refit="roc_auc")
    search.fit(pairs, Y, groups=GROUPS)
    assert search.best_params_.keys() == grid.keys()
    # The area does not depend on the threshold; by hand for the best parameters.
    folds = search.cv.split(pairs, Y, GROUPS) if cv != 3 else None
    scores = cross_val_score(search.best_estimator_, pairs, Y, cv=cv, groups=GROUPS)
    assert scores.shape == (3,) and scores.min() > 0.6
    if folds:
        areas = []
        for train, test in folds:
            assert not set(GROUPS[train]) & set(GROUPS[test])
            learner = PCML(C=search.best_params_["estimator__C"])
            learner.fit_pairs(PAIRS[train], Y[train])
            areas.append(roc_auc_score(Y[test], learner.pair_score(PAIRS[test])))
        assert search.best_score_ == pytest.approx(np.mean(areas), abs=1e-9)


def test_probabilities():
    model = CalibratedClassifierCV(PairClassifier(PCML()), cv=3).fit(PAIRS[TRAIN], Y[TRAIN])
    similar = model.predict_proba(PAIRS[TEST])[:, 1]
    assert similar[Y[TEST] > 0].mean() > 0.6 and similar[Y[TEST] < 0].mean() < 0.3


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"objective": "auc"}, "objective must be one of 'accuracy', .* got 'auc'"),
        ({"max_false_positive_rate": -0.1}, "max_false_positive_rate must be .* >= 0, got -0.1"),
        ({"max_false_positive_rate": 1.5}, "max_false_positive_rate must be at most 1, got 1.5"),
        ({"objective": "true_positive_rate"}, "needs max_false_positive_rate"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        PairClassifier(Euclidean(), **parameters).fit(PAIRS, Y)


@pytest.mark.parametrize(
    "pairs, y, message",
    [
        (INDEX, Y, r"or be index pairs \(n, 2\) with samples=X .* got the shape \(240, 2\)"),
        (PAIRS[:, 0, 0], Y, "Expected 2D array, got 1D array"),
        (np.repeat(PAIRS, 2, axis=1), Y, r"must have the shape \(n, 2, d\), got \(240, 4, 4\)"),
        (PAIRS, Y[:-1], r"one label per pair, shape \(240,\), got \(239,\)"),
        (PAIRS, np.ones(len(Y)), "all pairs are similar, one class only"),
        (PAIRS, np.where(Y > 0, 2, 1), r"1 for similar and -1 or 0 .*, got \[1, 2\].$"),
        (PAIRS, np.arange(len(Y)) % 3 - 1, r"got \[-1, 0, 1\]. Only binary .*, not multiclass"),
        (PAIRS, np.where(Y > 0, "same", "other"), r"got \['other', 'same'\]"),
        (PAIRS, Y * 0.3, "not continuous"),
        (PAIRS * np.nan, Y, "NaN"),
    ],
)
def test_bad_pairs(pairs, y, message):
    y = y[: len(PAIRS)]
    message = message.replace("240", str(len(PAIRS))).replace("239", str(len(PAIRS) - 1))
    with pytest.raises(ValueError, match=message):
        PairClassifier(Euclidean()).fit(pairs, y)


@pytest.mark.parametrize(
    "index, message",
    [
        (INDEX.astype(float), "integers of the shape .*, got float64"),
        (INDEX[:, :1], r"of the shape \(n, 2\), got int64 of the shape \(\d+, 1\)"),
        (INDEX - 5, "from 0 to 149, the rows of samples, got -[1-5]"),
        (INDEX + 5, "from 0 to 149, the rows of samples, got 15[0-4]"),
    ],
)
def test_bad_index_pairs(index, message):
    with pytest.raises(ValueError, match=message):
        PairClassifier(Euclidean(), samples=X).fit(index, Y)


def test_learners_without_pairs_are_refused():
    for wrong in (LMNN(), None):
        with pytest.raises(TypeError, match="needs a learner with fit_pairs, such as PCML"):
            PairClassifier(wrong).fit(PAIRS, Y)
    with pytest.raises(TypeError, match="instance of scikit-learn estimator instead of a class"):
        PairClassifier(PCML).fit(PAIRS, Y)
    with pytest.raises(ValueError, match="precomputed kernel"):
        PairClassifier(NCML(kernel="precomputed")).fit(PAIRS, Y)


def test_not_fitted():
    for name, arguments in (("predict", [PAIRS]), ("decision_function", [PAIRS])):
        with pytest.raises(NotFittedError):
            getattr(PairClassifier(PCML()), name)(*arguments)
    with pytest.raises(NotFittedError):
        PairClassifier(PCML()).set_threshold(1.0)
    with pytest.raises(ValueError, match="2 features, but the metric has 4"):
        PairClassifier(PCML()).fit(PAIRS, Y).predict(PAIRS[:, :, :2])


def test_kernels_and_components_inside():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = PairClassifier(NCML(kernel="rbf", gamma=0.5)).fit(PAIRS[TRAIN], Y[TRAIN])
        one = PairClassifier(PCML(n_components=1)).fit(PAIRS[TRAIN], Y[TRAIN])
    assert kernel.score(PAIRS[TEST], Y[TEST]) > 0.8
    assert one.estimator_.components_.shape == (1, 4)
    assert one.score(PAIRS[TEST], Y[TEST]) > 0.8
