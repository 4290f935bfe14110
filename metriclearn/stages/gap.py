"""Stage 4c: the duality gap per iteration of PCML and NCML, for Figures 1 and 2.

    metriclearn gap item=figure1 dataset=pendigits method=pcml

The paper's alternation on LibSVM runs on ``samples`` training samples (all: null), the fast
solver on those and on all of them. Writes one row per iteration: the certified gap, and the
paper's formula (13) or (29) where the solver evaluates it.
"""

import warnings
from pathlib import Path

import numpy as np

from ..evaluation.splits import stratified_part
from ..experiment.compose import hydra_main
from ..experiment.items import figure_item
from ..files.store import write_rows
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
    from ..evaluation.folds import hole_of, limited_threads, seed_of
    from ..evaluation.scaling import make_preprocessor

    item = figure_item(config, "gap")
    facts, arrays, repeat, fold_of = load_one(config)
    out = Path(config["out"] or item_out(config))
    head = {
        "experiment": config["run"],
        "dataset": facts["name"],
        "method": config["method"]["name"],
        "C": item["C"],
        "k": item["k"],
    }
    if hole := hole_of(config, facts):
        rows = [{**head, **hole}]
    else:
        train = fold_of != 0
        X = make_preprocessor(config["protocol"], facts).fit_transform(arrays["X"][train])
        y, seed = arrays["y"][train], seed_of(config, repeat, 0)
        part = np.ones(len(y), dtype=bool)
        if item["samples"] is not None and item["samples"] < len(y):
            part = stratified_part(y, item["samples"], np.random.default_rng(seed))
        rows = []
        with limited_threads(config["protocol"]["threads"]):
            rows += _history(config, item, "libsvm", X[part], y[part], seed)
            rows += _history(config, item, "fast", X, y, seed)
        rows = [{**head, "status": "ok", **row} for row in rows]
    write_rows(out, COLUMNS, rows)
    print(
        f"{config['item']} {config['method']['name']}: {len(rows)} iterations on {facts['name']}",
        flush=True,
    )
    return rows


def _history(config, item, solver, X, y, seed):
    from ..evaluation.estimator import make_estimator

    changes = {
        "C": item["C"],
        "k": item["k"],
        "solver": solver,
        "tol": item["tol"],
        "max_iter": item["max_iter"],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_estimator(config["method"], config["pairs"], seed, changes).fit(X, y)
    history = model.history_
    facts = {"solver": solver, "n_samples": len(y), "n_pairs": len(model.pair_labels_)}
    return [
        {
            **facts,
            "iteration": i + 1,
            **{key: float(history[key][i]) for key in ("primal", "dual", "gap", "paper_gap")},
        }
        for i in range(len(history["gap"]))
    ]


def main():
    hydra_main(gap, __doc__)
