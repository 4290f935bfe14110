"""Every candidate on every fold, against fits by hand."""

import json

import numpy as np
import pytest

from metriclearn import PCML
from metriclearn.datasets import load_dataset
from metriclearn.evaluation.nearest import nearest_error
from metriclearn.experiment.compose import compose_config
from metriclearn.files.columns import GRID
from metriclearn.files.store import read_rows
from metriclearn.stages.grid import grid

SETTINGS = ["dataset=sonar", "method=pcml", "protocol.folds=5", "protocol.use_folds=2"]


def run(tmp_path, *overrides, tune=None):
    config = compose_config([*SETTINGS, *overrides])
    config["method"]["tune"] = tune or {"C": [0.01, 1.0], "k": [1]}
    config["out"] = str(tmp_path / "grid.rows.csv")
    grid(config)
    return read_rows(config["out"]), read_rows(tmp_path / "grid.times.csv")


def test_rows_are_the_errors_of_fits_by_hand(tmp_path):
    rows, times = run(tmp_path, "pairs.dissimilar=farthest")  # the paper's protocol: nearest
    assert list(rows[0]) == GRID.rows and len(rows) == 4 and len(times) == 2
    assert [json.loads(row["candidate"]) for row in rows[:2]] == [
        {"C": 0.01, "k": 1},
        {"C": 1.0, "k": 1},
    ]
    assert {row["status"] for row in rows} == {"ok"} and len({row["config"] for row in rows}) == 1

    from metriclearn.evaluation.splits import make_splits

    data = load_dataset("sonar")
    X = (data.X - data.X.min(axis=0)) / np.ptp(data.X, axis=0)  # with the test samples
    fold_of = make_splits(
        {"name": "sonar", "status": "ok"}, {"y": data.y}, {"folds": 5, "repeats": 1, "seed": 0}
    )[0]
    for row in rows:
        test = fold_of == int(row["fold"])
        model = PCML(**json.loads(row["candidate"])).fit(X[~test], data.y[~test])
        wrong = nearest_error(model, X[~test], data.y[~test], X[test], data.y[test])
        assert int(row["wrong"]) == wrong and float(row["error"]) == wrong / test.sum()
        assert (int(row["n_train"]), int(row["n_test"])) == ((~test).sum(), test.sum())


def test_a_candidate_that_fails_leaves_the_others(tmp_path):
    rows, _ = run(tmp_path, "protocol.use_folds=1", tune={"C": [1e308, 0.1]})
    assert [row["status"] for row in rows] == ["failed", "ok"]
    assert rows[0]["message"].startswith("differences whose length") and rows[0]["error"] == ""


def test_a_fold_that_is_too_large_is_skipped(tmp_path):
    rows, _ = run(tmp_path, "protocol.use_folds=1", "method.max_train=100")
    assert [row["status"] for row in rows] == ["skipped"] * 2
    assert rows[0]["message"].startswith("more than 100 training samples")


@pytest.mark.parametrize(("name", "low"), [("pendigits", 0.0), ("sonar", None)])
def test_scaled_together_is_the_papers_scaling_over_all_samples(name, low):
    from metriclearn.evaluation.scaling import scaled_together

    data = load_dataset(name)
    group = "digits" if low is not None else "uci"
    X = scaled_together(data.X, {"group": group})
    if group == "digits":
        np.testing.assert_allclose(X, data.X / 100.0)
    else:
        np.testing.assert_allclose(X.min(axis=0), 0.0)
        np.testing.assert_allclose(X.max(axis=0), 1.0)
