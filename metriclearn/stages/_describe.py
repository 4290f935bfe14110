"""What a job prints at its end: one line in a run, some lines if it was run by hand."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from statistics import mean, stdev

from ..evaluation.engine import Result
from ..files.columns import STATUSES

SHOWN = 5  # choices of parameters that are named


@dataclass
class Done:
    """A finished job: what it was about, what it gave and where its rows are."""

    head: str
    data: str
    result: Result
    measures: tuple  # of which the first that it has is the main one
    out: str

    def good(self):
        return [row for row in self.result.rows if row["status"] == "ok"]

    def value(self, key):
        """(mean, standard deviation) in percent over repetitions, or over folds without them.

        The deviation of one is None; folds count by their number of test samples.
        """
        groups = {}
        for row in self.good():
            groups.setdefault(row.get("repeat", row["fold"]), []).append(row)
        sizes = {k: sum(row["n_test"] for row in rows) for k, rows in groups.items()}
        means = [
            100 * sum(row[key] * row["n_test"] for row in rows) / sizes[k]
            for k, rows in groups.items()
        ]
        return mean(means), stdev(means) if len(means) > 1 else None

    def known(self):
        """The measures that the job has; persons have ranks, faces an accuracy."""
        return [key for key in self.measures if any(key in row for row in self.good())]

    def values(self):
        """error 3.93 ± 0.41 %"""
        return ", ".join(f"{key} {percent(*self.value(key))}" for key in self.known())

    def failures(self):
        """2 failed (why), 1 timeout (why)"""
        parts = []
        for status in STATUSES[1:]:
            rows = [row for row in self.result.rows if row["status"] == status]
            if rows:
                parts.append(f"{len(rows)} {status} ({rows[0]['message']})")
        return ", ".join(parts)

    def seconds(self, key):
        return sum(spent.get(key) or 0.0 for spent in self.result.times)

    def warnings(self):
        """{what the estimator warned of, once: in how many folds}; numbers in it may differ."""
        found, first = Counter(), {}
        for row in self.result.rows:
            if text := row.get("warnings"):
                kind = re.sub(r"\d[\d.e+-]*", "", text)
                found[first.setdefault(kind, text)] += 1
        return found


def percent(value, deviation=None):
    spread = "" if deviation is None else f" ± {deviation:.2f}"
    return f"{value:.2f}{spread} %"


def line(done):
    """One line: the mean over the folds, what went wrong, and how long it took."""
    good = done.good()
    parts = [f"{done.values()} in {len(good)} folds"] if good else []
    if failures := done.failures():
        parts.append(failures)
    fit, tuning = done.seconds("fit_s"), done.seconds("tune_s")
    return f"{done.head}: {', '.join(parts)}, fit {fit:.1f} s, tuning {tuning:.1f} s"


def lines(done):
    """The same for people, with the data, the choices, the warnings and the place of the rows."""
    good, rows = done.good(), done.result.rows
    text = [done.head, *map(_named, ("data", "file"), done.data.splitlines())]
    if good:
        repeats = len({row.get("repeat") for row in good})
        over = f"{repeats} repetitions, {len(good)} folds" if repeats > 1 else folds_text(len(good))
        text.append(_named("result", f"{done.values()} ({over})"))
        text.append(_named("chosen", _chosen(good)))
    if failures := done.failures():
        text.append(_named("no result", f"{failures}, of {folds_text(len(rows))}"))
    each = done.seconds("fit_s") / max(1, len(good))
    text.append(_named("time", f"fit {each:.3g} s per fold; tuning {done.seconds('tune_s'):.1f} s"))
    for warning, count in done.warnings().items():
        text.append(_named("warning", f"in {count} of {folds_text(len(rows))}: {warning}"))
    return "\n".join([*text, _named("rows", f"{done.out}, times beside them")])


def _named(name, text):
    return f"  {name:<9} {text}"


def folds_text(count):
    return f"{count} folds" if count > 1 else "1 fold"


def _chosen(rows):
    """C=0.1 k=2 in 7 folds, C=0.9 k=1 in 3"""
    counts = Counter(_settings(row.get("chosen")) for row in rows)
    if set(counts) == {""}:
        return "nothing: no parameter was tuned"
    parts = [f"{choice} in {count} folds" for choice, count in counts.most_common(SHOWN)]
    if len(counts) > SHOWN:
        parts.append(f"{len(counts) - SHOWN} others")
    return ", ".join(parts).replace(" in 1 folds", " in 1 fold")


def _settings(chosen):
    values = json.loads(chosen or "{}")
    return " ".join(f"{key}={value}" for key, value in values.items())
