"""The fold loop: split, tune, fit, score and time each fold of a job, for any protocol.

A fold gives a row that is the same on every machine and every run (identity, choice, result,
solver facts), a row of times, and the points of a curve if the protocol has one.
"""

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .attempt import attempt, limited_threads, progress, recorded, warm_up
from .tuning import Choice


class Result(NamedTuple):
    """What a job gives, each a list of dicts."""

    rows: list
    times: list
    curve: list

    def joined(self, other):
        """Both results in one."""
        return Result(*(own + more for own, more in zip(self, other, strict=True)))


@dataclass
class Learned:
    """One view of a fold, filled step by step: what is None was not reached."""

    sizes: tuple | None = None
    n_tune: int | None = None
    choice: Choice | None = None
    n_features: int | None = None
    scores: Any = None
    solver: dict = field(default_factory=dict)


def run(protocol, identity):
    """Rows, times and curve of all folds; ``identity`` holds the columns that all rows share.

    A method that fails gives a row that says so, and the next fold goes on.
    """
    folds = protocol.folds()
    if reason := protocol.missing_reason():
        return missing(folds, identity, reason)
    protocol.load()
    result = Result([], [], [])
    name = f"{protocol.name} {protocol.method['name']}"
    with limited_threads(protocol.settings["threads"]), progress(folds, name) as steps:
        for fold in steps:
            row, spent, points = run_fold(protocol, fold, first=not result.rows)
            result.rows.append({**identity, **fold, **row})
            result.times.append({**identity, **fold, **spent})
            result.curve.extend(
                {**identity, **fold, "kind": protocol.curve, "x": x, "y": y} for x, y in points
            )
    return result


def missing(folds, identity, reason):
    """The result of a job that cannot run: one row per repetition, with the reason."""
    first = [fold for fold in folds if fold["fold"] == 0]
    rows = [{**identity, **fold, **reason} for fold in first]
    return Result(rows, [{**identity, **fold} for fold in first], [])


def run_fold(protocol, fold, *, first=False):
    """The row of a fold, its times and the points of its curve; ``first``: nothing is warm yet."""
    row = {"seed": protocol.seed(fold), "status": "ok", "message": ""}
    spent, points = {}, []
    views = [Learned() for _ in protocol.views]

    def work():
        parts = [
            learn(protocol, fold, view, row, learned, spent, first=first)
            for view, learned in enumerate(views)
        ]
        with timed(spent, "predict_s"):
            measured, curve = protocol.measure([one.scores for one in views], *parts[0])
        row.update(measured)
        points.extend(curve)

    attempt(work, row, protocol.settings["timeout"], f"{protocol.group}.timeout")
    row.update(facts_of(protocol, views))
    return row, spent, points


def learn(protocol, fold, view, row, learned, spent, *, first=False):
    """Choose and fit on the training part of one view, then score; fills ``learned``.

    Warnings while choosing go to a column of their own. Returns the parts as the model got them.
    """
    seed = row["seed"]
    with timed(spent, "prepare_s"):
        train, test = protocol.split(fold, view)
        learned.sizes = train.size, test.size
        train, test = protocol.prepare(train, test, view)
    with timed(spent, "tune_s"), recorded(row, "tuning_warnings"):
        learned.choice = protocol.choose(train, seed)
    kind, changes, value, _ = learned.choice
    learned.n_tune = None if value is None else protocol.tuning_size(train)
    with timed(spent, "prepare_s"):
        train, test = protocol.preprocess(kind, train, test)
    learned.n_features = train.X.shape[1]
    if first:
        few = protocol.few(train)
        warm_up(lambda: protocol.fit(protocol.estimator(seed, changes), few))
    model = protocol.estimator(seed, changes)
    with timed(spent, "fit_s", "fit_cpu_s"):
        protocol.fit(model, train)
    history = getattr(model, "history_", None)
    if isinstance(history, dict) and len(history.get("seconds", ())):
        spent["solve_s"] = spent.get("solve_s", 0.0) + float(history["seconds"][-1])
    with timed(spent, "predict_s"):
        learned.scores = protocol.scores(model, train, test)
    learned.solver = solver_facts(model)
    return train, test


@contextmanager
def timed(spent, key, cpu_key=None):
    """Add the seconds of a block that does not fail to ``spent[key]``, those of the CPU too."""
    start, cpu = time.perf_counter(), time.process_time()
    yield
    spent[key] = spent.get(key, 0.0) + time.perf_counter() - start
    if cpu_key:
        spent[cpu_key] = spent.get(cpu_key, 0.0) + time.process_time() - cpu


def facts_of(protocol, views):
    """The columns that say what was learned from, what was chosen, and how it was solved."""
    facts = {}
    if views[0].sizes is not None:
        facts["n_train"], facts["n_test"] = views[0].sizes
    choices = [protocol.chosen(one.choice.kind, one.choice.changes) for one in views if one.choice]
    if len(choices) == len(views):
        single = len(views) == 1
        chosen = choices[0] if single else dict(zip(protocol.views, choices, strict=True))
        facts["chosen"] = json.dumps(chosen, sort_keys=True)
        if single:
            facts[protocol.tuning_column] = views[0].choice.value
            facts["n_tune"] = views[0].n_tune
        facts["edge"] = " ".join(dict.fromkeys(name for one in views for name in one.choice.edge))
    dimensions = [one.n_features for one in views if one.n_features is not None]
    if len(dimensions) == len(views):
        facts["n_features"] = sum(dimensions)
    if len(views) == 1:
        facts.update(views[0].solver)
    return facts


def solver_facts(model):
    """What an estimator says about its solution, where it has it."""
    facts = {
        "n_iter": getattr(model, "n_iter_", None),
        "primal": getattr(model, "primal_", None),
        "dual": getattr(model, "dual_", None),
        "gap": getattr(model, "gap_", None),
    }
    if hasattr(model, "pair_labels_"):
        facts["n_pairs"] = len(model.pair_labels_)
    if hasattr(model, "dual_coef_"):
        facts["n_support"] = int(np.count_nonzero(model.dual_coef_))
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in facts.items()}
