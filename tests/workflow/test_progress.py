"""The line that a run prints now and then, from the events of snakemake's log."""

import logging
import re
from pathlib import Path

import pytest

from metriclearn.workflow.durations import Durations, Job, benchmark_seconds, in_words
from metriclearn.workflow.progress import Progress


def train(dataset, method, repeat=0, benchmark=None):
    wildcards = {"run": "paper", "dataset": dataset, "method": method, "repeat": str(repeat)}
    return Job("train", tuple(wildcards.items()), benchmark)


def wrote(path, seconds):
    Path(path).write_text(f"s\th:m:s\tmax_rss\n{seconds}\t0:00:00\t12.5\n")
    return str(path)


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.4, "0 s"),
        (89.4, "89 s"),
        (90, "2 min"),
        (3600, "60 min"),
        (7200, "2 h 0 min"),
        (12000, "3 h 20 min"),
        (187000, "2 d 4 h"),
    ],
)
def test_in_words(seconds, words):
    assert in_words(seconds) == words


def test_the_most_alike_jobs_decide():
    known = Durations()
    known.add(train("sonar", "pcml", 0), 10.0)
    known.add(train("sonar", "pcml", 1), 20.0)
    known.add(train("sonar", "lmnn", 0), 90.0)
    known.add(train("letter", "pcml", 0), 400.0)
    assert known.expect(train("sonar", "pcml", 7)) == pytest.approx(15.0)
    # Jobs of the data set take (10 + 20 + 90) / 3, those of the method 90: sqrt(400 * 90).
    assert known.expect(train("letter", "lmnn")) == pytest.approx((400.0 * 90.0) ** 0.5)
    assert known.expect(train("wine", "lmnn")) == pytest.approx(90.0)
    assert known.expect(train("wine", "nca")) == pytest.approx(520.0 / 4)
    assert known.expect(Job("table")) is None


def test_a_job_of_several_repetitions_takes_as_many_times_as_long():
    known = Durations()
    known.add(train("sonar", "pcml", "0-4"), 10.0)
    known.add(train("sonar", "pcml", 5), 2.6)
    assert known.expect(train("sonar", "pcml", 6)) == pytest.approx(12.6 / 6)
    assert known.expect(train("sonar", "pcml", "6-9")) == pytest.approx(4 * 12.6 / 6)


def test_no_estimate_while_most_jobs_are_of_an_unknown_kind():
    known = Durations()
    known.add(Job("fetch", (("dataset", "sonar"),)), 2.0)
    fetch, table = Job("fetch", (("dataset", "wine"),)), Job("table")
    assert known.expect_all([fetch, table, table]) is None
    assert known.expect_all([fetch, table]) == pytest.approx(4.0)  # the unknown is as the known
    assert known.expect_all([]) == 0.0


@pytest.mark.parametrize("text", ["", "s\th:m:s\n", "s\nNA\n", "h:m:s\n1\n"])
def test_a_benchmark_file_that_says_nothing(tmp_path, text):
    (tmp_path / "b.tsv").write_text(text)
    assert benchmark_seconds(train("a", "b", benchmark=str(tmp_path / "b.tsv"))) is None
    assert benchmark_seconds(train("a", "b", benchmark=str(tmp_path / "none.tsv"))) is None


class Listener:
    """A run with a clock of its own."""

    def __init__(self, todo, finished=()):
        self.now, self.lines = 0.0, []
        self.progress = Progress(todo, finished, clock=lambda: self.now, write=self.lines.append)

    def event(self, now, event, **fields):
        self.now = now
        self.progress.handle(logging.makeLogRecord({"event": event, **fields}))


def test_the_line(tmp_path):
    """Two at a time; jobs of 20 s: the six that are left take 60 s, less what is under way."""
    todo = {i: train("sonar", "pcml", i, str(tmp_path / f"{i}.tsv")) for i in range(8)}
    run = Listener(todo)
    run.event(0.0, "job_started", jobs=[0, 1])
    for i in (0, 1):
        wrote(tmp_path / f"{i}.tsv", 20.0)
        run.event(20.0, "job_finished", job_id=i)
    assert (
        run.lines[0] == "1 of 8 jobs done, about 60 s left; slowest sonar pcml 20 s; "
        "sonar pcml runs for 20 s"
    )
    assert len(run.lines) == 1  # the second one came too soon after the first
    assert run.progress.line() == "2 of 8 jobs done, about 60 s left; slowest sonar pcml 20 s"
    run.event(20.0, "job_started", jobs=[2, 3])
    run.now = 30.0
    assert run.progress.seconds_left() == pytest.approx((120.0 - 20.0) / 2)
    run.now = 100.0  # both are overdue: nothing is left of them, the others take their 20 s
    assert run.progress.seconds_left() == pytest.approx(4 * 20.0 / 2)


def test_jobs_of_earlier_runs_give_the_estimate(tmp_path):
    done = [train("sonar", "pcml", 0, wrote(tmp_path / "0.tsv", 500.0))]
    run = Listener({1: train("sonar", "pcml", 1), 2: Job("all")}, done)
    run.event(0.0, "job_started", jobs=[1])
    run.now = 50.0
    # Of the 500 s, and as many for the job of which nothing is known, 50 are over.
    assert run.progress.line() == "0 of 2 jobs done, about 16 min left; sonar pcml runs for 50 s"


def test_a_job_that_failed_runs_no_more():
    run = Listener({1: train("sonar", "pcml"), 2: train("sonar", "lmnn")})
    run.event(0.0, "job_started", jobs=[1, 2])
    run.event(60.0, "job_error", jobid=1)
    assert run.progress.line() == "0 of 2 jobs done; sonar lmnn runs for 60 s"


def test_the_last_job_is_always_said_and_unknown_ones_are_no_trouble():
    run = Listener({1: train("sonar", "pcml")})
    run.event(0.0, "job_started", jobs=[1, "a group of jobs"])
    run.event(1.0, "job_finished", job_id="another")
    run.event(1.0, "run_info")
    run.event(2.0, "job_finished", job_id=1)
    assert run.lines == ["1 of 1 jobs done; slowest sonar pcml 2 s"]


def test_a_real_run_says_it(finished):
    assert re.search(r"^20 of 20 jobs done; slowest \S.* \d+ (s|min)$", finished[1], re.MULTILINE)
