"""Every candidate of a method on every fold, scored on the test part.

Nothing is chosen here. What is best on these scores has seen the test samples: it says what the
paper seems to have done, never how good a method is.
"""

import json

import numpy as np

from ..files.errors import one_line
from .attempt import attempt, limited_threads, progress
from .engine import Result, missing, timed
from .tuning import candidate_scores


def run_grid(protocol, identity):
    """Rows, one per fold and candidate, and times, one per fold; see ``engine.run``."""
    folds = protocol.folds()
    if reason := protocol.missing_reason():
        return missing(folds, identity, reason)
    protocol.load()
    result = Result([], [], [])
    name = f"{protocol.name} {protocol.method['name']}"
    with limited_threads(protocol.settings["threads"]), progress(folds, name) as steps:
        for fold in steps:
            rows, spent = grid_fold(protocol, fold)
            result.rows.extend({**identity, **fold, **row} for row in rows)
            result.times.append({**identity, **fold, **spent})
    return result


def grid_fold(protocol, fold):
    """The row of each candidate on one fold, and the times of the fold."""
    grid, seed = protocol.grid().candidates(), protocol.seed(fold)
    row = {"seed": seed, "status": "ok", "message": ""}
    spent, scores, failures = {}, [], []

    def work():
        with timed(spent, "prepare_s"):
            train, test = protocol.split(fold)
            row.update(n_train=train.size, n_test=test.size)
            train, test = protocol.prepare(train, test)
        with timed(spent, "tune_s"):
            found, failure = candidate_scores(protocol, None, grid, train, test, seed)
        scores.extend(found)
        failures.append(failure)

    limit = protocol.settings["timeout"]
    limit = None if limit is None else limit * len(grid)
    attempt(work, row, limit, f"{protocol.group}.timeout × {len(grid)} candidates")
    rows = [{**row, "candidate": json.dumps(changes, sort_keys=True)} for changes in grid]
    for found, score in zip(rows, scores, strict=False):  # none where the fold failed
        if np.isfinite(score):
            wrong = row["n_test"] - int(score)
            found.update(wrong=wrong, error=wrong / row["n_test"])
        else:
            found.update(status="failed", message=one_line(failures[0])[:300])
    return rows, spent
