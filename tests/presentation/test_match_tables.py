"""Tables 6 to 9 and their curves from rows, exactly; and the plan behind them."""

import pytest

from metriclearn.datasets import DatasetError
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.match_config import MATCHING, match_job
from metriclearn.experiment.plan import Run
from metriclearn.files.errors import PipelineError
from metriclearn.presentation.figures.curves import mean_curve
from metriclearn.presentation.render import markdown
from metriclearn.presentation.tables.matching import match_rows, match_table

ITEM = {
    "kind": "matching",
    "images": "pubfig",
    "features": ["attribute"],
    "measures": ["accuracy"],
    "methods": ["pcml", "kissme", "itml"],
    "preprocess": ["plain", "whiten"],
    "paper": "table7",
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


def test_rows_of_a_verification_table(run):
    rows = {(r.get("preprocess"), r["method"]): r for r in match_rows(run, ITEM, *flat(JOBS))}
    plain = rows["plain", "pcml"]
    assert plain["ours"] == pytest.approx(77.5) and plain["paper"] == 79.71
    assert plain["std"] == pytest.approx(12.5**0.5) and plain["fit_s"] == 2.0
    assert plain["difference"] == pytest.approx(77.5 - 79.71)
    assert [rows["plain", m]["best"] for m in ITEM["methods"]] == [1, 1, 0]  # a tie
    assert [rows["whiten", m]["best"] for m in ITEM["methods"]] == [1, 0, 0]
    hole = rows["whiten", "itml"]  # a fold that failed is not averaged over
    assert (hole["ours"], hole["folds"]) == (None, 1)
    assert hole["note"] == "1 of 2 folds timeout: longer than 5 s"
    assert rows[None, "attribute_classifiers"]["paper"] == 78.65
    assert rows[None, "attribute_classifiers"].get("ours") is None


def test_text_of_a_verification_table(run):
    rows = match_rows(run, ITEM, *flat(JOBS))
    text = markdown(match_table(run, "Table 7", "table7", ITEM, rows)).splitlines()
    assert text[2] == "| Feature | Method | PCA | whitened | fit (s) | paper | paper's fit (s) |"
    assert text[4] == (
        "| attribute | PCML | **77.50 (−2.21)** | **81.00 (+1.29)** | 1 | 79.71 | 119 |"
    )
    assert text[6].startswith("| attribute | ITML | 70.00 (+0.70) | −<sup>a</sup> |  | 69.30 |")
    assert text[7].startswith("| attribute | Attribute Classifiers<sup>b</sup> |  |  |  | 78.65 |")


def test_a_table_without_the_papers_numbers_has_no_columns_for_them(run):
    item = {**ITEM, "paper": None}
    text = markdown(match_table(run, "Table x", "x", item, match_rows(run, item, *flat(JOBS))))
    assert text.splitlines()[2] == "| Feature | Method | PCA | whitened | fit (s) |"
    assert text.splitlines()[4] == "| attribute | PCML | **77.50** | **81.00** | 1 |"


def test_ranks_stand_side_by_side(run):
    item = {**run.experiment["tables"]["table8"], "methods": ["pcml"], "preprocess": ["plain"]}
    values = {"rank1": "0.2", "rank25": "0.8", "rank50": "0.9", "rank80": "1.0", "rank100": "1.0"}
    jobs = {
        ("viper", "histogram", "plain", "pcml"): (
            [{**values, "status": "ok", "message": ""}],
            seconds(0.5),
        )
    }
    rows = match_rows(run, item, *flat(jobs))
    text = markdown(match_table(run, "Table 8", "table8", item, rows)).splitlines()
    assert text[2].startswith("| Feature | Preprocessing | Method | 1 | 25 | 50 | 80 | 100 |")
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
    (hole,) = mean_curve(("viper", "histogram", "plain", "pcml"), "PCML", bad, points)
    assert (hole["status"], hole["message"]) == ("failed", "no")


def test_plan_composes_as_the_job_does(run):
    plan = run.matches
    assert len(plan.jobs()) == len(set(plan.jobs())) == 4 * (3 * 7 + 6 + 7 + 7)
    for job in plan.jobs()[::20]:
        own = compose_config(plan._words(*job), root=MATCHING)
        assert plan.job(*job) == match_job(own)


def test_overrides_reach_matching_jobs():
    run = Run("paper", ["matching.negatives=20", "method.C=0.5"])
    plan = run.matches
    job = plan.job("viper", "histogram", "plain", "pcml")
    assert job["matching"]["negatives"] == 20 and job["method"]["C"] == 0.5
    assert "C" not in job["method"]["tune"]
    assert "method.C=0.5" not in plan.arguments("viper", "histogram", "plain", "kissme")
    assert plan.rows("viper", "histogram", "plain", "pcml").startswith(
        "results/paper-matching.negatives_20-method.C_0.5/match/viper-histogram/plain/"
    )


def test_mistakes_in_an_experiment_are_named():
    with pytest.raises(DatasetError, match="viper has no feature 'hog'; there are histogram"):
        Run("paper", ["experiment.tables.table8.features=[hog]"])
    with pytest.raises(PipelineError, match="figure9: unknown table 'table99'"):
        Run("paper", ["experiment.figures.figure9.table=table99"])
    with pytest.raises(PipelineError, match="table8: unknown method 'svm'"):
        Run("paper", ["experiment.tables.table8.methods=[svm]"])
