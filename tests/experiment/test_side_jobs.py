"""Grids and timings of a run: which jobs there are, and what their rows depend on."""

import pytest

from metriclearn.experiment.budget import grid_minutes, train_minutes
from metriclearn.experiment.run import Run


@pytest.fixture(scope="module")
def run():
    return Run("paper", ["experiment.grid_repeats.small=4", "experiment.grid_repeats.large=2"])


def test_repetitions_by_the_size_of_a_data_set(run):
    names = ("sonar", "segmentation", "semeion", "letter")
    repeats = {name: run.side.grid_repeats(name) for name in names}
    # 12,480, 43,890 and 407,808 values; Letter has a fixed split
    assert repeats == {"sonar": 4, "segmentation": 2, "semeion": 2, "letter": 1}
    # nothing to choose: one candidate, on as many repetitions as a small set has
    alone = {method: run.side.grid_repeats("semeion", method) for method in ("euclidean", "pcml")}
    assert alone == {"euclidean": 4, "pcml": 2}
    assert run.side.grid_repeats("letter", "euclidean") == 1
    assert Run("paper", ["protocol.repeats=3"]).side.grid_repeats("sonar") == 3


def test_jobs_are_collected_by_group(run):
    assert run.side.groups() == ["uci_grid", "digits_grid", "uci_timing", "digits_timing"]
    assert set(run.side.groups()) <= set(run.groups())
    assert set(run.collected("uci_grid")) == {"rows", "times"}
    folder = f"results/{run.name}"
    rows = run.group_rows("digits_grid")
    assert f"{folder}/grid/pendigits/pcml/repeat0.rows.csv" in rows
    semeion = f"{folder}/grid/semeion/pcml/repeat0-1.rows.csv"
    assert [path for path in rows if "/semeion/pcml/" in path] == [semeion]
    assert run.group_rows("uci_timing")[0] == f"{folder}/timing/breast_tissue.rows.csv"
    grids = [f"{folder}/{group}_grid.rows.csv" for group in ("uci", "digits")]
    assert run.side.grids("all") == {"grid": grids}
    assert run.side.timings("uci") == {
        "timing_rows": [f"{folder}/uci_timing.rows.csv"],
        "timing": [f"{folder}/uci_timing.times.csv"],
    }


def test_an_experiment_without_them_has_none():
    run = Run("simulated")
    assert run.side.groups() == [] and run.side.grids("all") == {"grid": []}
    assert run.side.timings("all") == {"timing_rows": [], "timing": []}


def test_a_grid_does_not_depend_on_the_tuning(run):
    job = run.side.grid_job("sonar", "pcml")
    assert job["protocol"]["scale"] == "together" and job["tuning"]["kind"] == "grid"
    assert job == Run("paper", ["tuning=holdout"]).side.grid_job("sonar", "pcml")
    assert job != Run("paper", ["method.tol=0.1"]).side.grid_job("sonar", "pcml")


def test_times_depend_on_no_grid(run):
    jobs = run.side.timing_config("sonar")["jobs"]
    assert len(jobs) == len(run.methods)
    assert all(job["tuning"] == {"kind": "none"} and not job["method"]["tune"] for job in jobs)


def test_the_limit_of_a_fold_holds_for_each_candidate(run):
    facts, protocol = run.datasets["letter"], {**run.protocol, "timeout": 600}
    method = {"tune": {"C": [0.1, 1.0, 10.0], "k": [1, 2]}}
    assert grid_minutes(facts, protocol, method, 1) == 70
    assert train_minutes(facts, protocol, 1) == 20
    assert grid_minutes(facts, {**protocol, "timeout": None}, method, 1) == 24 * 60
