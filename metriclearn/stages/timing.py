"""Time the fits of all methods of a run on one data set, one after another on one thread.

    metriclearn timing sonar --experiment paper

Parameters are those of conf/method. The workflow runs nothing beside such a job. Writes a row per
fit (…rows.csv) and its seconds beside it (…times.csv).
"""

from ..evaluation.attempt import attempt, limited_threads, warm_up
from ..evaluation.engine import Result, missing, solver_facts, timed
from ..files.columns import TIMING
from ..files.errors import guard
from ..files.job import write_job
from .cli import add_run, make_parser, run_of
from .train import load_protocol

THREADS = 1


def time_methods(run, dataset, out=None):
    """Fit every method and write the files of the job."""
    data, split = run.places.data(dataset), run.places.split(dataset)
    rows, times = [], []
    for method in run.methods:
        config = {**run.job_settings(dataset, method), "data": data, "split": split, "repeat": 0}
        protocol = load_protocol({**config, "tuning": {"kind": "none"}})
        head = {"experiment": run.name, "dataset": dataset, "method": method}
        head["data_hash"] = protocol.facts["content_hash"]
        found = time_fits(protocol, head, **run.experiment["timing"])
        rows += found.rows
        times += found.times
    write_job(out or run.places.item("timing", dataset), TIMING, Result(rows, times, []), THREADS)
    print(f"timing {dataset}: {len(rows)} fits of {len(run.methods)} methods", flush=True)
    return rows, times


def time_fits(protocol, head, fits, seconds):
    """``fits`` fits on the training parts of the first folds, fewer if they take ``seconds``."""
    folds = protocol.folds()
    if reason := protocol.missing_reason():
        return missing(folds, head, reason)
    protocol.load()
    result, spent = Result([], [], []), 0.0
    with limited_threads(THREADS):
        for i in range(fits):
            row, cost = time_fit(protocol, folds[i % len(folds)], first=i == 0)
            mark = {**head, "repeat": i, "fold": folds[i % len(folds)]["fold"]}
            result.rows.append({**mark, **row})
            result.times.append({**mark, **cost})
            spent += cost.get("fit_s", 0.0)
            if row["status"] != "ok" or spent >= seconds:
                break
    return result


def time_fit(protocol, fold, *, first):
    """The row of one fit, and its seconds; ``first``: nothing is warm yet."""
    seed = protocol.seed(fold)
    row, spent = {"seed": seed, "status": "ok", "message": ""}, {}

    def work():
        train, test = protocol.prepare(*protocol.split(fold))
        train, _ = protocol.preprocess(None, train, test)
        row.update(n_train=train.size, n_features=train.X.shape[1])
        if first:
            few = protocol.few(train)
            warm_up(lambda: protocol.fit(protocol.estimator(seed, {}), few))
        model = protocol.estimator(seed, {})
        with timed(spent, "fit_s", "fit_cpu_s"):
            protocol.fit(model, train)
        row["n_iter"] = solver_facts(model)["n_iter"]

    attempt(work, row, protocol.settings["timeout"], f"{protocol.group}.timeout")
    return row, spent


def main():
    parser = make_parser("timing", __doc__)
    parser.add_argument("dataset", help="one of the experiment's data sets, prepared and split")
    parser.add_argument("--out", help="what to write (default: results/<run>/timing/…)")
    add_run(parser)
    options = parser.parse_args()
    guard(lambda: time_methods(run_of(options), options.dataset, options.out))
