"""Tables 6 to 9 and their curves from rows, exactly; and the plan behind them."""

from types import SimpleNamespace

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
from metriclearn.presentation.tables import matching, pairwise_images

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
            {**dict(zip(KEYS, job, strict=True)), "fold": str(i), **row}
            for job, parts in jobs.items()
            for i, row in enumerate(parts[kind])
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
        "| attributes | PCML | **77.50 (−2.21 ≈)** | **81.00 (+1.29 ≈)** | 79.71 | 1, paper 119 |"
    )
    assert text[6] == (
        "| attributes | ITML | 70.00 (+0.70 ≠) | −<sup>a</sup> | 69.30 "
        "| −, paper 3,796<sup>a</sup> |"
    )
    assert text[7] == "| attributes<sup>b</sup> | Attribute Classifiers |  |  | 78.65 |  |"


def test_a_table_without_the_papers_numbers_has_no_columns_for_them(run):
    text = markdown(make(run, "x", {**ITEM, "paper": None}, JOBS))
    assert text.splitlines()[2] == "| Feature | Method | PCA | whitened | fit (s) |"
    assert text.splitlines()[4] == "| attributes | PCML | **77.50** | **81.00** | 1 |"
    assert "Reproduced" not in text


def test_a_job_without_rows_is_missing(run):
    jobs = {key: parts for key, parts in JOBS.items() if key[-1] != "kissme"}
    cells = matching.match_cells(run, ITEM, *flat(jobs))
    assert cells["attribute", "plain", "kissme", "accuracy"].note == "not run"


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


def test_a_feature_that_stands_in_is_labelled_and_beside_the_papers_numbers(run):
    item = {
        **run.experiment["tables"]["table6"],
        "features": ["attribute", "attribute30"],
        "methods": ["pcml", "doublet_svm"],
        "preprocess": ["plain"],
    }
    absent = [fold("", "unavailable", "get it")]
    jobs = {
        ("lfw", feature, "plain", method): (rows, seconds(1.0))
        for feature, rows in (("attribute", absent), ("attribute30", [fold(0.8), fold(0.85)]))
        for method in item["methods"]
    }
    table = make(run, "table6", item, jobs)
    assert [row.keys for row in table.rows] == [["attribute30", m] for m in item["methods"]]
    assert {row.titles[0] for row in table.rows} == {"attributes, 30-dimensional projection"}
    assert all("not the scores themselves" in row.note for row in table.rows)
    assert [row.cells[0].paper for row in table.rows] == [84.7, None]
    text = markdown(table)
    assert "No results for attributes: unavailable: get it." in text
    assert "Not in the paper's table: Doublet-SVM." in text


def test_the_papers_text_has_a_table_of_its_own(run):
    item = {**run.experiment["tables"]["table9_text"], "methods": ["pcml"], "preprocess": ["plain"]}
    values = {measure: "0.75" for measure in item["measures"]}
    row = {**values, "status": "ok", "message": "", "n_train": "4000"}
    jobs = {("caviar4reid", "gaussian", "plain", "pcml"): ([row, row], seconds(0.5))}
    table = make(run, "table9_text", item, jobs)
    assert table.caption.startswith(
        "Table 9, text: recognition rate (%) by rank on CAVIAR4REID; as the paper's text says: one "
        "probe image"
    )
    assert table.rows[0].cells[0].paper == 32.86 and table.rows[0].cells[0].value == 75.0
    assert [column.title for column in table.columns[:2]] == ["rank 1", "rank 5"]
    assert "A fold is trained on 4,000 pairs." in table.remarks


def test_paired_tests_between_methods_on_images(run):
    item = {"tables": ["table6", "table8"], "preprocess": ["chosen"]}
    small = SimpleNamespace(
        name="paper",
        matches=run.matches,
        title=run.title,
        methods_titles=run.methods_titles,
        experiment={
            "tables": {
                name: {
                    **run.experiment["tables"][name],
                    "features": [feature],
                    "methods": ["pcml", "kissme"],
                    "preprocess": ["chosen"],
                    "measures": [measure],
                }
                for name, feature, measure in (
                    ("table6", "attribute30", "accuracy"),
                    ("table8", "histogram", "rank1"),
                )
            }
        },
    )

    def rows(images, feature, column, n_train, n_test, **rates):
        head = {"images": images, "feature": feature, "preprocess": "chosen", "status": "ok"}
        sizes = {"n_train": str(n_train), "n_test": str(n_test), "message": ""}
        return [
            {**head, **sizes, "method": method, "fold": str(i), column: str(rate)}
            for method, values in rates.items()
            for i, rate in enumerate(values)
        ]

    pcml, kissme = [0.80, 0.82, 0.84], [0.78, 0.79, 0.80]  # differences 2, 3, 4
    collected = {
        "lfw": rows("lfw", "attribute30", "accuracy", 5400, 600, pcml=pcml, kissme=kissme),
        "viper": rows("viper", "histogram", "rank1", 632, 316, pcml=kissme, kissme=pcml),
    }
    table = pairwise_images.make(small, "pairwise_images", item, collected)
    faces, persons, counts = table.rows
    assert faces.titles[0] == "LFW, attributes, 30-dimensional projection, chosen: accuracy"
    assert "not the scores themselves" in faces.note and persons.note is None
    cell = faces.cells[1]  # against KISSME; the first column is PCML itself
    assert cell.value == pytest.approx(3.0)
    assert cell.facts["statistic"] == pytest.approx(3.0 / (1 / 3 + 1 / 9) ** 0.5)
    other = persons.cells[1]
    assert other.value == pytest.approx(-3.0)
    assert other.facts["statistic"] == pytest.approx(-3.0 / (1 / 3 + 1.0) ** 0.5)  # halves
    assert [cell.facts["outcome"], other.facts["outcome"]] == ["win", "tie"]
    assert counts.cells[1].value == "1/1/0"


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
    job = ("viper", "histogram", "plain", "pcml")
    beside = mean_curve(job, "PCML", rows, points, {"rank1": 19.4, "rank25": 80.6})
    assert [p["paper"] for p in beside] == [19.4, None]
    assert beside[0]["legend"] == "30.0 %, paper 19.4 %"
    bad = [{"status": "failed", "message": "no"}, rows[0]]
    (missing,) = mean_curve(("viper", "histogram", "plain", "pcml"), "PCML", bad, points)
    assert (missing["status"], missing["message"]) == ("failed", "no")


def test_plan_composes_as_the_job_does(run):
    plan = run.matches
    assert len(plan.jobs()) == len(set(plan.jobs())) == 5 * 8 + 7 + 8 + 2 * 8
    assert plan.preprocess(*plan.jobs()[0]) == "plain+whiten+whiten_unit+chosen"
    for job in plan.jobs()[::8]:
        own = compose_config(match_words(run, *job), job=matching_job)
        assert plan.job(*job) == match_job(own)


def test_overrides_reach_matching_jobs():
    run = Run("paper", ["matching.negatives=20", "method.C=0.5"])
    plan = run.matches
    job = plan.job("viper", "histogram", "pcml")
    assert job["matching"]["negatives"] == 20 and job["method"]["C"] == 0.5
    assert "C" not in job["method"]["tune"]
    assert "method.C=0.5" not in commands.match_arguments(run, "viper", "histogram", "kissme")
    assert run.places.match("viper", "histogram", "pcml").startswith(
        "results/paper-matching.negatives_20-method.C_0.5/match/viper-histogram/"
    )


def test_mistakes_in_an_experiment_are_named():
    with pytest.raises(DatasetError, match="viper has no feature 'hog'; there are histogram"):
        Run("paper", ["experiment.tables.table8.features=[hog]"])
    with pytest.raises(PipelineError, match="figure9: unknown table 'table99'"):
        Run("paper", ["experiment.figures.figure9.table=table99"])
    with pytest.raises(PipelineError, match="table8: unknown method 'svm'"):
        Run("paper", ["experiment.tables.table8.methods=[svm]"])
