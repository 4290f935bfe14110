"""Tables 6 to 9 and their curves from rows, exactly; and the plan behind them."""

import pytest

from metriclearn.datasets import DatasetError
from metriclearn.experiment import commands
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.identity import match_job
from metriclearn.experiment.image_jobs import match_words
from metriclearn.experiment.matching import matching_job
from metriclearn.experiment.run import Run
from metriclearn.files.errors import PipelineError
from metriclearn.presentation.figures.curves import mean_curve
from metriclearn.presentation.render import markdown
from metriclearn.presentation.tables import matching

ITEM = {
    "kind": "matching",
    "images": "pubfig",
    "features": ["attribute"],
    "measures": ["accuracy"],
    "methods": ["pcml", "kissme", "itml"],
    "preprocess": ["plain", "whiten"],
    "paper": "table7",
    "title": None,
}


@pytest.fixture(scope="module")
def run():
    return Run("paper")


def fold(accuracy, status="ok", message=""):
    return {"accuracy": str(accuracy), "status": status, "message": message}


def seconds(*values):
    return [{"fit_s": str(value)} for value in values]


JOBS = {
    ("pubfig", "attribute", "plain", "pcml"): ([fold(0.75), fold(0.8)], seconds(1.0, 3.0)),
    ("pubfig", "attribute", "plain", "kissme"): ([fold(0.8), fold(0.75)], seconds(0.1, 0.1)),
    ("pubfig", "attribute", "plain", "itml"): ([fold(0.7), fold(0.7)], seconds(9.0, 9.0)),
    ("pubfig", "attribute", "whiten", "pcml"): ([fold(0.8), fold(0.82)], seconds(1.0, 1.0)),
    ("pubfig", "attribute", "whiten", "kissme"): ([fold(0.8), fold(0.8)], seconds(0.1, 0.1)),
    ("pubfig", "attribute", "whiten", "itml"): (
        [fold(0.9), fold("", "timeout", "longer than 5 s")],
        seconds(9.0),
    ),
}
KEYS = ("images", "feature", "preprocess", "method")


def flat(jobs):
    """(rows, times) as they are collected: each with its job's name."""
    return tuple(
        [
            {**dict(zip(KEYS, job, strict=True)), **row}
            for job, parts in jobs.items()
            for row in parts[kind]
        ]
        for kind in (0, 1)
    )


def make(run, name, item, jobs):
    rows, times = flat(jobs)
    return matching.make(run, name, item, {"rows": rows, "times": times})


def test_cells_of_a_verification_table(run):
    cells = matching.match_cells(run, ITEM, *flat(JOBS))
    found = {(preprocess, method): cell for (_, preprocess, method, _), cell in cells.items()}
    plain = found["plain", "pcml"]
    assert plain.value == pytest.approx(77.5) and plain.paper == 79.71
    assert plain.deviation == pytest.approx(12.5**0.5) and plain.facts["fit_s"] == 2.0
    assert plain.difference == pytest.approx(77.5 - 79.71)
    assert plain.limit == pytest.approx(2 * 12.5**0.5) and plain.verdict == "reproduced"
    assert plain.facts["paper_fit_s"] == 118.55 and plain.facts["folds"] == 2
    assert found["plain", "itml"].verdict == "higher"  # 70.00 twice: no deviation at all
    assert [found["plain", m].best for m in ITEM["methods"]] == [True, True, False]  # a tie
    assert [found["whiten", m].best for m in ITEM["methods"]] == [True, False, False]
    missing = found["whiten", "itml"]  # a fold that failed is not averaged over
    assert (missing.value, missing.facts["folds"]) == (None, 1)
    assert missing.note == "1 of 2 folds timeout: longer than 5 s"
    last = make(run, "table7", ITEM, JOBS).rows[-1]
    assert last.keys == ["attribute", "attribute_classifiers"]
    assert [cell.paper for cell in last.cells] == [None, None, 78.65, None]
    assert all(cell.value is None for cell in last.cells)


def test_text_of_a_verification_table(run):
    text = markdown(make(run, "table7", ITEM, JOBS)).splitlines()
    assert text[2] == "| Feature | Method | PCA | whitened | paper | fit (s) |"
    assert text[4] == (
        "| attribute | PCML | **77.50 (−2.21 ≈)** | **81.00 (+1.29 ≈)** | 79.71 | 1, paper 119 |"
    )
    assert text[6] == (
        "| attribute | ITML | 70.00 (+0.70 ≠) | −<sup>a</sup> | 69.30 "
        "| −, paper 3,796<sup>a</sup> |"
    )
    assert text[7] == "| attribute<sup>b</sup> | Attribute Classifiers |  |  | 78.65 |  |"


def test_a_table_without_the_papers_numbers_has_no_columns_for_them(run):
    text = markdown(make(run, "x", {**ITEM, "paper": None}, JOBS))
    assert text.splitlines()[2] == "| Feature | Method | PCA | whitened | fit (s) |"
    assert text.splitlines()[4] == "| attribute | PCML | **77.50** | **81.00** | 1 |"
    assert "Reproduced" not in text


def test_a_job_without_rows_is_missing(run):
    jobs = {key: parts for key, parts in JOBS.items() if key[-1] != "kissme"}
    cells = matching.match_cells(run, ITEM, *flat(jobs))
    assert cells["attribute", "plain", "kissme", "accuracy"].note == "no rows"


def test_ranks_stand_side_by_side(run):
    item = {**run.experiment["tables"]["table8"], "methods": ["pcml"], "preprocess": ["plain"]}
    values = {"rank1": "0.2", "rank25": "0.8", "rank50": "0.9", "rank80": "1.0", "rank100": "1.0"}
    jobs = {
        ("viper", "histogram", "plain", "pcml"): (
            [{**values, "status": "ok", "message": ""}],
            seconds(0.5),
        )
    }
    text = markdown(make(run, "table8", item, jobs)).splitlines()
    assert text[2].startswith(
        "| Feature | Preprocessing | Method | rank 1 | rank 25 | rank 50 | rank 80 | rank 100 |"
    )
    assert "| **20.00 (+0.60)** | **80.00 (−0.60)** | **90.00 (−3.77)** |" in text[4]


def test_mean_curve_by_hand():
    points = [
        {"fold": f, "kind": "cmc", "x": x, "y": y}
        for f, ys in (("0", "0.2 0.4"), ("1", "0.4 0.8"))
        for x, y in zip("12", ys.split(), strict=True)
    ]
    rows = [{"status": "ok", "rank1": "0.2"}, {"status": "ok", "rank1": "0.4"}]
    curve = mean_curve(("viper", "histogram", "plain", "pcml"), "PCML", rows, points)
    assert [p["x"] for p in curve] == [1.0, 2.0]
    assert [p["y"] for p in curve] == pytest.approx([0.3, 0.6])
    assert curve[0]["std"] == pytest.approx(0.02**0.5) and curve[0]["legend"] == "30.0 %"
    bad = [{"status": "failed", "message": "no"}, rows[0]]
    (missing,) = mean_curve(("viper", "histogram", "plain", "pcml"), "PCML", bad, points)
    assert (missing["status"], missing["message"]) == ("failed", "no")


def test_plan_composes_as_the_job_does(run):
    plan = run.matches
    assert len(plan.jobs()) == len(set(plan.jobs())) == 4 * (5 * 8 + 7 + 8 + 2 * 8)
    for job in plan.jobs()[::20]:
        own = compose_config(match_words(run, *job), job=matching_job)
        assert plan.job(*job) == match_job(own)


def test_overrides_reach_matching_jobs():
    run = Run("paper", ["matching.negatives=20", "method.C=0.5"])
    plan = run.matches
    job = plan.job("viper", "histogram", "plain", "pcml")
    assert job["matching"]["negatives"] == 20 and job["method"]["C"] == 0.5
    assert "C" not in job["method"]["tune"]
    assert "method.C=0.5" not in commands.match_arguments(
        run, "viper", "histogram", "plain", "kissme"
    )
    assert run.places.match("viper", "histogram", "plain", "pcml").startswith(
        "results/paper-matching.negatives_20-method.C_0.5/match/viper-histogram/plain/"
    )


def test_mistakes_in_an_experiment_are_named():
    with pytest.raises(DatasetError, match="viper has no feature 'hog'; there are histogram"):
        Run("paper", ["experiment.tables.table8.features=[hog]"])
    with pytest.raises(PipelineError, match="figure9: unknown table 'table99'"):
        Run("paper", ["experiment.figures.figure9.table=table99"])
    with pytest.raises(PipelineError, match="table8: unknown method 'svm'"):
        Run("paper", ["experiment.tables.table8.methods=[svm]"])
