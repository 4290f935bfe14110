"""Matching jobs: no leakage (by poisoning and by spying), choices, statuses, combination."""

import dataclasses
import json

import numpy as np
import pytest

from metriclearn.estimators.base import MetricLearner
from metriclearn.estimators.threshold import best_threshold
from metriclearn.evaluation import engine, estimator, images, protocol
from metriclearn.evaluation.attempt import FoldTimeout
from metriclearn.evaluation.combine import combine
from metriclearn.evaluation.curves import area
from metriclearn.evaluation.reidentification import Reidentification
from metriclearn.evaluation.verification import Verification
from metriclearn.files.errors import PipelineError
from metriclearn.vision.simulated import simulated_faces, simulated_persons


class Spy(MetricLearner):
    """Remembers the pairs it was given; weighs the first feature, fails or waits on demand."""

    seen = []

    def __init__(self, *, weight=1.0, mode="good"):
        self.weight, self.mode = weight, mode

    def fit(self, X, y):
        raise AssertionError("pairs are what it should be given")

    def fit_pairs(self, pairs, y):
        if self.mode == "broken":
            raise RuntimeError("no luck\ntoday")
        if self.mode == "slow":
            raise FoldTimeout
        if self.mode == "picky" and self.weight == 1.0:
            raise ValueError("never 1")
        Spy.seen.append((np.array(pairs), np.array(y)))
        self.n_features_in_ = pairs.shape[2]
        weights = np.ones(self.n_features_in_)
        weights[0] = self.weight
        self.components_ = np.diag(weights)
        return self


class Labelled(MetricLearner):
    """Takes labelled images only."""

    def fit(self, X, y):
        Spy.seen.append((np.array(X), np.array(y)))
        self.n_features_in_ = X.shape[1]
        self.components_ = np.eye(X.shape[1])
        return self


@pytest.fixture(scope="module")
def faces():
    return simulated_faces(
        n_folds=4, n_each=30, n_features=6, persons_per_fold=4, images_per_person=10
    )


@pytest.fixture(scope="module")
def persons():
    return simulated_persons(n_images=100, n_persons=12, n_features=6)


@pytest.fixture
def spy(monkeypatch):
    Spy.seen.clear()
    chosen = {"kind": Spy}
    for module in (estimator, protocol):
        monkeypatch.setattr(module, "load_estimator", lambda method: chosen["kind"])
    return chosen


def make_config(preprocess="plain", pca=(None,), method=None, **matching):
    return {
        "images": {"name": "toy", "task": "any", "parts": ["a", "b"][: len(pca)], "pca": list(pca)},
        "method": {
            "name": "spy",
            "title": "Spy",
            "estimator": "",
            "pairs": False,
            "tune": {},
            "max_train": None,
            "extend": {},
            **(method or {}),
        },
        "matching": {
            "preprocess": preprocess,
            "ridge": 0.0,
            "use_folds": None,
            "partitions": 2,
            "probe": "paper",
            "negatives": 1,
            "max_similar": None,
            "seed": 0,
            "timeout": None,
            "threads": 1,
            "tuning": {"folds": 2, "use_folds": None, "max_pairs": None, "extensions": 0},
            **matching,
        },
    }


def make(config, *sets):
    kinds = {kind.task: kind for kind in (Verification, Reidentification)}
    return kinds[sets[0].task](config, list(sets))


def run(config, *sets):
    rows, times, curve = engine.run(make(config, *sets), {"job": 1})
    return rows, curve


PCML = {"estimator": "metriclearn.estimators.pcml.PCML", "tune": {"C": [0.01, 1.0]}, "C": 1.0}
TRAINED = (
    "chosen",
    "tuning_score",
    "threshold",
    "train_accuracy",
    "n_iter",
    "primal",
    "dual",
    "gap",
    "n_pairs",
    "n_support",
    "n_features",
    "warnings",
)


def test_poisoned_test_pairs_change_nothing_that_is_learned(faces):
    config = make_config("chosen", pca=(4,), method=PCML, use_folds=1)
    (clean,), _ = run(config, faces)
    test = faces.fold == 0
    only = np.setdiff1d(faces.pairs[test], faces.pairs[~test])
    X, same = faces.X.copy(), faces.same.copy()
    X[only] = 1e6 * np.random.default_rng(0).normal(size=X[only].shape)
    same[test] = ~same[test]
    (poisoned,), _ = run(config, dataclasses.replace(faces, X=X, same=same, content_hash=""))
    assert clean["status"] == "ok" and clean["accuracy"] != poisoned["accuracy"]
    assert [clean[key] for key in TRAINED] == [poisoned[key] for key in TRAINED]


def test_poisoned_test_persons_change_nothing_that_is_learned(persons):
    config = make_config("chosen", pca=(4,), method=PCML, use_folds=1)
    (clean,), _ = run(config, persons)
    _, test = make(config, persons).parts({"fold": 0})
    rows = np.isin(persons.person, test.person)
    X = persons.X.copy()
    X[rows] = 1e6 * np.random.default_rng(0).normal(size=X[rows].shape)
    (poisoned,), _ = run(config, dataclasses.replace(persons, X=X, content_hash=""))
    assert clean["status"] == "ok" and clean["mrr"] != poisoned["mrr"]
    learned = [key for key in TRAINED if key in clean]
    assert len(learned) == 10
    assert [clean[key] for key in learned] == [poisoned[key] for key in learned]


@pytest.mark.parametrize("which", ["faces", "persons"])
def test_spied_fits_see_training_images_only(which, spy, request, monkeypatch):
    features = request.getfixturevalue(which)
    projected = []
    monkeypatch.setattr(images.Projection, "fit", lambda self, X: projected.append(X) or self)
    monkeypatch.setattr(images.Projection, "transform", lambda self, X: X.astype(float))
    config = make_config(method={"tune": {"weight": [1.0, 0.5]}, "weight": 1.0})
    job = make(config, features)
    for fold in job.folds()[:2]:
        Spy.seen.clear()
        train, test = job.parts(fold)
        first = fold["fold"] == 0
        engine.learn(job, fold, 0, {"seed": 0}, engine.Learned(), {}, first=first)
        assert np.array_equal(projected[-1], train.X)
        assert len(Spy.seen) == 2 * 2 + 1 + first  # inner, outer, warm-up
        assert len(Spy.seen[-1][0]) == len(train.y)
        # Features are divided by one number, so the ratio of two still tells which image it is.
        known, hidden = (part.X[:, 1] / part.X[:, 0] for part in (train, test))
        for pairs, _ in Spy.seen:
            given = (pairs[..., 1] / pairs[..., 0]).ravel()
            near = np.abs(given[:, None] - known).min(axis=1)
            far = np.abs(given[:, None] - hidden).min(axis=1)
            assert (near <= 1e-5 * np.abs(given)).all() and (far > 1e-9 * np.abs(given)).all()


def test_choice_takes_the_better_weight_and_the_first_of_equals(spy, faces):
    X = faces.X.copy()
    X[:, 0] = 1e3 * np.random.default_rng(0).normal(size=len(X))  # says nothing, counts most
    noisy = dataclasses.replace(faces, X=X, content_hash="")
    rows, _ = run(make_config(method={"tune": {"weight": [1.0, 0.0]}, "weight": 1.0}), noisy)
    assert {row["chosen"] for row in rows} == {'{"preprocess": "plain", "weight": 0.0}'}
    assert all(0.5 < row["tuning_score"] <= 1.0 for row in rows)
    rows, _ = run(make_config(method={"tune": {"mode": ["good", "fine"]}, "mode": "good"}), faces)
    assert {json.loads(row["chosen"])["mode"] for row in rows} == {"good"}


def test_preprocessing_is_chosen_or_given(spy, faces):
    rows, _ = run(make_config("chosen", use_folds=1), faces)
    assert json.loads(rows[0]["chosen"])["preprocess"] in ("plain", "whiten", "whiten_unit")
    assert rows[0]["tuning_score"] > 0.5
    for kind in ("plain", "whiten", "whiten_unit"):
        Spy.seen.clear()
        rows, _ = run(make_config(kind, use_folds=1), faces)
        assert json.loads(rows[0]["chosen"]) == {"preprocess": kind}
        assert rows[0]["tuning_score"] is None and len(Spy.seen) == 2  # warm-up and fit
    untuned = make_config(
        "whiten",
        method={"tune": {"weight": [0.0, 2.0]}, "weight": 1.0},
        tuning={"folds": 0, "use_folds": None, "max_pairs": None, "extensions": 0},
    )
    assert json.loads(run(untuned, faces)[0][0]["chosen"]) == {"preprocess": "whiten"}


def test_a_job_of_several_preprocessings_projects_once_and_tunes_once(spy, faces, monkeypatch):
    projected = []
    fit = images.Projection.fit
    monkeypatch.setattr(
        images.Projection, "fit", lambda self, X: (projected.append(len(X)), fit(self, X))[1]
    )
    method = {"tune": {"weight": [1.0, 0.5]}, "weight": 1.0}
    shared, rows = {}, {}
    for kind in ("plain", "whiten", "whiten_unit", "chosen"):
        Spy.seen.clear()
        config = make_config(kind, method=method, use_folds=1)
        (rows[kind],) = engine.run(Verification(config, [faces], shared), {}).rows
        # Two inner parts for each of two values, the warm-up and the fit; chosen has no inner fit.
        assert len(Spy.seen) == (2 if kind == "chosen" else 2 * 2 + 2)
    assert len(projected) == 1
    best = max(("plain", "whiten", "whiten_unit"), key=lambda kind: rows[kind]["tuning_score"])
    assert rows["chosen"] == rows[best]


def test_a_preprocessing_that_fails_is_not_chosen(spy, faces, monkeypatch):
    whiten = images.Whitening.fit

    def fail(self, part):
        if self.kind != "whiten":
            raise ValueError("no such luck")
        return whiten(self, part)

    monkeypatch.setattr(images.Whitening, "fit", fail)
    method = {"tune": {"weight": [1.0, 0.5]}, "weight": 1.0}
    rows, _ = run(make_config("chosen", method=method, use_folds=1), faces)
    assert json.loads(rows[0]["chosen"])["preprocess"] == "whiten"
    rows, _ = run(make_config("plain", method=method, use_folds=1), faces)
    assert rows[0]["status"] == "failed" and rows[0]["message"].endswith("no such luck")


def test_a_value_that_fails_is_not_chosen(spy, faces):
    method = {"tune": {"weight": [1.0, 0.5]}, "weight": 1.0, "mode": "picky"}
    rows, _ = run(make_config(method=method), faces)
    assert {json.loads(row["chosen"])["weight"] for row in rows} == {0.5}
    rows, _ = run(make_config(method={**method, "tune": {"weight": [1.0, 1.0]}}), faces)
    assert {row["status"] for row in rows} == {"failed"}
    assert rows[0]["message"].endswith("could be fitted: never 1")


def test_statuses(spy, faces):
    rows, curve = run(make_config(method={"mode": "broken"}), faces)
    assert [(row["status"], row["message"]) for row in rows] == [
        ("failed", "RuntimeError: no luck today")
    ] * 4
    assert curve == []
    rows, _ = run(make_config(method={"mode": "slow"}, timeout=7.0), faces)
    assert {(row["status"], row["message"]) for row in rows} == {
        ("timeout", "longer than 7 s (matching.timeout)")
    }
    with pytest.raises(PipelineError, match="dimension 9 is above the rank"):
        run(make_config(pca=(9,)), faces)


def test_labelled_methods(spy, faces, persons):
    spy["kind"] = Labelled
    rows, curve = run(make_config(), faces)
    assert [(row["status"], row["message"]) for row in rows] == [
        ("skipped", "Spy needs labelled images; verification gives pairs only")
    ]
    rows, _ = run(make_config(), persons)
    assert [row["status"] for row in rows] == ["ok", "ok"]
    train, _ = make(make_config(), persons).parts({"fold": 1})
    assert np.array_equal(Spy.seen[-1][1], train.person)


def test_missing_estimator_is_unavailable(faces):
    rows, _ = run(make_config(method={"estimator": "metriclearn.nowhere.Nothing"}), faces)
    assert [row["status"] for row in rows] == ["unavailable"]


def test_verification_numbers_are_those_of_the_scores(faces):
    rows, curve = run(
        make_config(method={"estimator": "metriclearn.estimators.euclidean.Euclidean"}), faces
    )
    for row in rows:
        delta = np.diff(faces.X[faces.pairs].astype(float), axis=1)[:, 0]
        score, test = -np.linalg.norm(delta, axis=1), faces.fold == row["fold"]
        threshold = best_threshold(score[~test], faces.same[~test])
        right = (score >= threshold) == faces.same
        assert row["accuracy"] == np.mean(right[test])
        assert row["train_accuracy"] == np.mean(right[~test])
        assert row["auc"] == pytest.approx(area(score[test], faces.same[test]))
        assert (row["n_train"], row["n_test"], row["n_features"]) == (180, 60, 6)
    assert len(curve) == 4 * 201 and {point["kind"] for point in curve} == {"roc"}
    last = [point["y"] for point in curve if point["x"] == 1.0]
    assert last == [1.0] * 4


def found_ranks(test, probe):
    """The rank of the person of each probe, one by one, by Euclidean distances."""
    found = []
    for x, person in zip(test.X[probe], test.person[probe], strict=True):
        away = np.linalg.norm(test.X[~probe] - x, axis=1)
        nearest = {p: away[test.person[~probe] == p].min() for p in set(test.person)}
        found.append(sorted(nearest.values()).index(nearest[person]) + 1)
    return np.array(found)


@pytest.mark.parametrize(("probe", "n_probes"), [("others", None), ("image", 6)])
def test_reidentification_numbers_are_those_of_the_ranks(persons, probe, n_probes):
    config = make_config(
        method={"estimator": "metriclearn.estimators.euclidean.Euclidean"}, probe=probe
    )
    rows, curve = run(config, persons)
    job = make(config, persons)
    for row in rows:
        _, test = job.parts({"fold": row["fold"]})
        found = found_ranks(test, test.probe)
        assert row["rank1"] == np.mean(found == 1)
        assert row["rank5"] == np.mean(found <= 5)
        assert "rank10" not in row and row["n_test"] == (n_probes or len(test.X) - 6)
        points = [point["y"] for point in curve if point["fold"] == row["fold"]]
        assert points == [np.mean(found <= r) for r in range(1, 7)]
        one_probe = found_ranks(test, test.probe if probe == "image" else ~test.probe)
        assert len(one_probe) == 6 and "one_probe_rank10" not in row
        assert row["one_probe_rank1"] == np.mean(one_probe == 1)
        assert row["one_probe_rank5"] == np.mean(one_probe <= 5)


def test_both_readings_are_of_the_same_images(persons):
    euclidean = {"estimator": "metriclearn.estimators.euclidean.Euclidean"}
    ours, text = (
        run(make_config(method=euclidean, probe=probe), persons)[0] for probe in ("others", "image")
    )
    assert [row["one_probe_rank1"] for row in ours] == [row["rank1"] for row in text]
    assert [row["rank1"] for row in ours] != [row["rank1"] for row in text]


def test_folds_do_not_depend_on_the_method(persons):
    rows = [
        run(
            make_config(method={"estimator": f"metriclearn.estimators.{name}", "tune": {}}), persons
        )[0]
        for name in ("euclidean.Euclidean", "kissme.KISSME", "lmnn.LMNN")
    ]
    assert len({tuple(row["seed"] for row in one) for one in rows}) == 1


def test_combination_by_hand():
    train, test = combine(
        [
            (np.array([1.0, 3.0]), np.array([5.0])),  # mean 2, deviation 1: -1, 1; 3
            (np.array([10.0, 30.0]), np.array([0.0])),  # mean 20, deviation 10: -1, 1; -2
        ]
    )
    assert train.tolist() == [-2.0, 2.0] and test.tolist() == [1.0]
    constant = (np.zeros(2), np.zeros(1))
    assert combine([constant, constant])[0].tolist() == [0.0, 0.0]
    assert combine([constant])[0] is constant[0]


def test_combined_features(faces):
    # A feature beside one that says nothing but has a large scale: the sum is near the good one.
    noise = dataclasses.replace(
        faces,
        feature="b",
        X=1e4 * np.random.default_rng(0).normal(size=(len(faces.X), 3)),
        content_hash="",
    )
    config = make_config(
        method={"estimator": "metriclearn.estimators.euclidean.Euclidean"}, pca=(None, 2)
    )
    rows, _ = run(config, faces, noise)
    alone, _ = run(make_config(method=config["method"]), faces)
    assert [row["n_features"] for row in rows] == [8] * 4
    assert json.loads(rows[0]["chosen"]) == {
        "a": {"preprocess": "plain"},
        "b": {"preprocess": "plain"},
    }
    assert 0.5 < np.mean([r["auc"] for r in rows]) < np.mean([r["auc"] for r in alone])
    twice, _ = run(make_config(method=config["method"], pca=(None, None)), faces, faces)
    assert [row["accuracy"] for row in twice] == [row["accuracy"] for row in alone]


def test_only_verification_is_combined(persons):
    with pytest.raises(PipelineError, match="features can be combined for verification only"):
        run(make_config(pca=(None, None)), persons, persons)
