"""Means over repetitions, average ranks, and what is complete, by hand."""

import numpy as np
import pandas as pd
import pytest

from metriclearn.analysis.error_rates import (
    Mean,
    mean_rates,
    mean_seconds,
    printed_errors,
    read_paper,
    summarise,
    value_at,
    widened,
)
from metriclearn.analysis.ranks import (
    average_ranks,
    compare_ranks,
    complete_datasets,
    complete_methods,
)
from metriclearn.files.resources import conf_dir


def frame(values):
    return pd.DataFrame.from_dict(values, orient="index").astype(float)


# Ranks ---------------------------------------------------------------------------------------


def test_ties_share_the_mean_of_their_places():
    values = frame({"d": {"a": 2.0, "b": 1.0, "c": 2.0, "d": None, "e": 3.0}})
    ranks = average_ranks(values)
    assert ranks.drop("d").to_dict() == {"a": 2.5, "b": 1.0, "c": 2.5, "e": 4.0}
    assert np.isnan(ranks["d"])  # missing: no rank


def test_papers_printed_ranks_are_those_of_the_smallest_place():
    """The paper's rule, which is not ours: the row that quotes it is explained by this."""
    for name in ("table3", "table5"):
        values = read_paper(name)
        printed = values.loc["average_rank"]
        values = values.drop(index="average_rank")
        smallest = values.rank(axis=1, method="min").mean().round(2)
        if name == "table3":
            assert printed.pop("lmnn") == 4.00 and smallest.pop("lmnn") == 3.89  # a misprint
        assert smallest.to_dict() == printed.to_dict()


def test_papers_ranks_by_the_mean_of_places():
    values = read_paper("table3").drop(index="average_rank")
    ranks = average_ranks(values).round(2).to_dict()
    assert ranks == {
        "euclidean": 5.89,
        "nca": 4.56,
        "itml": 5.56,
        "mcml": 7.61,
        "ldml": 8.5,
        "lmnn": 3.94,
        "plml": 4.39,
        "dml_eig": 7.0,
        "pcml": 3.61,
        "ncml": 3.94,
    }


def test_ranks_are_over_complete_data_sets():
    table = frame(
        {
            "easy": {"a": 1.0, "b": 2.0, "gone": None},
            "hard": {"a": None, "b": 9.0, "gone": None},
        }
    )
    assert complete_datasets(table).to_dict("index") == {"easy": {"a": 1.0, "b": 2.0}}
    assert complete_datasets(frame({"d": {"a": None}})).empty


def test_complete_methods_drop_those_with_a_missing_result():
    table = frame(
        {
            "one": {"a": 1.0, "b": 2.0},
            "two": {"a": None, "b": 3.0},
            "gone": {"a": None, "b": None},
        }
    )
    assert complete_methods(table).to_dict("index") == {"one": {"b": 2.0}, "two": {"b": 3.0}}
    gone = complete_methods(frame({"gone": {"a": None}}))
    assert (len(gone.index), len(gone.columns)) == (0, 0)


def test_papers_ranks_are_of_the_same_methods_on_the_same_data_sets():
    ours = frame({"one": {"a": 1.0, "b": 2.0, "c": 2.0}, "two": {"a": None, "b": 1.0, "c": 2.0}})
    paper = frame({"one": {"a": 5.0, "c": 3.0, "x": 1.0}, "two": {"a": 1.0, "c": 2.0, "x": 3.0}})
    assert compare_ranks(ours, paper) == (
        {"a": 1.0, "b": 2.5, "c": 2.5},
        {"a": 2.0, "c": 1.0},
        1,
    )
    assert compare_ranks(ours, pd.DataFrame())[1] == {}


# Means ---------------------------------------------------------------------------------------


def row(repeat, fold, error, status="ok", message=""):
    return {
        "dataset": "d",
        "method": "m",
        "repeat": str(repeat),
        "fold": str(fold),
        "error": str(error),
        "status": status,
        "message": message,
        "n_test": "20",
    }


def test_mean_over_repetitions_of_means_over_folds():
    rows = [row(0, 0, 0.1), row(0, 1, 0.3), row(1, 0, 0.2), row(1, 1, 0.6)]
    mean = summarise(rows, ["d"], ["m"], lambda d, m: 4)["d"]["m"]
    assert mean.value == pytest.approx(30.0)
    assert mean.std == pytest.approx(200.0**0.5)
    assert (mean.folds, mean.n_test, mean.note) == (4, 20, None)
    one = mean_rates(rows[:2], ["method"])[("m",)]
    assert one.value == pytest.approx(20.0) and one.std is None  # one repetition
    folds = mean_rates(rows[:2], ["method"], over=None)[("m",)]
    assert folds.std == pytest.approx(200.0**0.5)


def test_a_failed_fold_makes_a_missing_result_with_its_reason():
    rows = [row(0, 0, 0.1), row(0, 1, "", "failed", "ValueError: no")]
    mean = summarise(rows, ["d"], ["m"], lambda d, m: 2)["d"]["m"]
    assert mean.value is None
    assert mean.note == "1 of 2 folds failed: ValueError: no"
    alone = summarise([row(0, 0, 0.1)], ["d"], ["m"], lambda d, m: 2)["d"]["m"]
    assert (alone.value, alone.note) == (None, "1 of 2 folds")
    none = summarise([row(0, 0, "", "unavailable", "no file")], ["d"], ["m"], lambda d, m: 2)
    assert none["d"]["m"].note == "unavailable: no file"
    assert summarise([], ["d"], ["m"], lambda d, m: 2)["d"]["m"].note == "not run"


def test_a_fixed_split_has_as_many_seeds_as_its_method_needs():
    rows = [row(seed, 0, error) for seed, error in enumerate([0.1, 0.2, 0.3])]
    rows += [{**row(0, 0, 0.4), "method": "untuned"}]
    seeds = {"m": 3, "untuned": 1}

    def means(rows):
        return summarise(rows, ["d"], list(seeds), lambda d, method: seeds[method])["d"]

    whole = means(rows)
    assert whole["m"].std == pytest.approx(10.0) and whole["untuned"].value == pytest.approx(40.0)
    assert means(rows[1:])["m"].note == "2 of 3 folds"


def test_printed_errors_have_two_decimals_and_gaps():
    rows = [row(0, 0, 0.12346)]
    errors = printed_errors(summarise(rows, ["d", "e"], ["m"], lambda d, m: 1))
    assert errors.at["d", "m"] == 12.35 and np.isnan(errors.at["e", "m"])


def test_two_repetitions_take_the_deviation_of_ten_if_it_is_larger():
    ours = {"a": {"m": Mean(20.0, 0.5, 100), "n": Mean(20.0, 0.1, 100), "o": Mean(folds=50)}}
    few = {"a": {"m": Mean(19.0, 0.2, 20), "n": Mean(19.0, 0.2, 20), "o": Mean(19.0, 0.2, 20)}}
    stds = {method: mean.std for method, mean in widened(few, ours)["a"].items()}
    assert stds == {"m": 0.5, "n": 0.2, "o": 0.2}
    as_many = {"a": {"m": Mean(19.0, 0.2, 100)}}
    missing = {"a": {"m": Mean(folds=3, note="3 of 20 folds")}}
    assert widened(as_many, ours) == as_many and widened(missing, ours) == missing


def test_mean_seconds_leave_out_folds_without_a_time():
    times = [{"method": "m", "fit_s": text} for text in ("1.0", "3.0", "")]
    assert mean_seconds(times, ["method"], "fit_s") == {"m": 2.0}
    assert mean_seconds(times[2:], ["method"], "fit_s") == {}


# The paper's values -----------------------------------------------------------------------------


def test_papers_numbers_cover_the_experiment():
    for name, count in (("table2", 9), ("table3", 10), ("table4", 4), ("table5", 5)):
        assert len(read_paper(name)) == count
        assert (conf_dir() / f"paper/{name}.csv").is_file()


def test_a_value_of_the_paper_or_none():
    paper = read_paper("table5")
    assert value_at(paper, "mnist", "pcml") == 3.85
    assert value_at(paper, "mnist", "mcml") is None  # the paper has none
    assert value_at(paper, "mnist", "kissme") is None
    assert value_at(paper, "sonar", "pcml") is None
