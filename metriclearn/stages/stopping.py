"""Stage 4d: the paper's stopping rule against a certified gap, for the table of that name.

    metriclearn stopping item=stopping dataset=sonar method=pcml

The paper stops its alternation when the gap by its formula (13) or (29) is below 0.01 of the first
one. Here that alternation runs on LibSVM until then, the fast solver until the true gap is
certified; both metrics are scored on the same folds.
"""

import time
import warnings

import numpy as np

from ..evaluation.splits import stratified_part
from ..experiment.compose import hydra_main
from ..experiment.items import find_item
from ..files.errors import PipelineError
from ..files.store import write_rows
from .train import load_one, times_path

COLUMNS = [
    "experiment",
    "dataset",
    "method",
    "repeat",
    "fold",
    "status",
    "message",
    "rule",
    "n_train",
    "n_test",
    "iterations",
    "relative_gap",
    "objective",
    "wrong",
    "error",
]
TIME_COLUMNS = ["experiment", "dataset", "method", "repeat", "fold", "rule", "fit_cpu_s"]
PART_OF_FIRST = 0.01
LATE = 1e-6  # a true relative gap at which the alternation ends in any case


def stopping(config):
    """Fit and score both on the folds of one repetition and write the rows."""
    from ..evaluation.folds import hole_of, limited_threads, seed_of, used_folds
    from ..evaluation.scaling import make_preprocessor

    item = find_item(config["experiment"], "tables", config["item"])
    if item["kind"] != "stopping":
        raise PipelineError(f"{config['item']} is of the kind {item['kind']}, not stopping")
    facts, arrays, repeat, fold_of = load_one(config)
    name = config["method"]["name"]
    head = {"experiment": config["run"], "dataset": facts["name"], "method": name, "repeat": repeat}
    hole = hole_of(config, facts)
    rows = [{**head, **hole}] if hole else []
    folds = 0 if hole else used_folds(config["protocol"], int(fold_of.max()) + 1)
    for fold in range(folds):
        train, test = fold_of != fold, fold_of == fold
        seed = seed_of(config, repeat, fold)
        X, y = arrays["X"][train], arrays["y"][train]
        if item["samples"] is not None and item["samples"] < len(y):
            part = stratified_part(y, item["samples"], np.random.default_rng(seed))
            X, y = X[part], y[part]
        scaling = make_preprocessor(config["protocol"], facts).fit(X)
        data = scaling.transform(X), y, scaling.transform(arrays["X"][test]), arrays["y"][test]
        with limited_threads(config["protocol"]["threads"]):
            for rule in ("paper", "certified"):
                rows.append(
                    {
                        **head,
                        "fold": fold,
                        "status": "ok",
                        "rule": rule,
                        **scored(config, item, rule, seed, *data),
                    }
                )
    out = config["out"] or f"results/jobs/{config['item']}/{facts['name']}/{name}.rows.csv"
    write_rows(times_path(out), TIME_COLUMNS, rows)
    write_rows(out, COLUMNS, rows)
    print(f"{config['item']} {name}: {len(rows)} rows on {facts['name']}", flush=True)
    return rows


def scored(config, item, rule, seed, X, y, X_test, y_test):
    """One fit under a rule, with its error."""
    from ..evaluation.nearest import nearest_error

    def fit(**changes):
        return _fit(config, seed, {"C": item["C"], "k": item["k"], **changes}, X, y)

    if rule == "paper":
        model, seconds = stopped_as_in_the_paper(fit, item["max_iter"])
    else:
        model, seconds = fit()
    wrong = nearest_error(model, X, y, X_test, y_test)
    return {
        "n_train": len(y),
        "n_test": len(y_test),
        "iterations": model.n_iter_,
        "relative_gap": model.gap_ / model.primal_,
        "objective": model.primal_,
        "wrong": wrong,
        "error": wrong / len(y_test),
        "fit_cpu_s": seconds,
    }


def _fit(config, seed, changes, X, y):
    from ..evaluation.estimator import make_estimator

    model = make_estimator(config["method"], config["pairs"], seed, changes)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # to stop early is the point
        model.fit(X, y)
    return model, time.process_time() - started


def stopped_as_in_the_paper(fit, max_iter):
    """The alternation stopped by the paper's rule, or after ``max_iter`` iterations."""
    tried = 0
    while tried < max_iter:
        tried = min(max(4, 2 * tried), max_iter)
        model, _ = fit(solver="libsvm", tol=LATE, max_iter=tried)
        gaps = model.history_["paper_gap"]
        if stop := stopping_iteration(gaps):
            return fit(solver="libsvm", tol=LATE, max_iter=stop)
        if len(gaps) < tried:
            break
    return fit(solver="libsvm", tol=LATE, max_iter=tried)


def stopping_iteration(gaps):
    """The first iteration, from 1, whose gap is below the paper's part of the first; 0 for none.

    The formula can be negative before the optimum, and the paper's rule then stops too.
    """
    below = np.flatnonzero(np.asarray(gaps) < PART_OF_FIRST * gaps[0])
    return int(below[0]) + 1 if len(below) else 0


def main():
    hydra_main(stopping, __doc__)
