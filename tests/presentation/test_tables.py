"""Ranks, tables and figures from rows, exactly."""

import csv

import pytest

from metriclearn.analysis.error_rates import read_paper, summarise
from metriclearn.analysis.ranks import average_ranks, complete_part, ranks
from metriclearn.presentation.render import Cell, Table, latex, markdown


def numbers(name):
    table = read_paper(name)
    printed = table.pop("average_rank")
    values = {d: {m: float(v) if v else None for m, v in row.items()} for d, row in table.items()}
    return values, {m: float(v) for m, v in printed.items()}


def test_ranks_by_hand():
    values = {"a": 2.0, "b": 1.0, "c": 2.0, "d": None, "e": 3.0}
    assert ranks(values, "min") == {"a": 2, "b": 1, "c": 2, "d": None, "e": 4}
    assert ranks(values, "average") == {"a": 2.5, "b": 1, "c": 2.5, "d": None, "e": 4}


def test_papers_average_ranks_come_back():
    values, printed = numbers("table3")
    ours = {m: round(r, 2) for m, r in average_ranks(values, "min").items()}
    assert printed.pop("lmnn") == 4.00 and ours.pop("lmnn") == 3.89  # a misprint
    assert ours == printed
    values, printed = numbers("table5")
    assert {m: round(r, 2) for m, r in average_ranks(values, "min").items()} == printed


def test_ranks_are_over_complete_data_sets():
    table = {
        "easy": {"a": 1.0, "b": 2.0, "gone": None},
        "hard": {"a": None, "b": 9.0, "gone": None},
    }
    assert complete_part(table) == {"easy": {"a": 1.0, "b": 2.0}}


def row(repeat, fold, error, status="ok", message=""):
    return {
        "dataset": "d",
        "method": "m",
        "repeat": str(repeat),
        "fold": str(fold),
        "error": str(error),
        "status": status,
        "message": message,
    }


def test_mean_over_repetitions_of_means_over_folds():
    rows = [row(0, 0, 0.1), row(0, 1, 0.3), row(1, 0, 0.2), row(1, 1, 0.6)]
    entry = summarise(rows, ["d"], ["m"], lambda d: 4)["d"]["m"]
    assert entry["error"] == pytest.approx(30.0)
    assert entry["std"] == pytest.approx(200.0**0.5)
    assert entry["folds"] == 4 and entry["note"] is None


def test_a_failed_fold_makes_a_hole_with_its_reason():
    rows = [row(0, 0, 0.1), row(0, 1, "", "failed", "ValueError: no")]
    entry = summarise(rows, ["d"], ["m"], lambda d: 2)["d"]["m"]
    assert entry["error"] is None
    assert entry["note"] == "1 of 2 folds failed: ValueError: no"
    alone = summarise([row(0, 0, 0.1)], ["d"], ["m"], lambda d: 2)["d"]["m"]
    assert (alone["error"], alone["note"]) == (None, "1 of 2 folds")
    none = summarise([row(0, 0, "", "unavailable", "no file")], ["d"], ["m"], lambda d: 2)
    assert none["d"]["m"]["note"] == "unavailable: no file"


def example():
    table = Table("A & B", "tab:x", ["Data", "PCML"])
    table.body = [[Cell("d_1"), Cell("1.00", bold=True)], [Cell("e"), Cell("−", note="50% gone")]]
    return table


def test_markdown():
    assert markdown(example()) == (
        "**A & B**\n\n| Data | PCML |\n| --- | --: |\n| d\\_1 | **1.00** |\n"
        "| e | −<sup>a</sup> |\n\n<sup>a</sup> 50% gone\n"
    )


def test_latex():
    text = latex(example())
    assert "\\caption{A \\& B}" in text
    assert "d\\_1 & \\textbf{1.00} \\\\" in text
    assert "e & $-$$^{\\mathrm{a}}$ \\\\" in text
    assert "$^{\\mathrm{a}}$ 50\\% gone" in text


def test_table_of_a_finished_run(finished):
    folder = finished[0]
    with open(folder / "results/tiny/tables/table3.csv", newline="") as file:
        table = {(r["dataset"], r["method"]): r for r in csv.DictReader(file)}
    with open(folder / "results/tiny/own.rows.csv", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["method"] == "pcml"]
    mean = 100 * sum(float(r["error"]) for r in rows) / 6
    assert float(table["toy", "pcml"]["error"]) == pytest.approx(mean)
    assert table["toy", "patient"]["error"] == table["toy", "euclidean"]["error"]
    text = (folder / "results/tiny/tables/table3.md").read_text()
    assert f"{mean:.2f}" in text
    ties = {
        t: [float(table[f"rank_{t}", m]["error"]) for m in ("euclidean", "patient")]
        for t in ("min", "average")
    }
    assert ties["average"][0] - ties["min"][0] in (0.5, 1.0)


def test_papers_numbers_cover_the_experiment(kit):
    for name, count in (("table2", 9), ("table3", 10), ("table4", 4), ("table5", 5)):
        assert len(read_paper(name)) == count
        assert (kit.root / f"conf/paper/{name}.csv").is_file()
