"""One fold: tune, fit and score on the training part, count errors on the test part.

What comes back is two rows: one that is the same on every machine and every run (identity,
choice, result, solver facts), and one with times.
"""

import json
import time

import numpy as np
from sklearn.base import clone

from .attempt import attempt, warm_up
from .estimator import make_estimator
from .nearest import nearest_error
from .scaling import check_dimension, make_preprocessor
from .tuning import tune

WARM_UP_SAMPLES = 60


def run_fold(config, facts, X, y, train, test, seed, *, first=False):
    """One fold as a row and its times; a failure of the method is a row with a status."""
    method, protocol = config["method"], config["protocol"]
    row = {
        "seed": seed,
        "status": "ok",
        "message": "",
        "n_train": int(train.sum()),
        "n_test": int(test.sum()),
    }
    spent = {}
    limit = method["max_train"]
    if limit is not None and row["n_train"] > limit:
        row.update(
            status="skipped",
            message=f"more than {limit} training samples (max_train in "
            f"conf/method/{method['name']}.yaml)",
        )
        return row, spent
    check_dimension(protocol, facts, X[train])
    preprocessor = make_preprocessor(protocol, facts)
    attempt(
        lambda: _work(config, preprocessor, X, y, train, test, seed, first, row, spent),
        row,
        protocol["timeout"],
        "protocol.timeout",
    )
    return row, spent


def _work(config, preprocessor, X, y, train, test, seed, first, row, spent):
    method, pairs = config["method"], config["pairs"]
    start = time.perf_counter()
    chosen, inner = tune(method, pairs, config["tuning"], preprocessor, X[train], y[train], seed)
    spent["tune_s"] = time.perf_counter() - start
    row.update(chosen=json.dumps(chosen, sort_keys=True), tuning_error=inner)
    fitted = clone(preprocessor).fit(X[train])
    A, B = fitted.transform(X[train]), fitted.transform(X[test])
    row["n_features"] = A.shape[1]
    if first:
        some = _few(y[train])
        warm_up(lambda: make_estimator(method, pairs, seed, chosen).fit(A[some], y[train][some]))
    model = make_estimator(method, pairs, seed, chosen)
    start, cpu = time.perf_counter(), time.process_time()
    model.fit(A, y[train])
    spent.update(fit_s=time.perf_counter() - start, fit_cpu_s=time.process_time() - cpu)
    start = time.perf_counter()
    row["wrong"] = nearest_error(model, A, y[train], B, y[test])
    spent["predict_s"] = time.perf_counter() - start
    row["error"] = row["wrong"] / row["n_test"]
    row.update(solver_facts(model))
    history = getattr(model, "history_", None)
    if isinstance(history, dict) and len(history.get("seconds", ())):
        spent["solve_s"] = float(history["seconds"][-1])


def _few(y):
    """Some samples of every class, for a first fit that is not timed."""
    rows = np.argsort(np.argsort(y, kind="stable") % WARM_UP_SAMPLES, kind="stable")
    return rows[:WARM_UP_SAMPLES]


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
    return {key: _number(value) for key, value in facts.items()}


def _number(value):
    return value.item() if isinstance(value, np.generic) else value
