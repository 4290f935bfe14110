"""Progress of a run: how far it is, about how long it will take, what is slow.

    37 of 803 jobs done, about 40 min left; slowest sonar lmnn 111 s; letter mcml runs for 12 min

It reads the events of snakemake's log, so that no job does anything for it.
"""

import logging
import sys
import threading
import time

from .durations import Durations, Job, benchmark_seconds, in_words

AT_LEAST = 15.0  # seconds between two lines
AT_MOST = 300.0  # seconds of silence while a long job runs


class Progress(logging.Handler):
    """Counts the jobs of a run by snakemake's log events, and prints a line now and then."""

    def __init__(self, todo, finished=(), *, clock=time.monotonic, write=None):
        """``todo``: {id: Job} of what will run; ``finished``: earlier jobs, for estimates."""
        super().__init__()
        self.todo, self.total = dict(todo), len(todo)
        self.running: dict = {}  # id: when it was started
        self.durations = Durations()
        self.slowest = (0.0, None)
        self.spent = 0.0  # seconds of all jobs that have ended
        self._clock, self._print = clock, write or _to_stderr
        self.started = self.printed = clock()
        for job in (*finished, *self.todo.values()):
            if (seconds := benchmark_seconds(job)) is not None:
                self.durations.add(job, seconds)

    def emit(self, record):
        try:
            self.on_event(record)
        except Exception:  # a line less is no reason for a run to fail
            self.handleError(record)

    def on_event(self, record):
        event = getattr(record, "event", None)
        if event == "job_started":
            now = self._clock()
            self.running.update({i: now for i in record.jobs if i in self.todo})
        elif event == "job_finished":
            self._finish(record.job_id)
            if not self.todo or self._clock() - self.printed >= AT_LEAST:
                self.print_status()
        elif event == "job_error":
            self.running.pop(record.jobid, None)

    def _finish(self, number):
        start = self.running.pop(number, None)
        job = self.todo.pop(number, None)
        if job is None:
            return
        seconds = benchmark_seconds(job)
        if seconds is None and start is not None:
            seconds = self._clock() - start
        if seconds is not None:
            self.durations.add(job, seconds)
            self.spent += seconds
            self.slowest = max(self.slowest, (seconds, job), key=lambda entry: entry[0])

    def print_status(self):
        self.printed = self._clock()
        self._print(self.line())

    def line(self):
        now = self._clock()
        parts = [f"{self.total - len(self.todo)} of {self.total} jobs done"]
        if self.todo:
            left = self.seconds_left()
            parts[0] += f", about {in_words(left)} left" if left is not None else ""
        if self.slowest[1] is not None:
            parts.append(f"slowest {self.slowest[1]} {in_words(self.slowest[0])}")
        if self.running:
            number, start = min(self.running.items(), key=lambda entry: entry[1])
            if now - start >= AT_LEAST:
                parts.append(f"{self.todo[number]} runs for {in_words(now - start)}")
        return "; ".join(parts)

    def seconds_left(self):
        """By jobs like those that are left, at the speed with which work was done until now."""
        now = self._clock()
        work, busy = self.durations.expect_all(list(self.todo.values())), self.spent
        elapsed = now - self.started
        if work is None or elapsed <= 0.0:
            return None
        for number, start in self.running.items():
            busy += now - start
            expected = self.durations.expect(self.todo[number])
            work -= now - start if expected is None else min(now - start, expected)
        return max(work, 0.0) * elapsed / busy if busy > 0.0 else None

    def watch(self):
        """Print after a long silence too, from a thread of its own."""

        def loop():
            while self.todo:
                time.sleep(AT_LEAST)
                self.acquire()  # no event is handled meanwhile
                try:
                    if self.todo and self._clock() - self.printed >= AT_MOST:
                        self.print_status()
                finally:
                    self.release()

        threading.Thread(target=loop, daemon=True).start()


def follow(dag, logger):
    """Print the progress of the jobs of snakemake's ``dag``."""
    jobs = {
        job: Job(
            job.rule.name,
            tuple(job.wildcards_dict.items()),
            str(job.benchmark) if job.benchmark else None,
        )
        for job in dag.jobs
    }
    todo = {job.jobid: jobs[job] for job in dag.needrun_jobs()}
    finished = [jobs[job] for job in jobs if job.jobid not in todo]
    progress = Progress(todo, finished)
    logger.addHandler(progress)
    progress.watch()


def _to_stderr(text):
    print(text, file=sys.stderr, flush=True)
