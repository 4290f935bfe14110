"""Fits that are timed alone: how many, on which parts, and what their rows say."""

from types import SimpleNamespace

import pytest

from metriclearn.evaluation.attempt import FoldSkipped
from metriclearn.experiment.compose import compose_config
from metriclearn.stages.timing import time_fits
from metriclearn.stages.train import load_protocol

HEAD = {"experiment": "x", "dataset": "breast_tissue", "method": "euclidean"}


@pytest.fixture
def protocol():
    return load_protocol(compose_config(["dataset=breast_tissue", "method=euclidean"]))


def test_fits_are_of_the_first_folds(protocol):
    result = time_fits(protocol, HEAD, fits=3, seconds=60.0)
    assert [(row["repeat"], row["fold"]) for row in result.rows] == [(0, 0), (1, 1), (2, 2)]
    assert [row["n_train"] for row in result.rows] == [95, 95, 96]
    assert all(row["fit_cpu_s"] >= 0.0 and row["fit_s"] > 0.0 for row in result.times)


def test_fits_end_when_their_seconds_are_spent(protocol):
    assert len(time_fits(protocol, HEAD, fits=3, seconds=0.0).rows) == 1


def test_a_fit_that_fails_is_a_row_with_its_reason(protocol, monkeypatch):
    def refuse(train, test):
        raise FoldSkipped("too large")

    monkeypatch.setattr(protocol, "prepare", refuse)
    result = time_fits(protocol, HEAD, fits=3, seconds=60.0)
    assert [(row["status"], row["message"]) for row in result.rows] == [("skipped", "too large")]
    assert "fit_s" not in result.times[0]


def test_a_data_set_that_is_unavailable():
    missing = SimpleNamespace(
        folds=lambda: [{"repeat": 0, "fold": 0}],
        missing_reason=lambda: {"status": "unavailable", "message": "no file"},
    )
    (row,) = time_fits(missing, HEAD, fits=3, seconds=1.0).rows
    assert (row["status"], row["message"]) == ("unavailable", "no file")
