"""Tables 2 to 5 from rows, exactly."""

import csv
import json

import pytest

from metriclearn.experiment.run import Run
from metriclearn.presentation.render import markdown
from metriclearn.presentation.table import Table
from metriclearn.presentation.tables import datasets, errors
from metriclearn.stages.collect import DATA_COLUMNS


def cells(table):
    return {
        (*row.keys, column.key): cell
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    }


def data_row(dataset, title, **facts):
    return {**dict.fromkeys(DATA_COLUMNS, ""), "dataset": dataset, "title": title, **facts}


# The data sets ----------------------------------------------------------------------------------


def test_counts_beside_the_papers():
    run = Run("paper")
    item = run.experiment["tables"]["table4"]
    counts = {"status": "ok", "n_train": "7291", "n_test": "2000", "n_features": "256"}
    rows = [
        data_row("usps", "USPS", **counts, pca="100", n_classes="10"),
        data_row("pendigits", "PenDigits", **{**counts, "n_test": "3498"}, n_classes="10"),
        data_row("semeion", "Semeion", status="unavailable", message="no file"),
    ]
    table = datasets.make(run, "table4", item, {"data": rows})
    found = cells(table)
    usps = found["usps", "n_test"]
    assert (usps.value, usps.paper, usps.difference, usps.verdict) == (2000, 2007, -7, None)
    assert found["pendigits", "pca"].value == "none"
    semeion = found["semeion", "n_train"]
    assert (semeion.value, semeion.paper, semeion.note) == (None, 1434, "no file")
    lines = markdown(table).splitlines()
    assert lines[4] == "| USPS | 7,291 | 2,000, paper 2,007 | 256 | 100 | 10 |"
    assert lines[5].endswith("| 3,498 | 256, paper 16 | none | 10 |")
    assert lines[6].startswith("| Semeion | −, paper 1,434<sup>a</sup> |")
    uci = datasets.make(run, "table2", {**item, "paper": None}, {"data": rows[2:]})
    assert "pca" not in [column.key for column in uci.columns]  # no data set of it has any


# Errors -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table3():
    """Two data sets of Table 3: Sonar by 2 × 2 folds, SPECTF Heart with its fixed split."""
    run = Run("paper", ["protocol.repeats=2", "protocol.folds=2"])
    sonar = {"euclidean": 0.13, "pcml": 0.145, "ncml": 0.2, "kissme": 0.1}
    rows = [
        {
            "dataset": "sonar",
            "method": method,
            "repeat": str(repeat),
            "fold": str(fold),
            "error": str(error + 0.005 * (2 * repeat - 1)),
            "status": "ok",
            "message": "",
            "n_test": "20",
        }
        for method, error in sonar.items()
        for repeat in range(2)
        for fold in range(2)
    ]
    spectf = {"euclidean": 77, "pcml": 77, "ncml": 90, "kissme": 30}  # wrong of 187
    rows += [
        {
            **rows[0],
            "dataset": "spectf_heart",
            "method": method,
            "repeat": str(seed),
            "error": str(wrong / 187),
            "n_test": "187",
        }
        for method, wrong in spectf.items()
        for seed in range(1 if method == "euclidean" else 2)  # it has nothing to choose
    ]
    data = [data_row("sonar", "Sonar"), data_row("spectf_heart", "SPECTF Heart")]
    item = run.experiment["tables"]["table3"]
    return errors.make(run, "table3", item, {"rows": rows, "data": data})


def test_errors_are_judged_by_their_deviation(table3):
    found = cells(table3)
    sonar = found["sonar", "pcml"]
    assert sonar.value == pytest.approx(14.5) and sonar.paper == 12.71
    assert sonar.deviation == pytest.approx(0.5**0.5) and sonar.limit == pytest.approx(2**0.5)
    assert (sonar.verdict, sonar.facts["folds"]) == ("higher", 4)
    assert found["sonar", "euclidean"].verdict == "reproduced"
    fixed = found["spectf_heart", "pcml"]  # 41.18; the paper has 28.88
    assert fixed.deviation == pytest.approx(3.5990, abs=1e-4)
    assert fixed.limit == pytest.approx(7.1980, abs=2e-4) and fixed.verdict == "higher"
    assert fixed.facts == {"folds": 2, "n_test": 187}
    assert found["spectf_heart", "euclidean"].verdict == "reproduced"  # 38.50
    extra = found["sonar", "kissme"]
    assert (extra.paper, extra.verdict, extra.best) == (None, None, True)
    missing = found["sonar", "nca"]
    assert (missing.value, missing.paper, missing.note) == (None, 15.4, "not run")


def test_a_fixed_split_has_its_mean_over_seeds_of_tuning():
    run = Run("paper", ["experiment.methods=[euclidean,pcml]", "protocol.repeats=2"])
    wrong = {"euclidean": [77], "pcml": [50, 70]}  # of 187; Euclidean has nothing to choose
    rows = [
        {
            "dataset": "spectf_heart",
            "method": method,
            "repeat": str(seed),
            "fold": "0",
            "error": str(count / 187),
            "status": "ok",
            "message": "",
            "n_train": "80",
            "n_test": "187",
            "n_tune": "60" if method == "pcml" else "",
            "edge": "C" if (method, seed) == ("pcml", 1) else "",
        }
        for method, counts in wrong.items()
        for seed, count in enumerate(counts)
    ]
    item = run.experiment["tables"]["table3"]
    data = [data_row("spectf_heart", "SPECTF Heart")]
    table = errors.make(run, "table3", item, {"rows": rows, "data": data})
    pcml = cells(table)["spectf_heart", "pcml"]
    assert pcml.value == pytest.approx(100 * 60 / 187)
    assert pcml.deviation == pytest.approx(100 * 200**0.5 / 187)  # the binomial one is 3.41
    assert pcml.facts == {"folds": 2, "n_test": 187} and pcml.verdict == "reproduced"
    assert cells(table)["spectf_heart", "euclidean"].deviation == pytest.approx(3.5990, abs=1e-4)
    text = " ".join(table.remarks)
    assert "one for a method with nothing to choose (SPECTF Heart 2)." in text
    assert "for time: PCML on SPECTF Heart 60 of 80." in text
    assert "at the end of those tried was chosen: PCML 50.0%." in text


def test_average_ranks_share_places_and_the_papers_are_quoted(table3):
    found = cells(table3)
    ours = [found["average_rank", m].value for m in ("euclidean", "pcml", "ncml")]
    assert ours == [1.25, 1.75, 3.0]  # Euclidean and PCML tie on SPECTF Heart
    papers = [found["average_rank", m].paper for m in ("euclidean", "pcml", "ncml")]
    assert papers == [2.5, 1.5, 2.0]  # 12.98, 12.71, 13.29; 38.50, 28.88, 25.67
    assert [found["average_rank", m].best for m in ("euclidean", "pcml")] == [True, False]
    assert found["average_rank", "kissme"].value is None
    assert found["average_rank", "pcml"].verdict is None
    printed = found["average_rank_printed", "lmnn"]
    assert (printed.value, printed.paper) == (None, 4.0)


def test_text_of_the_errors(table3):
    lines = markdown(table3).splitlines()
    assert lines[4].startswith("| Sonar | ours | 13.00 | −<sup>a</sup> |")
    assert lines[5].startswith("|  | paper | ≈ 12.98 | 15.40 |")
    assert lines[6].startswith("|  | difference | +0.02 |  |")
    (title,) = [line for line in lines if line.startswith("| Average rank as")]
    assert title.startswith("| Average rank as the paper prints it | paper | 5.78 | 4.56 |")
    text = "\n".join(lines)
    assert "KISSME are not in the paper's Table 3, and are left out of the average ranks." in text
    assert "Reproduced: our value" in text and "over 2 of 2 data sets" in text


def test_table_of_a_finished_run(finished):
    folder = finished[0]
    with open(folder / "results/tiny/tables/table3.csv", newline="") as file:
        table = {(r["dataset"], r["column"]): r for r in csv.DictReader(file)}
    with open(folder / "results/tiny/own.rows.csv", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["method"] == "pcml"]
    mean = 100 * sum(float(r["error"]) for r in rows) / 6
    assert float(table["toy", "pcml"]["value"]) == pytest.approx(mean)
    assert table["toy", "patient"]["value"] == table["toy", "euclidean"]["value"]
    text = (folder / "results/tiny/tables/table3.md").read_text()
    assert f"{mean:.2f}" in text
    ranks = [float(table["average_rank", m]["value"]) for m in ("euclidean", "patient")]
    assert ranks[0] == ranks[1] and ranks[0] in (1.5, 2.0, 2.5)  # a tie shares its places
    saved = json.loads((folder / "results/tiny/tables/table3.json").read_text())
    assert markdown(Table.from_dict(saved)) == text
