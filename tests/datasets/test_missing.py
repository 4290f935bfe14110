"""Rules that fill missing values."""

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.datasets.missing import fill_missing

NAMES = ("part", "whole", "ratio")
X = np.array([[1.0, 3.0, 0.5], [2.0, 10.0, np.nan], [4.0, 6.0, 1.9]])


def test_rest_ratio_uses_the_row_itself():
    rule = {"column": "ratio", "rule": "rest_ratio", "part": "part", "whole": "whole"}
    filled = fill_missing(X, NAMES, rule, "here")
    np.testing.assert_array_equal(filled[:, 2], [0.5, 0.25, 1.9])
    assert np.isnan(X[1, 2]), "the input is left alone"


def test_median_of_the_known_values():
    filled = fill_missing(X, NAMES, {"column": "ratio", "rule": "median"}, "here")
    np.testing.assert_array_equal(filled[:, 2], [0.5, 1.2, 1.9])


def test_complete_data_is_passed_through():
    assert fill_missing(X[:1], NAMES, None, "here").base is X


@pytest.mark.parametrize("rule", [None, {"column": "part", "rule": "median"}])
def test_uncovered_gaps_are_named(rule):
    with pytest.raises(DatasetError, match="here: no value for feature 'ratio' in row 2"):
        fill_missing(X, NAMES, rule, "here")


def test_unknown_rule():
    with pytest.raises(DatasetError, match="unknown rule 'magic'"):
        fill_missing(X, NAMES, {"column": "ratio", "rule": "magic"}, "here")
