"""One job: no leakage, tuning on the training part, rows that say what happened."""

import json
import warnings

import numpy as np
import pytest

from metriclearn.estimators.base import MetricLearner
from metriclearn.evaluation.attempt import FoldTimeout, time_limit
from metriclearn.evaluation.nearest import nearest_error
from metriclearn.experiment.compose import compose_config
from metriclearn.files.columns import ROW_COLUMNS
from metriclearn.files.errors import PipelineError
from metriclearn.files.store import read_rows
from metriclearn.stages.train import train


class Spy(MetricLearner):
    """Remembers what it was given; fails or waits on demand."""

    seen = []

    def __init__(self, *, scale=1.0, mode="good"):
        self.scale, self.mode = scale, mode

    def fit(self, X, y):
        if self.mode == "broken":
            raise RuntimeError("no luck\ntoday")
        if self.mode == "slow":
            raise FoldTimeout
        Spy.seen.append((np.array(X), np.array(y)))
        self.n_features_in_ = X.shape[1]
        weights = np.ones(X.shape[1])
        weights[0] = self.scale
        self.components_ = np.diag(weights)
        return self


@pytest.fixture
def job(kit, tmp_path, monkeypatch):
    """Run a job on a csv with the spy; returns its rows as they were written."""
    for module in ("estimator", "protocol"):
        monkeypatch.setattr(f"metriclearn.evaluation.{module}.load_estimator", lambda method: Spy)
    Spy.seen.clear()

    def run(*overrides, path=None, **method):
        path = path or kit.write_csv(tmp_path / "toy.csv")
        config = compose_config(
            [
                "dataset=file",
                f"dataset.path={path}",
                "method=euclidean",
                "protocol.folds=3",
                "tuning=none",
                *overrides,
            ]
        )
        config["method"].update(method)
        config["out"] = str(tmp_path / "job.rows.csv")
        train(config)
        return read_rows(tmp_path / "job.rows.csv")

    return run


def test_repetitions_in_one_job_have_the_rows_of_jobs_by_themselves(job):
    both = job("repeat=1-2")
    assert [(row["repeat"], row["fold"]) for row in both] == [
        (repeat, fold) for repeat in "12" for fold in "012"
    ]
    assert len(Spy.seen) == 6 + 1  # one warm-up
    assert both == job("repeat=1") + job("repeat=2")


def test_a_repetition_that_there_is_not(job):
    with pytest.raises(PipelineError, match="repeat is 8-10, but toy has 10 repetitions"):
        job("repeat=8-10")


def test_scaling_is_fitted_on_the_training_part_only(kit, job, tmp_path):
    # One sample is far out: only where it trains may it decide the scale of the others.
    path = kit.write_csv(tmp_path / "toy.csv")
    lines = open(path).read().splitlines()
    lines[0] = "1000,1000,1000,a"
    open(path, "w").write("\n".join(lines) + "\n")
    job("protocol.scale=minmax", path=path)
    fitted = [X for X, _ in Spy.seen if len(X) == 20]
    assert len(fitted) == 3 + 1  # and the warm-up, which has all 20 samples too
    for X in fitted:
        assert X.min(axis=0).tolist() == [0, 0, 0] and X.max(axis=0).tolist() == [1, 1, 1]
    crowded = [np.sort(X[:, 0])[-2] < 0.01 for X in fitted]
    assert sorted(set(crowded)) == [False, True]


def test_medians_are_fitted_on_the_training_part_only(job, tmp_path):
    # Large values in the second half of the first feature: only where they train do they move the
    # median, which fills the gaps of the first rows.
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 2)).round(3) + 100.0 * (np.arange(30) >= 15)[:, None]
    lines = [f"{'?' if i < 3 else x},{z},{'ab'[i % 2]}" for i, (x, z) in enumerate(values)]
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(lines) + "\n")
    rows = job("dataset.missing=median", "protocol.scale=none", path=path)
    assert [row["status"] for row in rows] == ["ok"] * 3
    parts = [X for X, _ in Spy.seen if len(X) == 20]
    fills = set()
    for X in parts:
        rows_of = [int(np.flatnonzero(values[:, 1] == z)[0]) for _, z in X]
        filled = [x for (x, _), i in zip(X, rows_of, strict=True) if i < 3]
        median = np.median([values[i, 0] for i in rows_of if i >= 3])
        assert filled == [median] * len(filled)
        fills.add(median)
    assert len(fills) == 3  # another one in each fold
    rows = job("dataset.missing=median", "protocol.pca=1", path=path)
    assert [row["n_features"] for row in rows] == ["1"] * 3


# The settings of the authors' code, and a gap at which the errors no longer move.
AUTHORS = ["tuning=none", "method.C=1.0", "pairs.k=1", "method.tol=1e-6"]


@pytest.mark.parametrize(
    "method, settings, wrong",
    [
        ("euclidean", [], {"spectf_heart": 72, "satellite": 219}),  # 38.50, 10.95 %
        ("pcml", AUTHORS, {"spectf_heart": 54, "satellite": 223}),  # 28.88, 11.15 %
        ("ncml", AUTHORS, {"satellite": 222}),  # 11.10 %
    ],
)
def test_scaled_with_the_test_samples_the_papers_errors_are_reproduced_exactly(
    method, settings, wrong, tmp_path
):
    for dataset, n_wrong in wrong.items():
        words = [f"dataset={dataset}", f"method={method}", "protocol.scale=together", *settings]
        result = train(compose_config([*words, f"out={tmp_path / dataset}.rows.csv"]))
        assert [row["wrong"] for row in result.rows] == [n_wrong]


def test_pca_is_fitted_on_the_training_part_only(job):
    job("protocol.scale=none", "protocol.pca=2")
    for X, _ in Spy.seen:
        if len(X) == 20:
            assert X.shape[1] == 2
            assert np.abs(X.mean(axis=0)).max() < 1e-12
            assert abs(X[:, 0] @ X[:, 1]) < 1e-9


def test_tuning_never_sees_the_test_fold(job):
    rows = job("tuning=nested", tune={"scale": [0.0, 1.0]}, scale=1.0)
    outer = [{tuple(x) for x in X} for X, _ in Spy.seen if len(X) == 20]
    assert outer and all(len(X) <= 20 for X, _ in Spy.seen)
    assert [json.loads(row["chosen"])["scale"] in (0.0, 1.0) for row in rows] == [True] * 3
    assert all(0.0 <= float(row["tuning_error"]) <= 1.0 for row in rows)


def test_tuning_takes_the_better_value_and_the_first_of_equals(job, tmp_path):
    # The label is in the second feature; the first is noise of a larger range.
    rng = np.random.default_rng(0)
    lines = [f"{rng.uniform(-1, 1):.4f},{0.001 * (i % 2):.3f},{'ab'[i % 2]}" for i in range(60)]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(lines) + "\n")
    grid = {"scale": [1.0, 0.0]}
    rows = job("tuning=holdout", "protocol.scale=none", path=path, tune=grid, scale=1.0)
    assert [row["chosen"] for row in rows] == ['{"scale": 0.0}'] * 3
    assert [row["wrong"] for row in rows] == ["0"] * 3
    rows = job("tuning=holdout", tune={"mode": ["good", "fine"]}, mode="good")
    assert [row["chosen"] for row in rows] == ['{"mode": "good"}'] * 3


def test_rows_say_what_happened(job):
    rows = job()
    assert list(rows[0]) == ROW_COLUMNS
    assert [(r["fold"], r["status"], r["n_train"], r["n_test"]) for r in rows] == [
        ("0", "ok", "20", "10"),
        ("1", "ok", "20", "10"),
        ("2", "ok", "20", "10"),
    ]
    assert len({r["seed"] for r in rows}) == 3 and len({r["config"] for r in rows}) == 1
    assert all(float(r["error"]) == int(r["wrong"]) / 10 for r in rows)
    broken = job(mode="broken")
    assert {(r["status"], r["message"]) for r in broken} == {
        ("failed", "RuntimeError: no luck today")
    }
    slow = job("protocol.timeout=7", mode="slow")
    assert {(r["status"], r["message"]) for r in slow} == {
        ("timeout", "longer than 7 s (protocol.timeout)")
    }
    large = job(max_train=19)
    assert {r["status"] for r in large} == {"skipped"}


def test_rows_are_the_same_bytes_on_every_run(job, tmp_path):
    job()
    first = (tmp_path / "job.rows.csv").read_bytes()
    job()
    assert (tmp_path / "job.rows.csv").read_bytes() == first


def test_time_limit_stops_a_python_loop():
    with pytest.raises(FoldTimeout):
        with time_limit(0.01):
            while True:
                pass
    with time_limit(None):
        pass


def test_missing_estimator_is_unavailable(kit, tmp_path):
    path = kit.write_csv(tmp_path / "toy.csv")
    config = compose_config(["dataset=file", f"dataset.path={path}", "method=euclidean"])
    config["method"]["estimator"] = "metriclearn.nowhere.Nothing"
    config["out"] = str(tmp_path / "job.rows.csv")
    rows = train(config).rows
    assert [row["status"] for row in rows] == ["unavailable"]
    assert "cannot import metriclearn.nowhere.Nothing" in rows[0]["message"]


def test_pca_above_the_rank_is_refused(job, tmp_path):
    with pytest.raises(PipelineError, match="^the PCA dimension 4 is above the rank 3 of the trai"):
        job("protocol.pca=4")
    assert not (tmp_path / "job.rows.csv").exists()
    flat = [f"{i % 5},{i % 5},{i},{'ab'[i % 2]}" for i in range(30)]
    path = tmp_path / "flat.csv"
    path.write_text("\n".join(flat) + "\n")
    with pytest.raises(PipelineError, match="dimension 3 is above the rank 2"):
        job("protocol.pca=3", path=path)


def test_nearest_error_by_transform_and_by_distances():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 3
    model = Spy(scale=0.5).fit(X, y)

    class Distances:
        pairwise_distance = staticmethod(model.pairwise_distance)

    A, a, B, b = X[:25], y[:25], X[25:], y[25:]
    assert nearest_error(model, A, a, B, b) == nearest_error(Distances(), A, a, B, b)
    assert nearest_error(model, X, y, X, y) == 0


def test_pcml_rows_carry_the_certificate(kit, tmp_path):
    path = kit.write_csv(tmp_path / "toy.csv")
    config = compose_config(["dataset=file", f"dataset.path={path}", "tuning=none"])
    config["protocol"]["folds"], config["out"] = 2, str(tmp_path / "job.rows.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows, times, _ = train(config)
    for row, spent in zip(rows, times, strict=True):
        assert row["status"] == "ok"
        assert row["gap"] == pytest.approx(row["primal"] - row["dual"])
        assert 0 <= row["gap"] <= 1e-3 * row["primal"]
        assert row["n_pairs"] == 30 and 0 < row["n_support"] <= 30
        assert spent["fit_s"] >= spent["solve_s"] > 0


BROKEN = {
    "row": ("1,2,a\n1,a\n", "error: {path}, line 2: "),
    "label": ("1,2,a\n1,2,\n", "error: {path}, line 2: "),
    "value": ("1,2,a\n1,x,b\n", "error: {path}, line 2: "),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_csv_is_one_line(kit, kind, tmp_path):
    text, line = BROKEN[kind]
    path = tmp_path / "mine.csv"
    path.write_text(text)
    done = kit.module(tmp_path, "fetch", str(path), "note.json")
    assert done.returncode == 1
    assert done.stderr.startswith(line.format(path=path)) and done.stderr.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.csv"]


def test_command_line_runs_and_sweeps(kit, tmp_path):
    kit.write_csv(tmp_path / "toy.csv")
    done = kit.module(
        tmp_path,
        "train",
        "-m",
        "dataset=file",
        "dataset.path=toy.csv",
        "protocol.folds=2",
        "method.C=0.1,1",
        "pairs.k=1,2",
    )
    assert done.returncode == 0, done.stderr
    jobs, _, table = done.stdout.partition("\n\n")
    assert [line.split(": error ")[0].split()[-2:] for line in jobs.splitlines()] == [
        [f"method.C={C}", f"pairs.k={k}"] for C in ("0.1", "1") for k in (1, 2)
    ]
    assert table.split()[:5] == ["method.C", "pairs.k", "error", "fit", "rows"]
    assert len(table.splitlines()) == 5
    assert len(list((tmp_path / "results/jobs/toy/pcml").glob("*/repeat0.rows.csv"))) == 4
    bad = kit.module(tmp_path, "train", "method.D=1")
    assert bad.returncode == 1
    assert bad.stderr.startswith("error: unknown key method.D; keys of method are ")
    assert bad.stderr.count("\n") == 1
