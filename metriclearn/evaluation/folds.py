"""The folds of one repetition, or why there are none.

What a fold needs is imported when there is one: a job without data is over at once.
"""

from ..files.errors import PipelineError, one_line
from .attempt import limited_threads, progress
from .estimator import load_estimator
from .splits import fold_seed


def run_folds(config, facts, arrays, fold_of, *, identity, warm=False):
    """Rows and times of the folds of one repetition; ``warm``: this job has fitted before."""
    hole = hole_of(config, facts)
    if hole is not None:
        row = {**identity, "fold": 0, "data_hash": facts["content_hash"], **hole}
        return [row], [{**identity, "fold": 0}]
    from .fold import run_fold

    rows, times = [], []
    folds = range(used_folds(config["protocol"], int(fold_of.max()) + 1))
    name = f"{identity['dataset']} {identity['method']}"
    with limited_threads(config["protocol"]["threads"]), progress(folds, name) as steps:
        for fold in steps:
            test = fold_of == fold
            seed = seed_of(config, identity["repeat"], fold)
            row, spent = run_fold(
                config, facts, arrays["X"], arrays["y"], ~test, test, seed, first=not (rows or warm)
            )
            rows.append({**identity, "fold": fold, "data_hash": facts["content_hash"], **row})
            times.append({**identity, "fold": fold, **spent})
    return rows, times


def used_folds(protocol, folds):
    """How many of the folds are evaluated."""
    return folds if protocol["use_folds"] is None else min(folds, protocol["use_folds"])


def hole_of(config, facts):
    """Why a job cannot run at all, as the status of its one row, or None."""
    if facts["status"] != "ok":
        return {"status": facts["status"], "message": facts["message"]}
    try:
        load_estimator(config["method"])
    except PipelineError as error:
        return {"status": "unavailable", "message": one_line(error)}
    return None


def seed_of(config, repeat, fold):
    """The seed of one fold, the same for every method."""
    return fold_seed(config["protocol"]["seed"], config["dataset"]["name"], repeat, fold)
