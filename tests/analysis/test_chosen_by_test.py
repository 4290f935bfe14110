"""Parameters chosen by test errors, by hand."""

import json

import pytest

from metriclearn.analysis.chosen_by_test import choose_by_test, nearest_to, summarise_by_test


def row(candidate, repeat, fold, error, *, dataset="toy", status="ok"):
    return {
        "dataset": dataset,
        "method": "pcml",
        "candidate": json.dumps(candidate),
        "repeat": str(repeat),
        "fold": str(fold),
        "status": status,
        "message": "" if status == "ok" else "no luck",
        "n_test": "10",
        "error": "" if error is None else str(error),
    }


def rows(errors, **more):
    """Two repetitions of two folds for each candidate."""
    return [
        row({"C": C}, i // 2, i % 2, error, **more)
        for C, values in errors.items()
        for i, error in enumerate(values)
    ]


def test_the_candidate_with_the_lowest_mean_error():
    grid = rows({0.1: [0.2, 0.4, 0.2, 0.2], 1.0: [0.1, 0.3, 0.2, 0.3], 10.0: [0.5, 0.1, 0.1, 0.4]})
    chosen = choose_by_test(grid)["toy", "pcml"]
    assert chosen.candidate == {"C": 1.0} and chosen.candidates == 3
    assert chosen.mean.value == pytest.approx(22.5)
    assert chosen.mean.std == pytest.approx(12.5**0.5)  # 20 and 25
    assert (chosen.mean.folds, chosen.mean.n_test) == (4, 10)


def test_the_first_of_the_grid_where_several_are_equally_good():
    # The same errors in another order: their means differ in the last bit only.
    grid = rows({1.0: [0.1, 0.3, 0.2, 0.3], 0.1: [0.3, 0.2, 0.3, 0.1], 10.0: [0.9] * 4})
    assert choose_by_test(grid)["toy", "pcml"].candidate == {"C": 1.0}
    assert choose_by_test(grid[4:8] + grid[:4])["toy", "pcml"].candidate == {"C": 0.1}


def test_a_candidate_that_failed_on_a_fold_is_out():
    grid = rows({0.1: [0.0] * 4, 1.0: [0.3] * 4})
    grid[2].update(status="failed", message="no luck", error="")
    chosen = choose_by_test(grid)["toy", "pcml"]
    assert chosen.candidate == {"C": 1.0} and chosen.mean.value == pytest.approx(30.0)
    for one in grid:
        one.update(status="timeout", message="longer than 1 s", error="")
    assert choose_by_test(grid)["toy", "pcml"].mean.note == "timeout: longer than 1 s"


def test_the_candidate_that_is_nearest_a_value():
    grid = rows({0.1: [0.2, 0.4, 0.2, 0.2], 1.0: [0.1] * 4, 10.0: [0.5] * 4, 100.0: [0.24] * 4})
    grid[-1].update(status="failed", message="no luck", error="")  # so it is not one of them
    grid += rows({0.1: [0.2] * 4}, dataset="other")
    ((key, (candidate, error)),) = nearest_to(grid, {("toy", "pcml"): 23.0}).items()
    assert key == ("toy", "pcml") and json.loads(candidate) == {"C": 0.1}
    assert error == pytest.approx(25.0)
    assert nearest_to(grid, {}) == nearest_to([], {("toy", "pcml"): 23.0}) == {}


def test_results_in_the_form_of_the_tables():
    grid = rows({0.1: [0.2] * 4}) + rows({0.1: [0.3] * 2}, dataset="half")
    unavailable = {**row({}, 0, "", None, dataset="gone", status="unavailable"), "candidate": ""}
    found = summarise_by_test(
        [*grid, unavailable], ["toy", "half", "gone", "none"], ["pcml"], lambda dataset, method: 4
    )
    means = {dataset: methods["pcml"] for dataset, methods in found.items()}
    assert means["toy"].value == pytest.approx(20.0) and means["toy"].std == pytest.approx(0.0)
    notes = ("2 of 4 folds", "unavailable: no luck", "not run")
    assert tuple(means[d].note for d in ("half", "gone", "none")) == notes
