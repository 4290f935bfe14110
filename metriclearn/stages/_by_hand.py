"""Jobs that were started by hand: printed for people, a sweep (``-m``) with a table at its end."""

import sys
from collections import Counter

from ..experiment.compose import SWEEP, job_overrides
from ..files.errors import PipelineError
from ._describe import folds_text, line, lines, percent

WITHOUT_RESULT = {"failed", "timeout"}  # not skipped or unavailable, which say why and are no error


class ByHand:
    """Prints the jobs of a command line."""

    def __init__(self):
        self.sweep = any(word in SWEEP for word in sys.argv[1:])
        self.jobs = []  # (overrides, Done)

    def show(self, done):
        """Print a job; one that failed in every fold is an error, in some a warning."""
        overrides = job_overrides() if self.sweep else {}
        if self.sweep:
            done.head = " ".join(f"{key}={value}" for key, value in overrides.items())
        self.jobs.append((overrides, done))
        print(line(done) if self.sweep else lines(done), flush=True)
        if not {row["status"] for row in done.result.rows} & WITHOUT_RESULT:
            return
        if not done.good():
            raise PipelineError(f"{done.head}: no fold has a result: {done.failures()}")
        print(f"warning: {done.head}: {done.failures()}", file=sys.stderr)

    def end(self):
        """After a sweep: one table, and every warning once."""
        if not self.sweep or not self.jobs:
            return
        print(f"\n{sweep_table(self.jobs)}", flush=True)
        found = Counter()
        for _, done in self.jobs:
            found.update(done.warnings())
        for text, count in found.items():
            print(f"warning: in {folds_text(count)}: {text}", file=sys.stderr)


def sweep_table(jobs):
    """A line per job, the best first; ``jobs`` are ({key: value} of its overrides, Done)."""
    varied = _varied([overrides for overrides, _ in jobs])
    measure = next((key for _, done in jobs for key in done.known()), "result")
    table = []
    for overrides, done in jobs:
        order, result, fit = float("inf"), "no result", ""
        if good := done.good():
            value = done.value(measure)
            order = value[0] if measure == "error" else -value[0]
            result, fit = percent(*value), f"{done.seconds('fit_s') / len(good):.3g} s"
        settings = [overrides.get(key, "") for key in varied]
        table.append((order, [*settings, result, fit, done.out]))
    table.sort(key=lambda entry: entry[0])
    return _aligned([[*varied, measure, "fit", "rows"], *(cells for _, cells in table)])


def _varied(overrides):
    """The keys whose values differ between the jobs; all of them if none does."""
    keys = list(dict.fromkeys(key for one in overrides for key in one))
    return [key for key in keys if len({one.get(key) for one in overrides}) > 1] or keys


def _aligned(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
