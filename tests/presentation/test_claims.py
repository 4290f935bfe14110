"""The table of claims and the short table of the README, by hand."""

import pytest

from metriclearn.analysis.error_rates import tolerance
from metriclearn.experiment.run import Run
from metriclearn.presentation.render import markdown
from metriclearn.presentation.tables.claims import _best_ranks, _comes_back, _fast
from metriclearn.presentation.tables.headline import headline_rows, headline_table

DATASETS = ("breast_tissue", "sonar")


@pytest.fixture(scope="module")
def run():
    return Run("smoke")


def test_half_a_point_or_two_deviations():
    assert tolerance(None) == tolerance(0.2) == 0.5
    assert tolerance(0.75) == 1.5


def fold(dataset, repeat, error):
    return {
        "dataset": dataset,
        "method": "pcml",
        "repeat": str(repeat),
        "status": "ok",
        "error": str(error),
    }


def test_an_error_comes_back_or_is_named(run):
    rows = [fold("sonar", 0, 0.10), fold("sonar", 1, 0.12), fold("breast_tissue", 0, 0.30)]
    ours = {"sonar": {"pcml": 11.0}, "breast_tissue": {"pcml": 30.0}}
    theirs = {"sonar": {"pcml": 13.8}, "breast_tissue": {"pcml": 30.51}}  # 2 std = 2.83; 0.5
    row = _comes_back(run, "pcml", rows, ours, theirs)
    assert (row["ours"], row["holds"]) == ("1 of 2 come back", 0)
    assert row["note"] == "not: Breast Tissue 30.00 (30.51)"
    theirs["breast_tissue"]["pcml"] = 30.5
    assert _comes_back(run, "pcml", rows, ours, theirs)["holds"] == 1
    assert _comes_back(run, "pcml", rows, ours, {})["holds"] is None


def test_the_two_best_ranks(run):
    table = {
        "sonar": {"euclidean": 3.0, "pcml": 1.0, "ncml": 2.0},
        "breast_tissue": {"euclidean": 3.0, "pcml": 2.0, "ncml": 1.0},
    }
    row = _best_ranks(run, table, table)
    assert row["holds"] == 1 and row["ours"] == "PCML 1.50, NCML 1.50, Euclidean 3.00"
    table["sonar"] = {"euclidean": 1.0, "pcml": 2.0, "ncml": 3.0}
    table["breast_tissue"]["euclidean"] = 0.5
    assert _best_ranks(run, table, table)["holds"] == 0


def test_times_against_plml(run):
    seconds = {"plml": (4.0, 40.0), "pcml": (1.0, 1.0), "ncml": (2.0, 2.0), "lmnn": (50.0, 50.0)}
    times = [
        {"dataset": dataset, "method": method, "fit_cpu_s": str(value)}
        for method, values in seconds.items()
        for dataset, value in zip(DATASETS, values, strict=True)
    ]
    pcml, ncml, order = _fast(run, "uci", {"pcml": 23, "ncml": 18}, times)
    assert (pcml["ours"], pcml["holds"]) == ("22 times", 1)
    assert pcml["note"] == "ratio of the mean CPU times; geometric mean 12.6"
    assert ncml["ours"] == "11 times" and ncml["paper"] == "18 times"
    assert order["ours"] == "PCML 1 s, NCML 2 s, PLML 22 s, LMNN 50 s" and order["holds"] == 1
    slower = [t for t in times if t["method"] != "lmnn"]
    slower += [{**t, "fit_cpu_s": "1.5", "method": "lmnn"} for t in times if t["method"] == "lmnn"]
    assert list(_fast(run, "uci", {}, slower))[-1]["holds"] == 0


def test_the_short_table(run):
    errors = {"euclidean": 0.13, "pcml": 0.145, "ncml": 0.2, "lmnn": 0.112, "itml": 0.3}
    rows = [
        {**fold("sonar", 0, error), "method": method}
        for method, error in errors.items()
        for _ in range(2)
    ]
    made = headline_rows(run, {"kind": "headline", "group": "all"}, rows)
    sonar = {row["method"]: row for row in made if row["dataset"] == "sonar"}
    assert list(sonar) == ["euclidean", "pcml", "ncml", "lmnn"]
    assert [row["comes_back"] for row in sonar.values()] == [1, 0, 0, 1]
    assert [row["best"] for row in sonar.values()] == [0, 0, 0, 1]
    lines = markdown(headline_table(run, "Headline", "headline", made)).splitlines()
    assert lines[2] == "| Data set | Euclidean | PCML | NCML | best of the others |"
    assert lines[4] == ("| Breast Tissue | −<sup>a</sup> | −<sup>a</sup> | −<sup>a</sup> | − |")
    assert lines[5] == (
        "| Sonar | 13.00 ≈ 12.98 | 14.50 ≠ 12.71 | 20.00 ≠ 13.29 | **LMNN 11.20 ≈ 11.57** |"
    )
    assert lines[6] == (
        "| Average rank over 1 data sets | 2.00, paper 5.78 | 3.00, paper 3.56 | 4.00, paper 3.89 "
        "| **LMNN 1.00, paper 3.89** |"
    )
