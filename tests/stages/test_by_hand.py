"""What jobs print that were started by hand, and how they end."""

import sys
import warnings

import numpy as np
import pytest

from metriclearn.estimators.base import MetricLearner
from metriclearn.evaluation.engine import Result
from metriclearn.stages import _by_hand, train
from metriclearn.stages._describe import Done, line, lines


class Fails(MetricLearner):
    """Fails on parts of which ``broken`` is the label of the first sample; warns in each fit."""

    broken: set = set()

    def fit(self, X, y):
        if y[0] in self.broken:
            raise RuntimeError("no luck")
        warnings.warn(f"stopped after {np.round(X[0, 0], 6)} steps", stacklevel=2)
        self.n_features_in_ = X.shape[1]
        self.components_ = np.eye(X.shape[1])
        return self


@pytest.fixture
def command(kit, tmp_path, monkeypatch, capsys):
    """(exit code, lines of stdout, stderr) of metriclearn train on a small file."""
    monkeypatch.chdir(tmp_path)
    kit.write_csv(tmp_path / "toy.csv")

    def call(*words, method="euclidean"):
        start = ["train", "dataset=file", "dataset.path=./toy.csv", f"method={method}"]
        monkeypatch.setattr(sys, "argv", [*start, "tuning=none", "protocol.folds=3", *words])
        code = 0
        try:
            train.main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err

    return call


@pytest.fixture
def failing(monkeypatch):
    for module in ("estimator", "protocol"):
        monkeypatch.setattr(f"metriclearn.evaluation.{module}.load_estimator", lambda method: Fails)
    return lambda *labels: monkeypatch.setattr(Fails, "broken", set(labels))


def row(repeat, fold, wrong, **more):
    values = {"status": "ok", "message": "", "n_test": 10, "wrong": wrong, "error": wrong / 10}
    return {"repeat": repeat, "fold": fold, **values, **more}


def done(rows, times=(), head="toy pcml"):
    return Done(head, "40 samples", Result(rows, list(times), []), ("error",), "job.rows.csv")


def test_a_job_says_what_was_chosen_and_how_often():
    chosen = [
        '{"C": 0.1, "k": 2}',
        '{"C": 0.1, "k": 2}',
        '{"C": 0.9, "k": 1}',
        '{"C": 0.1, "k": 2}',
    ]
    warned = ["gap 0.02 after 200 steps", "gap 0.03 after 200 steps", "", "k is 2"]
    rows = [
        row(i // 2, i % 2, i, chosen=chosen[i], warnings=warned[i]) for i in range(4)
    ]  # 5 % in the first repetition, 25 % in the second
    job = done(rows, [{"fit_s": 0.5, "tune_s": 1.5}] * 4)
    assert lines(job).splitlines() == [
        "toy pcml",
        "  data      40 samples",
        "  result    error 15.00 ± 14.14 % (2 repetitions, 4 folds)",
        "  chosen    C=0.1 k=2 in 3 folds, C=0.9 k=1 in 1 fold",
        "  time      fit 0.5 s per fold; tuning 6.0 s",
        "  warning   in 2 of 4 folds: gap 0.02 after 200 steps",
        "  warning   in 1 of 4 folds: k is 2",
        "  rows      job.rows.csv, times beside them",
    ]
    assert line(job) == "toy pcml: error 15.00 ± 14.14 % in 4 folds, fit 2.0 s, tuning 6.0 s"


def test_a_job_without_a_choice_and_with_failures():
    failed = {"repeat": 0, "fold": 1, "status": "timeout", "message": "longer than 7 s"}
    text = lines(done([row(0, 0, 1), failed], [{"fit_s": 0.25}, {}])).splitlines()
    assert text[2:5] == [
        "  result    error 10.00 % (1 fold)",
        "  chosen    nothing: no parameter was tuned",
        "  no result 1 timeout (longer than 7 s), of 2 folds",
    ]


def test_the_table_of_a_sweep_is_sorted_by_error():
    jobs = [
        ({"dataset": "toy", "method.C": "1"}, done([row(0, 0, 3)], [{"fit_s": 0.5}])),
        ({"dataset": "toy", "method.C": "2"}, done([{**row(0, 0, 0), "status": "failed"}])),
        ({"dataset": "toy", "method.C": "3"}, done([row(0, 0, 1)], [{"fit_s": 1.0}])),
    ]
    assert _by_hand.sweep_table(jobs).splitlines() == [
        "method.C  error      fit    rows",
        "3         10.00 %    1 s    job.rows.csv",
        "1         30.00 %    0.5 s  job.rows.csv",
        "2         no result         job.rows.csv",
    ]


def test_a_sweep_ends_in_a_table_and_goes_on_after_a_mistake(command):
    code, out, err = command("-m", "method.C=0.1,-1,1", "pairs.k=1", method="pcml")
    assert code == 1 and len(out) == 6 and out[2] == ""
    assert out[0].startswith("dataset=file dataset.path=./toy.csv method=pcml tuning=none ")
    assert out[3].split() == ["method.C", "error", "fit", "rows"]
    assert sorted(text.split()[0] for text in out[4:]) == ["0.1", "1"]
    assert err.endswith("method=pcml: C must be a finite number > 0, got -1.\n")
    assert err.count("\n") == 1 and err.startswith("error: ")


def test_a_sweep_does_not_overwrite_its_own_rows(command, tmp_path):
    code, out, err = command("-m", "method.C=0.1,1", "pairs.k=1", "out=x.rows.csv", method="pcml")
    assert (code, err) == (
        1,
        "error: out=x.rows.csv holds the rows of an earlier job of this sweep; leave it away, and "
        "each job has a folder of its own\n",
    )
    assert "method.C=0.1 " in out[0] and len(out) == 4  # that job, and the table with it alone
    command("method.C=0.1", "pairs.k=1", "out=alone.rows.csv", method="pcml")
    assert (tmp_path / "x.rows.csv").read_bytes() == (tmp_path / "alone.rows.csv").read_bytes()


def test_a_parameter_out_of_range_is_refused_before_anything_runs(command, tmp_path):
    for words in (["method.C=-1"], ["tuning=holdout", "method.tune.C=[0.1,-1]"]):
        assert command(*words, method="pcml") == (
            1,
            [],
            "error: method=pcml: C must be a finite number > 0, got -1.\n",
        )
    assert not (tmp_path / "results").exists()


def test_no_fold_with_a_result_is_an_error_and_its_rows_are_kept(command, failing, tmp_path):
    failing(0, 1)
    code, out, err = command()
    assert (code, out[3]) == (1, "  no result 3 failed (RuntimeError: no luck), of 3 folds")
    assert err == (
        "error: toy euclidean repeat 0: no fold has a result: 3 failed (RuntimeError: no luck)\n"
    )
    assert list(tmp_path.glob("results/jobs/**/*.rows.csv"))


def test_some_folds_without_a_result_are_a_warning(command, failing):
    failing(1)  # the first sample, of class 0, is in two of three training parts
    code, out, err = command()
    assert code == 0 and "1 failed (RuntimeError: no luck), of 3 folds" in "\n".join(out)
    assert err == "warning: toy euclidean repeat 0: 1 failed (RuntimeError: no luck)\n"


def test_a_warning_of_the_estimator_is_shown_once(command, failing):
    failing()
    code, out, err = command("repeat=0-1")
    assert (code, err) == (0, "")
    assert sum("stopped after" in text for text in out) == 1
    assert any(text.startswith("  warning   in 6 of 6 folds: stopped after") for text in out)


def test_a_job_of_the_workflow_keeps_one_line_and_exit_code_0(command, failing, tmp_path):
    from metriclearn.datasets.prepared import prepared
    from metriclearn.files.store import write_arrays

    facts, arrays = prepared({"dataset": "./toy.csv", "status": "ok"})
    write_arrays(tmp_path / "toy.npz", facts, **arrays)
    failing(0, 1)
    code, out, err = command("data=toy.npz", "out=x.rows.csv")
    assert (code, err, len(out)) == (0, "", 1) and "3 failed (RuntimeError: no luck)" in out[0]
