"""The table of tests on each data set: two methods on the same folds."""

from types import SimpleNamespace

import pytest

from metriclearn.presentation.render import markdown
from metriclearn.presentation.tables.pairwise import (
    ONE_SPLIT,
    SEEDS,
    pairwise_rows,
    pairwise_table,
)

ITEM = {"group": "all"}

TITLES = {
    "pcml": "PCML",
    "ncml": "NCML",
    "nca": "NCA",
    "cross": "Cross",
    "fixed": "Fixed",
    "gone": "Gone",
}
PCML_FOLDS = [0.10, 0.12, 0.11, 0.09, 0.10, 0.11]
FOLDS = {
    ("cross", "pcml"): PCML_FOLDS,
    ("cross", "ncml"): [0.11, 0.11, 0.12, 0.08, 0.10, 0.10],
    ("cross", "nca"): [e + 0.3 + d for e, d in zip(PCML_FOLDS, [0.0, 0.01] * 3, strict=True)],
    ("fixed", "pcml"): [0.2],
    ("fixed", "ncml"): [0.25],
    ("fixed", "nca"): "timeout: slow",
    **{("gone", method): "unavailable: no file" for method in ("pcml", "ncml", "nca")},
}


@pytest.fixture
def pairs():
    run = SimpleNamespace(
        experiment={"tables": {}},
        methods=["nca", "pcml", "ncml"],
        group=lambda g: datasets,
        datasets={"cross": {"fixed": False}, "fixed": {"fixed": True}, "gone": {"fixed": True}},
        protocol={"folds": 3, "use_folds": None},
        repeats=lambda d, method: 2 if d == "cross" else 1,
    )
    datasets = list(run.datasets)
    rows = []
    for (dataset, method), errors in FOLDS.items():
        head = {"dataset": dataset, "method": method, "n_train": "40", "n_test": "20"}
        if isinstance(errors, str):
            status, message = errors.split(": ")
            rows.append({**head, "repeat": "0", "fold": "0", "status": status, "message": message})
            continue
        for i, error in enumerate(errors):
            rows.append(
                {
                    **head,
                    "repeat": str(i // 3),
                    "fold": str(i % 3),
                    "status": "ok",
                    "message": "",
                    "error": str(error),
                }
            )
    return pairwise_rows(run, ITEM, rows[::-1], TITLES)


def test_pairwise_compares_fold_by_fold_whatever_the_order_of_the_rows():
    run = SimpleNamespace(
        experiment={"tables": {}},
        methods=["nca", "pcml"],
        group=lambda g: ["cross"],
        datasets={"cross": {"fixed": False}},
        protocol={"folds": 2, "use_folds": None},
        repeats=lambda d, method: 1,
    )
    rows = [
        {
            "dataset": "cross",
            "method": method,
            "repeat": str(repeat),
            "fold": str(fold),
            "status": "ok",
            "error": str(error),
            "n_train": "40",
            "n_test": "20",
        }
        for method, repeat, fold, error in [
            ("pcml", 0, 0, 0.1),
            ("pcml", 0, 1, 0.2),
            ("nca", 0, 1, 0.4),
            ("nca", 0, 0, 0.2),
        ]
    ]
    (row,) = pairwise_rows(run, ITEM, rows, TITLES)
    assert (row["folds"], row["difference"]) == (2, pytest.approx(-15.0))
    # Differences -10 and -20: variance 50; 1/2 + 20/40 = 1.
    assert row["statistic"] == pytest.approx(-15.0 / 50.0**0.5)


def test_seeds_of_tuning_on_a_fixed_split_are_compared_by_their_means_and_not_tested():
    run = SimpleNamespace(
        experiment={"tables": {}},
        methods=["nca", "pcml"],
        group=lambda g: ["fixed"],
        protocol={"folds": 10, "use_folds": None},
        datasets={"fixed": {"fixed": True}},
        repeats=lambda dataset, method: {"nca": 1, "pcml": 2}[method],
    )
    head = {"dataset": "fixed", "fold": "0", "status": "ok", "n_train": "40", "n_test": "20"}
    errors = [("pcml", 0.1), ("pcml", 0.2), ("nca", 0.2)]  # NCA with nothing to choose: one seed
    rows = [
        {**head, "method": method, "repeat": str(i % 2), "error": str(error)}
        for i, (method, error) in enumerate(errors)
    ]
    (row,) = pairwise_rows(run, ITEM, rows, TITLES)
    assert row["difference"] == pytest.approx(-5.0) and row["note"] == SEEDS and "p" not in row
    assert pairwise_table([row], TITLES).rows[0].note == SEEDS


def test_pairwise_rows(pairs):
    found = {(r["dataset"], r["method_a"], r["method_b"]): r for r in pairs}
    datasets = ("cross", "fixed", "gone")
    compared = (("pcml", "nca"), ("pcml", "ncml"), ("ncml", "nca"))
    assert list(found) == [(dataset, *pair) for dataset in datasets for pair in compared]
    win = found["cross", "pcml", "nca"]
    assert (win["outcome"], win["folds"], win["significant"]) == ("win", 6, 1)
    assert win["difference"] == pytest.approx(-30.5)
    # Differences -30 and -31 by turns: variance 0.3; 1/6 + 20/40 = 2/3.
    assert win["statistic"] == pytest.approx(-30.5 / (0.3 * 2 / 3) ** 0.5)
    assert win["p_holm"] == pytest.approx(3 * win["p"])  # the smallest of three
    tie = found["cross", "pcml", "ncml"]
    assert (tie["outcome"], tie["significant"]) == ("tie", 0)
    assert found["fixed", "pcml", "ncml"]["difference"] == pytest.approx(-5.0)
    assert found["fixed", "pcml", "ncml"]["note"] == ONE_SPLIT
    assert found["fixed", "pcml", "nca"]["note"] == "NCA: timeout: slow"
    assert not any("p" in row for row in pairs if row["dataset"] == "fixed")
    assert {row["note"] for row in pairs if row["dataset"] == "gone"} == {"unavailable: no file"}


def test_pairwise_table(pairs):
    table = pairwise_table(pairs, TITLES)
    assert markdown(table).splitlines()[2:12] == [
        "| Data set | Method | PCML | NCML | NCA |",
        "| --- | --- | --: | --: | --: |",
        "| Cross | PCML |  | +0.17 | **−30.50** |",
        "| Cross | NCML | −0.17 |  | **−30.67** |",
        "| Fixed<sup>a</sup> | PCML |  | −5.00 | −<sup>b</sup> |",
        "| Fixed<sup>a</sup> | NCML | +5.00 |  | −<sup>b</sup> |",
        "| Gone | PCML |  | −<sup>c</sup> | −<sup>c</sup> |",
        "| Gone | NCML | −<sup>c</sup> |  | −<sup>c</sup> |",
        "| Wins/ties/losses | PCML |  | 0/1/0 | 1/0/0 |",
        "| Wins/ties/losses | NCML | 0/1/0 |  | 1/0/0 |",
    ]
    pcml, ncml = (table.rows[i].cells for i in range(2))
    assert pcml[1].facts["statistic"] == -ncml[0].facts["statistic"]  # seen from the other
    assert pcml[2].facts["outcome"] == "win" and pcml[2].facts["folds"] == 6
