"""Record the duality gap per iteration of PCML or NCML, for Figures 1 and 2.

    metriclearn gap item=figure1 dataset=pendigits method=pcml

The paper's alternation on LibSVM runs on ``samples`` training samples (all: null), the fast
solver on all of them. Writes one row per iteration: the certified gap, and the paper's formula
(13) or (29) where the solver evaluates it.
"""

from ..evaluation.attempt import limited_threads
from ..experiment.compose import hydra_main
from ..experiment.items import figure_item
from ..files.store import write_rows
from ._solver_fits import some_samples, timed_fit
from .train import item_out, load_one

COLUMNS = [
    "experiment",
    "dataset",
    "method",
    "status",
    "message",
    "solver",
    "C",
    "k",
    "n_samples",
    "n_pairs",
    "iteration",
    "primal",
    "dual",
    "gap",
    "paper_gap",
]


def gap(config):
    """Fit with both solvers and write their histories."""
    item = figure_item(config, "gap")
    protocol = load_one(config)
    head = {
        "experiment": config["run"],
        "dataset": protocol.name,
        "method": config["method"]["name"],
        "C": item["C"],
        "k": item["k"],
    }
    if reason := protocol.missing_reason():
        rows = [{**head, **reason}]
    else:
        with limited_threads(protocol.settings["threads"]):
            rows = [{**head, "status": "ok", **row} for row in histories(protocol, item)]
    write_rows(config["out"] or item_out(config), COLUMNS, rows)
    print(
        f"{config['item']} {config['method']['name']}: {len(rows)} iterations on {protocol.name}",
        flush=True,
    )
    return rows


def histories(protocol, item):
    """The rows of both solvers on the training part of the first fold."""
    fold = protocol.folds()[0]
    seed = protocol.seed(fold)
    train, _ = protocol.preprocess(None, *protocol.split(fold))
    few = some_samples(train, item["samples"], seed)
    return [
        *history(protocol, item, "libsvm", few, seed),
        *history(protocol, item, "fast", train, seed),
    ]


def history(protocol, item, solver, train, seed):
    """A row for each iteration of a solver."""
    changes = {key: item[key] for key in ("C", "k", "tol", "max_iter")}
    model, _ = timed_fit(protocol, seed, {**changes, "solver": solver}, train)
    facts = {"solver": solver, "n_samples": train.size, "n_pairs": len(model.pair_labels_)}
    values = {key: model.history_[key] for key in ("primal", "dual", "gap", "paper_gap")}
    return [
        {**facts, "iteration": i + 1, **{key: float(value[i]) for key, value in values.items()}}
        for i in range(len(values["gap"]))
    ]


def main():
    hydra_main(gap, __doc__)
