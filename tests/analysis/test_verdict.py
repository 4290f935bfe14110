"""Whether a value of the paper is reproduced: the one rule, by hand."""

import pytest

from metriclearn.analysis.error_rates import Mean, judge_error
from metriclearn.analysis.verdict import (
    RULE,
    VERDICTS,
    binomial_deviation,
    judge,
    sampling_deviation,
)


@pytest.mark.parametrize(
    ("ours", "paper", "deviation", "expected"),
    [
        (12.0, 13.0, 0.5, ("reproduced", 1.0)),  # on the limit
        (12.0, 13.25, 0.5, ("lower", 1.0)),
        (12.0, 10.75, 0.5, ("higher", 1.0)),
        (2.3376, 2.12, 0.1, ("higher", 0.2)),  # 2.34 as printed: half a point is no excuse
        (31.004, 31.0, 0.0, ("reproduced", 0.0)),  # equal as printed
        (31.006, 31.0, 0.0, ("higher", 0.0)),
        (12.0, 12.0, None, (None, None)),  # one repetition: no deviation, no verdict
        (None, 12.0, 0.5, (None, None)),
        (12.0, None, 0.5, (None, None)),
    ],
)
def test_judge_by_hand(ours, paper, deviation, expected):
    assert judge(ours, paper, deviation) == expected
    assert expected[0] in (*VERDICTS, None)


def test_ours_is_rounded_to_the_decimals_of_the_paper():
    assert judge(0.96, 1.0, 0.0, decimals=1) == ("reproduced", 0.0)
    assert judge(0.94, 1.0, 0.0, decimals=1) == ("lower", 0.0)


def test_binomial_deviation_by_hand():
    # 55 of 187 test samples, SPECTF Heart: 100 sqrt(p (1 - p) / 187) with p = 55 / 187.
    assert binomial_deviation(100 * 55 / 187, 187) == pytest.approx(3.3320, abs=5e-5)
    assert binomial_deviation(50.0, 100) == pytest.approx(5.0)
    assert binomial_deviation(0.0, 100) == binomial_deviation(100.0, 100) == 0.0


def test_a_fixed_split_takes_the_larger_deviation():
    assert sampling_deviation(50.0, over_runs=None, n_test=100) == pytest.approx(5.0)
    assert sampling_deviation(50.0, over_runs=1.0, n_test=100) == pytest.approx(5.0)
    assert sampling_deviation(50.0, over_runs=7.0, n_test=100) == 7.0


def test_cross_validation_takes_that_over_the_repetitions():
    assert sampling_deviation(50.0, over_runs=0.25) == 0.25
    assert sampling_deviation(50.0, over_runs=None) is None


def test_a_mean_error_on_a_fixed_split_of_187_samples():
    ncml = Mean(100 * 55 / 187, n_test=187, folds=1)  # 29.41; the paper has 25.67
    deviation, verdict, limit = judge_error(ncml, 25.67, fixed=True)
    assert (deviation, limit) == pytest.approx((3.3320, 6.6640), abs=1e-4)
    assert verdict == "reproduced"
    assert judge_error(ncml, 22.74, fixed=True)[1] == "higher"  # 6.67 away
    assert judge_error(ncml, 36.08, fixed=True)[1] == "lower"
    assert judge_error(ncml, 25.67, fixed=False) == (None, None, None)  # one repetition
    assert judge_error(Mean(note="failed: no"), 25.67, fixed=True) == (None, None, None)


def test_a_cross_validated_mean_error():
    mean = Mean(12.6, std=0.3, folds=100, n_test=20)
    assert judge_error(mean, 13.2, fixed=False) == (0.3, "reproduced", 0.6)
    assert judge_error(mean, 13.29, fixed=False) == (0.3, "lower", 0.6)
    assert judge_error(mean, None, fixed=False) == (0.3, None, None)


def test_the_rule_says_what_is_done():
    assert "two standard deviations" in RULE and "binomial" in RULE
