"""Compare the paper's stopping rule with a certified gap, for the table of that name.

    metriclearn stopping item=ablation_stopping dataset=sonar method=pcml

The paper stops its alternation when the gap by its formula (13) or (29) is below 0.01 of the first
one. Here that alternation runs on LibSVM until then, the fast solver until the true gap is
certified; both metrics are scored on the same folds.
"""

import numpy as np

from ..evaluation.attempt import limited_threads
from ..evaluation.engine import Result
from ..experiment.compose import hydra_main
from ..experiment.items import find_item
from ..files.columns import JobColumns
from ..files.errors import PipelineError
from ..files.job import write_job
from ._solver_fits import some_samples, timed_fit
from .train import load_one

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
PAPER_STOP_RATIO = 0.01
LATE = 1e-6  # a true relative gap at which the alternation ends in any case


def stopping(config):
    """Fit and score both on the folds of one repetition and write the rows."""
    item = find_item(config["experiment"], "tables", config["item"])
    if item["kind"] != "stopping":
        raise PipelineError(f"{config['item']} is of the kind {item['kind']}, not stopping")
    protocol, name = load_one(config), config["method"]["name"]
    head = {"experiment": config["run"], "dataset": protocol.name, "method": name}
    if reason := protocol.missing_reason():
        rows = [{**head, "repeat": protocol.folds()[0]["repeat"], **reason}]
    else:
        with limited_threads(protocol.settings["threads"]):
            rows = [
                {**head, **fold, "status": "ok", "rule": rule, **measured}
                for fold in protocol.folds()
                for rule, measured in both_rules(protocol, item, fold).items()
            ]
    out = config["out"] or f"results/jobs/{config['item']}/{protocol.name}/{name}.rows.csv"
    columns, result = JobColumns(COLUMNS, TIME_COLUMNS), Result(rows, rows, [])
    write_job(out, columns, result, protocol.settings["threads"])
    print(f"{config['item']} {name}: {len(rows)} rows on {protocol.name}", flush=True)
    return rows


def both_rules(protocol, item, fold):
    """{rule: what a row says of it} on one fold."""
    seed = protocol.seed(fold)
    train, test = protocol.split(fold)
    train, test = protocol.preprocess(None, some_samples(train, item["samples"], seed), test)

    def fit(**changes):
        return timed_fit(protocol, seed, {"C": item["C"], "k": item["k"], **changes}, train)

    fits = {"paper": stopped_as_in_the_paper(fit, item["max_iter"]), "certified": fit()}
    return {
        rule: {
            "n_train": train.size,
            "n_test": test.size,
            "iterations": model.n_iter_,
            "relative_gap": model.gap_ / model.primal_,
            "objective": model.primal_,
            **protocol.measure([protocol.scores(model, train, test)], train, test)[0],
            "fit_cpu_s": seconds,
        }
        for rule, (model, seconds) in fits.items()
    }


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
    below = np.flatnonzero(np.asarray(gaps) < PAPER_STOP_RATIO * gaps[0])
    return int(below[0]) + 1 if len(below) else 0


def main():
    hydra_main(stopping, __doc__)
