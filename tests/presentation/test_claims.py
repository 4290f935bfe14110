"""The table of claims and the short table of errors, by hand."""

import pandas as pd
import pytest
from scipy.stats import t as student_t

from metriclearn.analysis.error_rates import Mean, mean_rates
from metriclearn.analysis.verdict import RULE
from metriclearn.experiment.run import Run
from metriclearn.presentation.kinds import inputs_of
from metriclearn.presentation.make import without_verdicts
from metriclearn.presentation.render import markdown
from metriclearn.presentation.table import Row, Table
from metriclearn.presentation.tables import claims, headline
from metriclearn.presentation.tables._common import error_cell
from metriclearn.presentation.tables._speed import speed_rows, time_remarks
from metriclearn.presentation.tables.claims import best_match_rows, ranks_row, reproduced_row

DATASETS = ("breast_tissue", "sonar")
PAPER_METHODS = ["euclidean", "lmnn", "plml", "pcml", "ncml"]


@pytest.fixture(scope="module")
def run():
    return Run("smoke", ["protocol.repeats=2", "experiment.banner=null"])


def frame(values):
    return pd.DataFrame.from_dict(values, orient="index")


def says(row):
    """(the paper, ours, holds, note) of a claim."""
    paper, ours, holds = row.cells
    return paper.value, ours.value, holds.value, ours.note


def fold(dataset, repeat, error):
    return {
        "dataset": dataset,
        "method": "pcml",
        "repeat": str(repeat),
        "status": "ok",
        "error": str(error),
    }


def test_an_error_is_reproduced_or_named(run):
    rows = [fold("sonar", 0, 0.10), fold("sonar", 1, 0.12)]
    rows += [fold("breast_tissue", 0, 0.29), fold("breast_tissue", 1, 0.31)]
    results = {d: {m: mean} for (d, m), mean in mean_rates(rows, ("dataset", "method")).items()}
    paper = frame({"sonar": {"pcml": 13.8}, "breast_tissue": {"pcml": 32.9}})  # 2 std = 2.83
    row = reproduced_row(run, "pcml", results, paper)
    note = "not reproduced: Breast Tissue 30.00 (32.90)"
    assert says(row) == ("2 data sets", "1 of 2 reproduced", "no", note)
    assert row.cells[1].facts == {"reproduced": 1, "judged": 2}
    paper.at["breast_tissue", "pcml"] = 32.8
    assert says(reproduced_row(run, "pcml", results, paper))[1:3] == ("2 of 2 reproduced", "yes")
    assert says(reproduced_row(run, "pcml", results, pd.DataFrame()))[2] == "no results"


def test_one_repetition_is_not_judged(run):
    results = {"sonar": {"pcml": Mean(11.0, folds=10)}}
    row = reproduced_row(run, "pcml", results, frame({"sonar": {"pcml": 11.0}}))
    note = "not judged, one repetition: Sonar 11.00 (11.00)"
    assert says(row) == ("1 data sets", "0 of 0 reproduced", "no results", note)


def test_a_fixed_split_is_judged_by_its_test_samples():
    run = Run("paper")
    results = {"spectf_heart": {"ncml": Mean(100 * 55 / 187, folds=1, n_test=187)}}
    for paper, holds in ((25.67, "yes"), (22.7, "no")):
        row = reproduced_row(run, "ncml", results, frame({"spectf_heart": {"ncml": paper}}))
        assert says(row)[2] == holds


def test_the_two_best_ranks(run):
    table = {
        "sonar": {"euclidean": 3.0, "pcml": 1.0, "ncml": 2.0},
        "breast_tissue": {"euclidean": 3.0, "pcml": 2.0, "ncml": 1.0},
    }
    paper, ours, holds, note = says(ranks_row(run, frame(table), frame(table)))
    assert holds == "yes" and ours == "PCML 1.50, NCML 1.50, Euclidean 3.00"
    assert paper == "PCML 1.50, NCML 1.50"
    assert note == "over 2 data sets on which every compared method has a result"
    table["sonar"] = {"euclidean": 1.0, "pcml": 2.0, "ncml": 3.0}
    table["breast_tissue"]["euclidean"] = 0.5
    assert says(ranks_row(run, frame(table), frame(table)))[2] == "no"


def test_times_against_plml(run):
    seconds = {"plml": (4.0, 40.0), "pcml": (1.0, 1.0), "ncml": (2.0, 2.0), "lmnn": (50.0, 50.0)}
    times = [
        {"dataset": dataset, "method": method, "fit_cpu_s": str(value)}
        for method, values in seconds.items()
        for dataset, value in zip(DATASETS, values, strict=True)
    ]
    pcml, ncml, order = speed_rows(run, "uci", {"pcml": 23, "ncml": 18}, times, PAPER_METHODS)
    assert says(pcml)[1:3] == ("12.6 times", "yes")
    assert says(pcml)[3].endswith("of CPU times over the data sets; ratio of their sums 22")
    assert pcml.cells[1].facts["ratio"] == pytest.approx(22.0)
    assert pcml.cells[1].facts["geometric_mean"] == pytest.approx(160**0.5)
    assert says(ncml)[1] == "6.32 times" and says(ncml)[0] == "18 times"
    assert says(order)[1:3] == ("PCML 1 s, NCML 2 s, PLML 13 s, LMNN 50 s", "yes")
    slower = [t for t in times if t["method"] != "lmnn"]
    slower += [{**t, "fit_cpu_s": "1.5", "method": "lmnn"} for t in times if t["method"] == "lmnn"]
    assert says(speed_rows(run, "uci", {}, slower, PAPER_METHODS)[-1])[2] == "no"
    times += [{**t, "fit_cpu_s": "0.5", "method": "kissme"} for t in times[:2]]
    order = speed_rows(run, "uci", {}, times, PAPER_METHODS)[-1]
    assert says(order)[2] == "yes"  # among the paper's methods
    assert says(order)[3].endswith("; not in the paper's tables: KISSME 0.5 s")
    (alone,) = speed_rows(run, "uci", {}, [], PAPER_METHODS)
    assert says(alone) == ("PCML, NCML, PLML", None, "no results", None)


def test_the_authors_times_are_quoted_as_such(run):
    how, quoted = time_remarks(run, {})
    assert how.endswith("of one thread, of the training jobs, which ran side by side.")
    assert time_remarks(run, {"timing": [{}]})[0].endswith("in jobs that ran alone.")
    assert quoted.startswith("Not measured here but quoted")
    assert quoted.endswith("theirs: PCML 1.8 on Sonar; NCML 9 on Sonar.")


def test_claims_take_the_rows_of_the_image_sets_and_the_papers_values():
    run = Run("paper")
    item = run.experiment["tables"]["claims"]
    assert claims.inputs(run, "claims", item) == inputs_of(run, "tables", "claims")
    assert claims.inputs(run, "claims", item)["lfw"] == ["results/paper/lfw.rows.csv"]
    assert claims.inputs(run, "claims", item)["timing"][0] == "results/paper/uci_timing.times.csv"
    # Tables 3 and 5; 6 to 9, the last one twice; the authors' times.
    assert len(claims.paper(run, item)) == 2 + 5 + 1


def test_the_best_on_an_image_set_with_its_certainty():
    run = Run("paper")
    table = run.experiment["tables"]["table8"]
    rates = {"ncml": (0.2, 0.2, 0.2, 0.24), "kissme": (0.22, 0.24, 0.2, 0.26)}
    rates |= dict.fromkeys(set(table["methods"]) - set(rates), (0.1, 0.1, 0.1, 0.1))
    rows = [
        {"images": "viper", "feature": "histogram", "preprocess": "chosen", "method": method}
        | {"fold": str(fold), "status": "ok", "rank1": str(rate), "n_train": "9", "n_test": "9"}
        for method, values in rates.items()
        for fold, rate in enumerate(values)
    ]
    rows = [{**row, **dict.fromkeys(table["measures"][1:], "0.5")} for row in rows]
    (row,) = best_match_rows(run, "table8", table, rows)
    paper, ours, holds, note = says(row)
    assert (paper, holds) == ("NCML 21.04", "no") and ours.startswith("KISSME 23.00, NCML 21.00, ")
    # Differences -2, -4, 0, -2: variance 8 / 3, t = -2 / sqrt((1 / 4 + 1) * 8 / 3) = -1.0954.
    assert row.cells[1].facts["difference"] == pytest.approx(-2.0)
    assert row.cells[1].facts["p"] == pytest.approx(2 * student_t(3).cdf(-(1.2**0.5)))
    assert note == (
        "NCML minus KISSME: -2.00 points, p = 0.35, they do not differ significantly "
        "(corrected resampled t-test over the folds)"
    )
    for row in rows:
        row.update(
            status="unavailable",
            message="data set viper is unavailable (cache: no a (b)); download it from c",
        )
    (row,) = best_match_rows(run, "table8", table, rows)
    assert says(row)[2:] == (
        "no results",
        "unavailable: data set viper is unavailable; download it from c",
    )


def test_a_feature_that_the_paper_lacks_is_no_claim_of_it():
    run = Run("paper")
    table = run.experiment["tables"]["table9"]
    (row,) = best_match_rows(run, "table9", table, [])
    assert row.keys == ["best_table9_gaussian"] and says(row)[2:] == ("no results", "not run")


def test_the_short_table(run):
    errors = {"euclidean": 0.13, "pcml": 0.145, "ncml": 0.2, "lmnn": 0.112, "itml": 0.3}
    rows = [
        {**fold("sonar", repeat, error + 0.005 * (2 * repeat - 1)), "method": method}
        for method, error in {**errors, "kissme": 0.05}.items()
        for repeat in range(2)
        for _ in range(2)
    ]
    item = {"kind": "headline", "group": "all"}
    table = headline.make(run, "headline", item, {"rows": rows})
    _, sonar, ranks = table.rows
    assert [cell.facts["method"] for cell in sonar.cells] == ["euclidean", "pcml", "ncml", "lmnn"]
    assert [cell.verdict == "reproduced" for cell in sonar.cells] == [True, False, False, True]
    assert [cell.best for cell in sonar.cells] == [False, False, False, True]
    assert [cell.limit for cell in sonar.cells] == pytest.approx([2**0.5] * 4)
    lines = markdown(table).splitlines()
    assert lines[2] == "| Data set | Euclidean | PCML | NCML | best of the others |"
    assert lines[4] == (
        "| Breast Tissue | −, paper 31.00<sup>a</sup> | −, paper 38.00<sup>a</sup> "
        "| −, paper 35.37<sup>a</sup> | −<sup>b</sup> |"
    )
    assert lines[5] == (
        "| Sonar | 13.00 ± 0.71 ≈ 12.98 | 14.50 ± 0.71 ≠ 12.71 | 20.00 ± 0.71 ≠ 13.29 "
        "| **LMNN 11.20 ± 0.71 ≈ 11.57** |"
    )
    # The paper's ranks are those of the same five methods on Sonar.
    assert lines[6] == (
        "| Average rank over 1 data set | 2.00, paper 4.00 | 3.00, paper 3.00 | 4.00, paper 5.00 "
        "| **LMNN 1.00, paper 1.00** |"
    )
    left_out = "Doublet-SVM and KISSME are not in the paper's Table 3, and are left out of"
    assert any(line.startswith(left_out) for line in lines)


def test_a_run_with_a_banner_judges_nothing():
    run = Run("smoke", ["protocol.repeats=2"])
    banner = run.experiment["banner"]
    assert banner.startswith("This is a smoke run: ")
    rows = [fold("sonar", 0, 0.10), fold("sonar", 1, 0.12)]
    results = {d: {m: mean} for (d, m), mean in mean_rates(rows, ("dataset", "method")).items()}
    paper = frame({"sonar": {"pcml": 11.0}})
    row = reproduced_row(run, "pcml", results, paper)
    note = "not judged, see below: Sonar 11.00 (11.00)"
    assert says(row) == ("1 data sets", "0 of 0 reproduced", "no results", note)
    cell = error_cell(results["sonar"]["pcml"], 11.0, fixed=False)
    assert cell.verdict == "reproduced"
    table = Table("t", "T.", [], [], [row, Row(["sonar"], ["Sonar"], [cell])], [RULE, "more"], "≈")
    without_verdicts(table, banner)
    assert (cell.value, cell.paper, cell.verdict, cell.limit) == (11.0, 11.0, None, None)
    assert row.cells[2].value == "not judged" and row.cells[2].facts == {"holds": None}
    assert (table.remarks, table.legend) == ([banner, "more"], "")
