"""Thresholds on scores against hand calculations, brute force and scikit-learn's measures."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, recall_score

from metriclearn.estimators.threshold import OBJECTIVES, best_threshold

SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
SAME = np.array([True, True, False, True, False, False])
MEASURES = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1": lambda same, said: f1_score(same, said, zero_division=0.0),
    "true_positive_rate": recall_score,
}


def test_by_hand():
    # Accepting two or four pairs gets five of six right; the stricter one is taken.
    assert best_threshold(SCORES, SAME) == pytest.approx(0.75)
    # F1 is 4/5 with two pairs accepted and 6/7 with four.
    assert best_threshold(SCORES, SAME, "f1") == pytest.approx(0.55)
    # One of three dissimilar pairs may be accepted, and with it all similar ones.
    assert best_threshold(SCORES, SAME, "true_positive_rate", 1 / 3) == pytest.approx(0.55)
    assert best_threshold(SCORES, SAME, "true_positive_rate", 0.3) == pytest.approx(0.75)
    assert best_threshold(SCORES, SAME, "f1", 0.0) == pytest.approx(0.75)


def test_every_objective_is_tested():
    assert MEASURES.keys() == OBJECTIVES.keys()


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("bound", [None, 0.0, 0.05, 0.29])
@pytest.mark.parametrize("seed, ties", [(0, False), (1, True), (2, True)])
def test_the_best_there_is(objective, bound, seed, ties):
    rng = np.random.default_rng(seed)
    same = np.repeat([True, False], [80, 100])  # 0.29 of 100 must not be rounded to 28
    scores = rng.normal(size=180) + same
    scores = np.round(scores, 1) if ties else scores
    threshold = best_threshold(scores, same, objective, bound)
    said = [scores >= t for t in [np.inf, *np.unique(scores)[::-1]]]
    allowed = [s for s in said if bound is None or np.mean(s[~same]) <= bound]
    best = max(MEASURES[objective](same, s) for s in allowed)
    equal = [s.sum() for s in allowed if MEASURES[objective](same, s) >= best - 1e-12]
    assert (scores >= threshold).sum() == min(equal)
    assert threshold not in scores or (scores >= threshold).all()


def test_at_the_ends():
    one = np.ones(3, dtype=bool)
    scores = np.array([3.0, 1.0, 2.0])
    for objective in OBJECTIVES.keys() - {"balanced_accuracy"}:  # which needs both kinds
        assert (scores >= best_threshold(scores, one, objective)).all()
    assert not (scores >= best_threshold(scores, ~one)).any()
    assert not (scores >= best_threshold(scores, ~one, "f1")).any()
    # Two neighbouring floats have no number between them.
    near = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert (near >= best_threshold(near, [False, True])).tolist() == [False, True]
    # A metric that tells nothing: half of the pairs are right, and none is accepted.
    assert not (np.zeros(4) >= best_threshold(np.zeros(4), [1, 0, 1, 0])).any()


def test_scores_must_be_finite():
    with pytest.raises(ValueError, match="the learned metric is not finite"):
        best_threshold([np.nan, 1.0], [True, False])
