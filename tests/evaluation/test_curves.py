"""ROC, EER and CMC against hand calculations, brute force and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import auc, roc_curve

from metriclearn.evaluation.curves import (
    accuracy,
    area,
    cmc,
    equal_error_rate,
    mean_reciprocal_rank,
    ranks,
    roc,
    roc_at,
)

SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
SAME = np.array([True, True, False, True, False, False])


def random_scores(seed, n=200, ties=False):
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.4
    scores = rng.normal(size=n) + same
    return (np.round(scores, 1) if ties else scores), same


def test_accuracy_by_hand():
    assert accuracy(SCORES, SAME, 0.75) == 5 / 6
    assert accuracy(SCORES, SAME, 0.65) == 4 / 6


def test_area_is_the_chance_of_the_right_order():
    scores, same = random_scores(0, ties=True)
    above = np.sign(scores[same][:, None] - scores[~same])
    assert area(scores, same) == pytest.approx(np.mean(0.5 * (above + 1)))
    assert area(scores, same) == pytest.approx(auc(*roc(scores, same)))


def test_roc_by_hand():
    # Corners: (0, 0), (0, 1/3), (0, 2/3), (1/3, 2/3), (1/3, 1), (2/3, 1), (1, 1).
    rates = np.array([0.0, 1 / 6, 1 / 3, 0.5, 1.0])
    assert roc_at(SCORES, SAME, rates).tolist() == pytest.approx([2 / 3, 2 / 3, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("seed", range(3))
def test_roc_on_a_grid_is_between_its_corners(seed):
    scores, same = random_scores(seed, ties=True)
    rates = np.linspace(0, 1, 401)
    values = roc_at(scores, same, rates)
    assert (np.diff(values) >= -1e-12).all() and values[-1] == 1.0
    fpr, tpr, _ = roc_curve(same, scores)
    for x, y in zip(fpr, tpr, strict=True):
        if (fpr == x).sum() == 1:
            assert roc_at(scores, same, np.array([x]))[0] == pytest.approx(y)
    assert np.trapezoid(values, rates) == pytest.approx(area(scores, same), abs=0.01)


def test_equal_error_rate_by_hand():
    # At the corner (1/3, 2/3) a third of each kind is wrong.
    assert equal_error_rate(SCORES, SAME) == pytest.approx(1 / 3)
    assert equal_error_rate(SCORES, SCORES > 0.55) == 0.0
    assert equal_error_rate(np.zeros(4), [1, 0, 1, 0]) == 0.5
    # On the line from (0, 1/2) to (1, 1/2): false positives reach 1/2 half-way.
    assert equal_error_rate([2, 1, 1, 0], [1, 0, 0, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(3))
def test_equal_error_rate_lies_on_the_curve(seed):
    scores, same = random_scores(seed)
    rate = equal_error_rate(scores, same)
    assert roc_at(scores, same, np.array([rate]))[0] >= 1 - rate - 1e-9
    assert roc_at(scores, same, np.array([rate - 1e-9]))[0] <= 1 - rate + 1e-6


def test_scores_must_be_finite():
    with pytest.raises(ValueError, match="the learned metric is not finite"):
        accuracy([np.nan, 1.0], [True, False], 0.5)
    with pytest.raises(ValueError, match="the learned metric is not finite"):
        ranks([[np.inf, 1.0]], [0], [0, 1])


def test_ranks_and_cmc_by_hand():
    # Probe of person 7: nearest is 5, then 7 by its second image; of person 5: 5 at once.
    gallery = np.array([7, 5, 7, 9])
    distances = np.array([[4.0, 1.0, 2.0, 3.0], [2.0, 0.5, 2.0, 1.0], [0.1, 0.3, 5.0, 0.2]])
    found = ranks(distances, [7, 5, 5], gallery)
    assert found.tolist() == [2, 1, 3]
    assert cmc(found, [1, 2, 3]).tolist() == pytest.approx([1 / 3, 2 / 3, 1.0])
    assert mean_reciprocal_rank(found) == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)


def test_ties_count_against_the_probe():
    assert ranks(np.zeros((1, 4)), [2], [1, 2, 3, 4]).tolist() == [4]


def test_gallery_must_have_the_person():
    with pytest.raises(ValueError, match="person 3 is a probe but not in the gallery"):
        ranks(np.zeros((1, 2)), [3], [1, 2])
    with pytest.raises(ValueError, match="distances must be 1 × 2"):
        ranks(np.zeros((2, 2)), [1], [1, 2])
