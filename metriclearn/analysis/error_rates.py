"""Mean error rates per data set and method, from the rows of a run; the paper's values."""

import csv
import re
from dataclasses import dataclass, replace

import pandas as pd

from ..files.resources import conf_dir
from .verdict import judge, sampling_deviation


@dataclass(frozen=True)
class Mean:
    """The mean of a rate, in percent; ``value`` None and a ``note`` where there is none."""

    value: float | None = None
    std: float | None = None  # over the repetitions; of faces and persons over the folds
    folds: int = 0  # that have a result
    note: str | None = None
    n_test: int | None = None  # test samples of the first fold


NO_ROWS = Mean(note="not run")
# Where data were looked for, in the message of a fetch that found none.
PLACES_TRIED = re.compile(r"(?<= is unavailable) \(.*\)(?=; download it from )")


def mean_rates(rows, keys, column="error", over="repeat"):
    """``{values of the keys: Mean}`` from rows of text; ``over`` None: each row is a repetition."""
    if not rows:
        return {}
    groups = pd.DataFrame(rows).groupby(list(keys), sort=False)
    return {key: mean_rate(part, column, over) for key, part in groups}


def mean_rate(part, column="error", over="repeat"):
    """The mean over repetitions of the means over their folds; none where a fold has failed."""
    is_good = part["status"] == "ok"
    good, bad = part[is_good], part[~is_good]
    if len(bad) or good.empty:
        return Mean(folds=len(good), note=_reason(len(good), bad))
    means = 100.0 * good[column].map(float)
    if over:
        means = means.groupby(good[over], sort=False).mean()
    std = float(means.std(ddof=1)) if len(means) > 1 else None
    n_test = int(good["n_test"].iloc[0]) if "n_test" in good else None
    return Mean(float(means.mean()), std, len(good), n_test=n_test)


def _reason(n_good, bad):
    if bad.empty:
        return "not run"
    reason = row_reason(bad.iloc[0])
    return f"{len(bad)} of {n_good + len(bad)} folds {reason}" if n_good else reason


def row_reason(row):
    """Why a row has no result, without where data were looked for; None if it has one."""
    if row["status"] == "ok":
        return None
    return f"{row['status']}: {PLACES_TRIED.sub('', row['message'])}"


def summarise(rows, datasets, methods, expected):
    """``{dataset: {method: Mean}}`` of the errors in the rows of a run.

    ``expected(dataset, method)`` is the number of folds that makes a result complete.
    """
    return complete(mean_rates(rows, ("dataset", "method")), datasets, methods, expected)


def complete(found, datasets, methods, expected):
    """``{dataset: {method: Mean}}`` from ``{(dataset, method): Mean}``, incomplete ones without a
    value."""
    return {
        dataset: {
            method: _complete(found.get((dataset, method), NO_ROWS), expected(dataset, method))
            for method in methods
        }
        for dataset in datasets
    }


def _complete(mean, expected):
    if mean.value is None or mean.folds >= expected:
        return mean
    return Mean(folds=mean.folds, note=f"{mean.folds} of {expected} folds")


def mean_seconds(times, keys, column):
    """``{values of the keys: mean}`` of the seconds in rows of text; those without are left out."""
    known = [row for row in times if row[column]]
    if not known:
        return {}
    frame = pd.DataFrame(known)
    return frame[column].map(float).groupby([frame[key] for key in keys]).mean().to_dict()


def printed_errors(results):
    """What ``summarise`` gives, as a frame of errors with two decimals: what ties there, ties."""
    rows = [
        [None if mean.value is None else round(mean.value, 2) for mean in means.values()]
        for means in results.values()
    ]
    methods = list(next(iter(results.values()), {}))
    return pd.DataFrame(rows, index=list(results), columns=methods, dtype=float)


def widened(found, ours):
    """``{dataset: {method: Mean}}`` with at least the deviation of ours, where ours has more folds.

    Two repetitions tell little of how much a mean error varies.
    """
    return {
        dataset: {method: _widened(mean, ours[dataset][method]) for method, mean in means.items()}
        for dataset, means in found.items()
    }


def _widened(mean, ours):
    if mean.value is None or mean.std is None or mean.folds >= ours.folds:
        return mean
    return replace(mean, std=max(mean.std, ours.std or 0.0))


def judge_error(mean, paper, *, fixed):
    """(deviation, verdict, limit) of a mean error beside the paper's; see ``verdict``.

    ``fixed``: the data set has one fixed split into a training and a test part.
    """
    if mean.value is None:
        return None, None, None
    n_test = mean.n_test if fixed else None
    deviation = sampling_deviation(mean.value, over_runs=mean.std, n_test=n_test)
    return deviation, *judge(mean.value, paper, deviation)


# The paper's values ---------------------------------------------------------------------------


def read_paper(name):
    """A table of conf/paper that is about data sets: a frame with a row per data set."""
    return pd.read_csv(conf_dir() / "paper" / f"{name}.csv", index_col="dataset")


def read_paper_rows(name):
    """The rows of a table of conf/paper as dicts of text."""
    with open(conf_dir() / "paper" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def value_at(frame, row, column):
    """A number of a frame; None where there is none."""
    if row not in frame.index or column not in frame.columns:
        return None
    value = frame.at[row, column]
    return None if pd.isna(value) else float(value)
