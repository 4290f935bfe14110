"""Training on pairs of PubFig's size, as ratios within one run, single-threaded.

    python benchmarks/verification.py

The data are simulated: 18,000 labelled pairs of 73 scores, nine folds of ``simulated_faces``.
Times are CPU seconds of ``fit_pairs``, the best of three; AUC is the area under the ROC curve of
the tenth fold, whose persons are others. DML-eig stands here twice: with our accelerated solver,
and with the Frank-Wolfe steps of its authors, which 2,000 of bring to a gap of 1 %.
"""

import time
import warnings

import numpy as np
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from metriclearn import ITML, KISSME, NCML, PCML, DMLEig
from metriclearn.vision.simulated import simulated_faces

METHODS = {
    "KISSME": KISSME(),
    "PCML": PCML(C=0.9),
    "NCML": NCML(C=0.9),
    "DML-eig": DMLEig(),
    "DML-eig, Frank-Wolfe": DMLEig(solver="frank-wolfe"),
    "ITML": ITML(random_state=0),
}


def best_fit(model, pairs, y, repeats=3):
    """The least CPU seconds of a fit, and the fitted model."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        model.fit_pairs(pairs, y)
        times.append(time.process_time() - start)
    return min(times), model


def main():
    warnings.simplefilter("ignore")
    faces = simulated_faces()
    pairs = np.asarray(faces.X, dtype=float)[faces.pairs]
    y = np.where(faces.same, 1, -1)
    seen = faces.fold < 9
    print(f"simulated: {seen.sum():,} pairs of {pairs.shape[2]} scores, one thread\n")
    print(f"  {'':22s}{'CPU s':>8s}{'x KISSME':>10s}{'AUC':>8s}")
    base = None
    with threadpool_limits(1):
        for name, model in METHODS.items():
            seconds, fitted = best_fit(model, pairs[seen], y[seen])
            base = base or seconds
            auc = roc_auc_score(y[~seen], -fitted.pair_distance(pairs[~seen]))
            print(f"  {name:22s}{seconds:8.3f}{seconds / base:10.1f}{auc:8.4f}", flush=True)


if __name__ == "__main__":
    main()
