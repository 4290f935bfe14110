"""One fold: tune, fit and score on the training part, count errors on the test part.

What comes back is two rows: one that is the same on every machine and every run (identity,
choice, result, solver facts), and one with times.
"""

import json
import signal
import threading
import time
import warnings
import zlib
from contextlib import contextmanager

import numpy as np
from sklearn.base import clone

from .errors import PipelineError, one_line
from .methods import load_estimator, make_estimator
from .nearest import nearest_error
from .preprocess import check_dimension, make_preprocessor
from .tuning import tune

WARM_UP_SAMPLES = 60


class FoldTimeout(Exception):
    """A fold took longer than the protocol allows."""


def run_folds(config, facts, arrays, fold_of, *, identity):
    """Rows and times of the folds of one repetition."""
    hole = hole_of(config, facts)
    if hole is not None:
        row = {**identity, "fold": 0, "data_hash": facts["content_hash"], **hole}
        return [row], [{**identity, "fold": 0}]
    rows, times = [], []
    with limited_threads(config["protocol"]["threads"]):
        for fold in range(used_folds(config["protocol"], int(fold_of.max()) + 1)):
            test = fold_of == fold
            seed = seed_of(config, identity["repeat"], fold)
            row, spent = run_fold(config, facts, arrays["X"], arrays["y"], ~test, test, seed,
                                  warm_up=not rows)  # fmt: skip
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
    name = zlib.crc32(config["dataset"]["name"].encode())
    sequence = np.random.SeedSequence([config["protocol"]["seed"], name, repeat, fold])
    return int(sequence.generate_state(1)[0] >> 1)


def run_fold(config, facts, X, y, train, test, seed, *, warm_up=False):
    """One fold as a row and its times; a failure of the method is a row with a status."""
    method, protocol = config["method"], config["protocol"]
    row = {"seed": seed, "status": "ok", "message": "", "n_train": int(train.sum()),
           "n_test": int(test.sum())}  # fmt: skip
    spent = {}
    limit = method["max_train"]
    if limit is not None and row["n_train"] > limit:
        row.update(status="skipped", message=f"more than {limit} training samples (max_train in "
                                             f"conf/method/{method['name']}.yaml)")  # fmt: skip
        return row, spent
    check_dimension(protocol, facts, X[train])
    preprocessor = make_preprocessor(protocol, facts)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with time_limit(protocol["timeout"]):
                _work(config, preprocessor, X, y, train, test, seed, warm_up, row, spent)
        except FoldTimeout:
            row.update(status="timeout", message=f"longer than {protocol['timeout']:g} s "
                                                 "(protocol.timeout)")  # fmt: skip
        except PipelineError:
            raise
        except Exception as error:  # a method may fail in any way; the others go on
            row.update(status="failed", message=f"{type(error).__name__}: {one_line(error)}"[:300])
    row["warnings"] = "; ".join(sorted({one_line(w.message) for w in caught}))[:300]
    return row, spent


def _work(config, preprocessor, X, y, train, test, seed, warm_up, row, spent):
    method, pairs = config["method"], config["pairs"]
    start = time.perf_counter()
    chosen, inner = tune(method, pairs, config["tuning"], preprocessor, X[train], y[train], seed)
    spent["tune_s"] = time.perf_counter() - start
    row.update(chosen=json.dumps(chosen, sort_keys=True), tuning_error=inner)
    fitted = clone(preprocessor).fit(X[train])
    A, B = fitted.transform(X[train]), fitted.transform(X[test])
    row["n_features"] = A.shape[1]
    if warm_up:
        _warm_up(make_estimator(method, pairs, seed, chosen), A, y[train])
    model = make_estimator(method, pairs, seed, chosen)
    start = time.perf_counter()
    model.fit(A, y[train])
    spent["fit_s"] = time.perf_counter() - start
    start = time.perf_counter()
    row["wrong"] = nearest_error(model, A, y[train], B, y[test])
    spent["predict_s"] = time.perf_counter() - start
    row["error"] = row["wrong"] / row["n_test"]
    row.update(solver_facts(model))
    history = getattr(model, "history_", None)
    if isinstance(history, dict) and len(history.get("seconds", ())):
        spent["solve_s"] = float(history["seconds"][-1])


def _warm_up(model, X, y):
    """Compile and load what a first fit needs, so that the timed fit is only a fit."""
    rows = np.argsort(np.argsort(y, kind="stable") % WARM_UP_SAMPLES, kind="stable")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X[rows[:WARM_UP_SAMPLES]], y[rows[:WARM_UP_SAMPLES]])
        except Exception:  # the real fit will say what is wrong
            pass


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


@contextmanager
def limited_threads(count):
    """BLAS, OpenMP and numba with ``count`` threads."""
    import numba
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    try:
        with threadpool_limits(count):
            yield
    finally:
        numba.set_num_threads(before)


@contextmanager
def time_limit(seconds):
    """Raise FoldTimeout after ``seconds``; Python notices it when a call into C returns."""
    usable = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return

    def stop(signum, frame):
        raise FoldTimeout

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
