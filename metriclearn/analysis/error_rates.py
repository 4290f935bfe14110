"""Mean error rates per data set and method, from the rows of a run."""

import csv

from ..files.resources import conf_dir

POINTS, DEVIATIONS = 0.5, 2.0  # an error comes back if the paper's is as near to ours as either


def summarise(rows, datasets, methods, expected):
    """``{dataset: {method: entry}}`` from the rows of a run.

    An entry has ``error`` and ``std`` in percent over the repetitions, or ``error`` None and a
    ``note`` that says why. ``expected(dataset)`` is the number of folds that make it complete.
    """
    groups = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["method"]), []).append(row)
    return {
        dataset: {
            method: _entry(groups.get((dataset, method), []), expected(dataset))
            for method in methods
        }
        for dataset in datasets
    }


def _entry(rows, expected):
    entry = mean_and_std(rows)
    if entry["error"] is not None and entry["folds"] != expected:
        return {**entry, "error": None, "std": None, "note": f"{len(rows)} of {expected} folds"}
    return entry


def mean_and_std(rows):
    """``error`` and ``std`` in percent over the repetitions; error None where a fold has none."""
    good = [row for row in rows if row["status"] == "ok"]
    bad = [row for row in rows if row["status"] != "ok"]
    entry = {"error": None, "std": None, "folds": len(good), "note": None}
    if bad or not good:
        return {**entry, "note": _reason(good, bad)}
    repeats = {}
    for row in good:
        repeats.setdefault(row["repeat"], []).append(100.0 * float(row["error"]))
    means = [sum(values) / len(values) for values in repeats.values()]
    entry["error"] = mean = sum(means) / len(means)
    if len(means) > 1:
        entry["std"] = (sum((m - mean) ** 2 for m in means) / (len(means) - 1)) ** 0.5
    return entry


def _reason(good, bad):
    if not bad:
        return "no rows"
    status, message = bad[0]["status"], bad[0]["message"]
    if good:
        return f"{len(bad)} of {len(good) + len(bad)} folds {status}: {message}"
    return f"{status}: {message}"


def tolerance(std):
    """How far the paper's error may be from ours, in points."""
    return max(POINTS, DEVIATIONS * (std or 0.0))


def comes_back(entry, paper):
    """Whether the paper's error lies within the tolerance of ours; None where one is missing."""
    if entry["error"] is None or paper is None:
        return None
    return int(abs(round(entry["error"], 2) - paper) <= tolerance(entry["std"]))


def read_paper(name):
    """A table of conf/paper: ``{data set: {column: text}}``."""
    return {
        row["dataset"]: {k: v for k, v in row.items() if k != "dataset"}
        for row in read_paper_rows(name)
    }


def read_paper_rows(name):
    """The rows of a table of conf/paper as dicts of text."""
    with open(conf_dir() / "paper" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
