"""The rows behind a mean."""

from metriclearn.analysis.behind import chosen_behind, rows_behind
from metriclearn.analysis.chosen_by_test import choose_by_test

KEYS = ("dataset", "method")


def row(repeat, fold, error, chosen="{}", **more):
    head = {"dataset": "toy", "method": "pcml", "repeat": str(repeat), "fold": str(fold)}
    return {**head, "error": str(error), "chosen": chosen, "status": "ok", "message": "", **more}


def test_means_of_repetitions_and_the_most_frequent_choices():
    often, seldom = '{"C": 1.0, "k": 2}', '{"C": 0.1, "k": 1}'
    rows = [row(1, 0, 0.4, seldom), row(1, 1, 0.2, often), row(0, 0, 0.125, often)]
    rows.append({**row(0, 1, "", often), "status": "timeout"})
    assert rows_behind(rows, KEYS) == {
        ("toy", "pcml"): {
            "unit": "repetition",
            "parts": [[0, 12.5], [1, 30.0]],
            "chosen": [["C = 1.0, k = 2", 2], ["C = 0.1, k = 1", 1]],
            "folds": 3,
        }
    }


def test_each_fold_is_a_part_where_there_are_no_repetitions():
    found = rows_behind([row(0, 0, 0.1), row(0, 1, 0.2)], KEYS, over=None)["toy", "pcml"]
    assert found["unit"] == "fold" and found["parts"] == [[0, 10.0], [1, 20.0]]
    assert found["chosen"] == []  # nothing to choose
    assert rows_behind([{**row(0, 0, ""), "status": "failed"}], KEYS) == {}


def test_of_a_grid_only_the_candidate_that_test_errors_chose():
    grid = [
        row(0, fold, error, candidate=candidate)
        for candidate, errors in (('{"C": 1}', (0.3, 0.3)), ('{"C": 2}', (0.1, 0.2)))
        for fold, error in enumerate(errors)
    ]
    found = chosen_behind(grid, choose_by_test(grid))["toy", "pcml"]
    assert found["parts"] == [[0, 15.0]] and found["chosen"] == [["C = 2", 2]]
