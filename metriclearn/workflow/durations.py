"""How long jobs took, and how long the ones that are left will take."""

import csv
import math
from dataclasses import dataclass, field
from itertools import combinations

from ..experiment.config import repetitions

IGNORED_WILDCARDS = ("run", "repeat")  # they do not change how long a repetition takes


@dataclass(frozen=True)
class Job:
    """A job of the workflow: its rule, its wildcards, and the benchmark file that it writes."""

    rule: str
    wildcards: tuple[tuple[str, str], ...] = ()
    benchmark: str | None = None

    @property
    def kind(self):
        """The wildcards that decide how long it takes."""
        return tuple(pair for pair in self.wildcards if pair[0] not in IGNORED_WILDCARDS)

    @property
    def size(self):
        """How many repetitions it has."""
        return len(repetitions(dict(self.wildcards).get("repeat", 0)))

    def __str__(self):
        """As in "sonar lmnn": of the rule alone where there is nothing else to say."""
        return " ".join(value for _, value in self.kind) or self.rule


def benchmark_seconds(job):
    """Seconds that a job took when it last ran, by its benchmark file; None if there is none."""
    if job.benchmark is None:
        return None
    try:
        with open(job.benchmark, encoding="utf-8", newline="") as file:
            return float(next(csv.DictReader(file, delimiter="\t"))["s"])
    except (OSError, StopIteration, KeyError, ValueError, TypeError):
        return None


@dataclass
class Durations:
    """Mean seconds of the jobs of a rule that share some of their wildcards, per repetition."""

    sums: dict[tuple, list[float]] = field(default_factory=dict)

    def add(self, job, seconds):
        for level in _likeness(job):
            for key in level:
                entry = self.sums.setdefault(key, [0.0, 0])
                entry[0] += seconds
                entry[1] += job.size

    def expect(self, job):
        """Seconds by the jobs most like this one; None if no job of its rule is known.

        Where several sets of jobs share as many wildcards with it, say those of its data set and
        those of its method, it is the geometric mean of their means.
        """
        for level in _likeness(job):
            known = [self.sums[key] for key in level if key in self.sums]
            if known:
                logs = [math.log(max(total / count, 1e-3)) for total, count in known]
                return job.size * math.exp(sum(logs) / len(logs))
        return None

    def expect_all(self, jobs):
        """Seconds of all of them together; None while less than half of them have a like."""
        known = [seconds for job in jobs if (seconds := self.expect(job)) is not None]
        if not jobs:
            return 0.0
        return sum(known) * len(jobs) / len(known) if 2 * len(known) >= len(jobs) > 0 else None


def _likeness(job):
    """Keys of the jobs like this one, those that share most with it first."""
    for size in range(len(job.kind), -1, -1):
        yield [(job.rule, some) for some in combinations(job.kind, size)]


def in_words(seconds):
    """45 s, 12 min, 3 h 20 min, 2 d 4 h"""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours = round(minutes / 60)
    if hours < 48:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{hours // 24} d {hours % 24} h"
