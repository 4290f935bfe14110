"""What holds for every protocol: failures, choices, warnings, warm-up and times of a job."""

import dataclasses
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from metriclearn.estimators.base import MetricLearner
from metriclearn.evaluation import engine, estimator, protocol
from metriclearn.evaluation.attempt import FoldTimeout
from metriclearn.evaluation.classification import Classification
from metriclearn.evaluation.reidentification import Reidentification
from metriclearn.evaluation.verification import Verification
from metriclearn.files.columns import CLASSIFICATION, MATCHING, SECONDS
from metriclearn.files.errors import PipelineError
from metriclearn.files.job import beside, write_job
from metriclearn.files.store import read_rows
from metriclearn.vision.simulated import simulated_faces, simulated_persons

KINDS = ("classification", "verification", "reidentification")
ERRORS = {
    "broken": RuntimeError("no luck\ntoday"),
    "slow": FoldTimeout(),
    "misconfigured": PipelineError("no such file"),
    "large": MemoryError("8 GB"),
}


class Spy(MetricLearner):
    """A metric that weighs the first feature, and fails on demand for one seed or for all."""

    fits = []

    def __init__(self, *, weight=1.0, mode="good", seed=None, random_state=None):
        self.weight, self.mode, self.seed = weight, mode, seed
        self.random_state = random_state

    def fit(self, X, y):
        return self._fit(X.shape[1])

    def fit_pairs(self, pairs, y):
        return self._fit(pairs.shape[2])

    def _fit(self, d):
        Spy.fits.append(self)
        if self.mode in ERRORS and self.seed in (None, self.random_state):
            raise ERRORS[self.mode]
        if self.mode == "picky" and self.weight == 1.0:
            raise ValueError("never 1")
        if self.weight == 3.0:
            warnings.warn("three", stacklevel=1)
        self.n_features_in_ = d
        self.components_ = np.diag([self.weight] + [1.0] * (d - 1))
        return self


@pytest.fixture(scope="module")
def inputs():
    """The samples or images of each protocol; the first feature is noise of a large scale."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([1e3 * rng.normal(size=60), y + 0.01 * rng.normal(size=60)])
    faces = simulated_faces(
        n_folds=3, n_each=30, n_features=6, persons_per_fold=4, images_per_person=10
    )
    persons = simulated_persons(n_images=100, n_persons=12, n_features=6)
    return SimpleNamespace(X=X, y=y, faces=noisy(faces, rng), persons=noisy(persons, rng))


def noisy(features, rng):
    X = features.X.copy()
    X[:, 0] = 1e3 * rng.normal(size=len(X))
    return dataclasses.replace(features, X=X, content_hash="")


@pytest.fixture
def make(inputs, monkeypatch):
    """Makes a protocol of three folds with the spy."""
    Spy.fits.clear()
    for module in (estimator, protocol):
        monkeypatch.setattr(module, "load_estimator", lambda method: Spy)

    def build(kind, tune=None, **method):
        shared = {"use_folds": 3, "seed": 0, "timeout": 7.0, "threads": 1}
        config = {
            "method": {
                "name": "spy",
                "title": "Spy",
                "estimator": "",
                "pairs": False,
                "max_train": None,
                "tune_samples": None,
                "tune": tune or {},
                "extend": {},
                **method,
            },
            "dataset": {"name": "toy"},
            "pairs": {},
            "protocol": {**shared, "scale": "none", "pca": "none"},
            "tuning": {
                "kind": "nested",
                "folds": 2,
                "test_size": 0.0,
                "holdout_from": None,
                "max_samples": None,
                "extensions": 2,
            },
            "images": {"name": "toy", "parts": ["a"], "pca": [None]},
            "matching": {
                **shared,
                "preprocess": "plain",
                "ridge": 0.0,
                "partitions": 3,
                "probe": "paper",
                "negatives": 1,
                "max_similar": None,
                "tuning": {"folds": 2, "use_folds": None, "max_pairs": None, "extensions": 2},
            },
        }
        if kind == "verification":
            return Verification(config, [inputs.faces])
        if kind == "reidentification":
            return Reidentification(config, [inputs.persons])
        facts = {"name": "toy", "status": "ok", "group": "own", "pca": None}
        arrays = {"X": inputs.X, "y": inputs.y}
        return Classification(config, facts, arrays, {2: np.arange(60) // 2 % 3})

    return build


@pytest.mark.parametrize("kind", KINDS)
def test_a_method_that_raises_gives_a_failed_row_and_the_others_go_on(kind, make):
    second = make(kind).seed(make(kind).folds()[1])
    rows, times, curve = engine.run(make(kind, mode="broken", seed=second), {"job": 1})
    assert [row["status"] for row in rows] == ["ok", "failed", "ok"]
    assert rows[1]["message"] == "RuntimeError: no luck today"
    assert [row["fold"] for row in rows] == [row["fold"] for row in times] == [0, 1, 2]
    assert all(row["job"] == 1 for row in [*rows, *times, *curve])
    assert {point["fold"] for point in curve} == (set() if kind == "classification" else {0, 2})
    assert "fit_s" in times[0] and "fit_s" not in times[1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_row_of_a_failed_fold_says(kind, make):
    job = make(kind, {"weight": [0.0, 1.0]}, weight=1.0, mode="broken")
    rows = engine.run(job, {}).rows
    assert {"n_train", "n_test"} <= set(rows[0]) and "chosen" not in rows[0]
    assert all(row["message"].startswith("RuntimeError") and "n_iter" not in row for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_candidate_is_chosen_and_the_first_of_equals(kind, make):
    rows = engine.run(make(kind, {"weight": [1.0, 0.0]}, weight=1.0), {}).rows
    assert [json.loads(row["chosen"])["weight"] for row in rows] == [0.0] * 3
    rows = engine.run(make(kind, {"mode": ["b", "a"], "weight": [0.0, -0.0]}), {}).rows
    chosen = [json.loads(row["chosen"]) for row in rows]
    assert [(one["mode"], str(one["weight"])) for one in chosen] == [("b", "0.0")] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_candidate_that_fails_is_out(kind, make):
    job = make(kind, {"weight": [1.0, 0.5]}, mode="picky")
    assert {json.loads(row["chosen"])["weight"] for row in engine.run(job, {}).rows} == {0.5}
    rows = engine.run(make(kind, {"weight": [1.0, 1.0]}, mode="picky"), {}).rows
    assert {row["status"] for row in rows} == {"failed"}
    assert all(row["message"].endswith("could be fitted: never 1") for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_choose_is_no_inner_fit(kind, make):
    job = make(kind, {"weight": [0.5]})
    rows = engine.run(job, {}).rows
    assert len(Spy.fits) == 1 + 3  # one warm-up
    assert [row[job.tuning_column] for row in rows] == [None] * 3
    assert [json.loads(row["chosen"])["weight"] for row in rows] == [0.5] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_fold_that_takes_too_long(kind, make):
    job = make(kind, mode="slow")
    rows = engine.run(job, {}).rows
    assert {(row["status"], row["message"]) for row in rows} == {
        ("timeout", f"longer than 7 s ({job.group}.timeout)")
    }


@pytest.mark.parametrize("tuned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_configuration_or_no_memory_ends_the_job(kind, tuned, make):
    tune = {"weight": [0.0, 1.0]} if tuned else {}
    with pytest.raises(PipelineError, match="no such file"):
        engine.run(make(kind, tune, mode="misconfigured"), {})
    with pytest.raises(PipelineError, match="out of memory \\(8 GB\\); give the job more"):
        engine.run(make(kind, tune, mode="large"), {})
    with pytest.raises(PipelineError, match="has no argument 'colours'"):
        engine.run(make(kind, tune, colours=1), {})


@pytest.mark.parametrize("kind", KINDS)
def test_warnings_of_candidates_have_a_column_of_their_own(kind, make):
    rows = engine.run(make(kind, {"weight": [3.0, 0.0]}), {}).rows
    assert {json.loads(row["chosen"])["weight"] for row in rows} == {0.0}
    assert [(row["warnings"], row["tuning_warnings"]) for row in rows] == [("", "three")] * 3
    rows = engine.run(make(kind, weight=3.0), {}).rows
    assert [(row["warnings"], row["tuning_warnings"]) for row in rows] == [("three", "")] * 3
    job = make(kind, {"weight": [3.0, 1.0], "mode": ["good", "broken"]})
    rows = engine.run(job, {}).rows  # a choice that ends the fold keeps what it said before
    assert [(row["status"], row["tuning_warnings"]) for row in rows] == [("failed", "three")] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_those_of_the_files(kind, make, tmp_path):
    job = make(kind, {"weight": [1.0, 0.0]})
    result = engine.run(job, {"method": "spy"})
    columns = CLASSIFICATION if kind == "classification" else MATCHING
    assert set().union(*result.rows) <= set(columns.rows)
    assert all(set(SECONDS) - set(row) == {"solve_s"} for row in result.times)  # it has no solver
    write_job(tmp_path / "job.rows.csv", columns, result, threads=1)
    ends = {"rows", "times"} | ({"curve"} if job.curve else set())
    assert {path.name for path in tmp_path.iterdir()} == {f"job.{end}.csv" for end in ends}
    times = read_rows(beside(tmp_path / "job.rows.csv", "times"))
    assert [(row["method"], row["threads"]) for row in times] == [("spy", "1")] * 3
    assert [row["fold"] for row in read_rows(tmp_path / "job.rows.csv")] == ["0", "1", "2"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_estimator_is_one_row(kind, make, monkeypatch):
    def load(method):
        raise PipelineError("cannot import\nit")

    job = make(kind)
    monkeypatch.setattr(protocol, "load_estimator", load)
    rows, times, curve = engine.run(job, {"job": 1})
    assert rows == [
        {"job": 1, **job.folds()[0], "status": "unavailable", "message": "cannot import it"}
    ]
    assert times == [{"job": 1, **job.folds()[0]}] and curve == []
