"""Training time and 1-NN error of every method, ours and, where importable, those of others.

    python benchmarks/baselines.py [--data wine digits] [--methods LMNN ITML] [--repeats 3]

One table per data set: half of the samples, by turns, train and the other half test, after
scaling to [0, 1]. Times are those of ``fit``, the least of the repeats, all from this one run on
this machine: the ratios mean something elsewhere, the seconds do not. For LMNN and ITML the
objective is given too, that of the paper, computed for all by the same function. Others have
their default settings; metric-learn needs scikit-learn < 1.8 (``tests/system/peers/run.sh
--benchmark`` makes such an environment), pyDML numpy < 2 and a compiler. Set OMP_NUM_THREADS=1 for
times that other threads do not blur.
"""

import argparse
import importlib
import inspect
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from metriclearn.estimators.itml import ITML
from metriclearn.estimators.itml import objectives as itml_objectives
from metriclearn.estimators.lmnn import find_targets

OURS = {
    "Euclidean": "euclidean",
    "PCML": "pcml",
    "NCML": "ncml",
    "DoubletSVM": "doublet_svm",
    "NCA": "nca",
    "ITML": "itml",
    "MCML": "mcml",
    "LDML": "ldml",
    "LMNN": "lmnn",
    "PLML": "plml",
    "DMLEig": "dml_eig",
    "KISSME": "kissme",
}
METRIC_LEARN = {"NCA": "NCA", "ITML": "ITML", "LMNN": "LMNN"}
PYDML = {"NCA": "NCA", "LMNN": "LMNN", "MCML": "MCML", "LDML": "LDML", "DMLEig": "DML_eig"}


def synthetic():
    return make_classification(
        2000, 30, n_informative=15, n_redundant=5, n_classes=10, random_state=0
    )


DATA = {
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "synthetic": synthetic,
}


def imported(module, name):
    """The class, or None where the package or the class is missing here."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return None


class OnPairs:
    """metric-learn's ITML on the pairs and bounds of ours, so that the problem is the same."""

    def __init__(self, learner, pairs, labels, bounds):
        self.learner, self.pairs, self.labels, self.bounds = learner, pairs, labels, bounds

    def fit(self, X, y):
        self.model = self.learner().fit(self.pairs, self.labels, bounds=self.bounds.copy())
        return self

    def transform(self, X):
        return self.model.transform(X)


def lmnn_objective(L, X, y, k=3, c=0.5):
    """(1 - c) pull + c push of the paper over all triplets."""
    targets = find_targets(X, y, k)
    Z = X @ L.T
    total = 0.0
    for i in range(len(Z)):
        near = np.sum((Z[i] - Z[targets[i][targets[i] >= 0]]) ** 2, axis=1)
        far = np.sum((Z[i] - Z[y != y[i]]) ** 2, axis=1)
        push = np.maximum(1.0 + near[:, None] - far, 0.0).sum()
        total += (1.0 - c) * near.sum() + c * push
    return total


def itml_objective(L, X, reference):
    """The primal of ITML on the pairs and bounds of a fitted ITML."""
    i, j = reference.pairs_.T
    labels = reference.pair_labels_
    xi0 = np.where(labels > 0, *reference.bounds_)
    M, d = L.T @ L, X.shape[1]
    return itml_objectives(M, 0.0 * labels, X[i] - X[j], labels, xi0, np.eye(d), 1.0)[0]


def matrix(model):
    model = getattr(model, "model", model)
    if hasattr(model, "components_"):
        return np.asarray(model.components_)
    return np.asarray(model.transformer()) if hasattr(model, "transformer") else None


def error(model, X, y, test, test_y):
    """1-NN error in percent; a learner with local metrics predicts by its own distances."""
    try:
        nearest = KNeighborsClassifier(1).fit(model.transform(X), y)
        return 100.0 * (1.0 - nearest.score(model.transform(test), test_y))
    except (AttributeError, NotImplementedError):
        nearest = np.argmin(model.pairwise_distance(test, X), axis=1)
        return 100.0 * np.mean(y[nearest] != test_y)


def contenders(method, X, y):
    """(package, unfitted model) of one method, ours first."""
    ours = imported(f"metriclearn.{OURS[method]}", method)
    if ours is None:
        return
    seeded = "random_state" in inspect.signature(ours).parameters
    yield "metriclearn", ours(random_state=0) if seeded else ours()
    peer = imported("metric_learn", METRIC_LEARN.get(method, ""))
    if peer is not None and method == "ITML":
        reference = ITML(random_state=0, max_iter=1).fit(X, y)
        pairs = X[reference.pairs_]
        yield "metric-learn", OnPairs(peer, pairs, reference.pair_labels_, reference.bounds_)
    elif peer is not None:
        yield "metric-learn", peer()
    peer = imported("dml", PYDML.get(method, ""))
    if peer is not None:
        yield "pyDML", peer()


def fitted(model, X, y, repeats):
    best = np.inf
    for _ in range(repeats):
        trial = model if isinstance(model, OnPairs) or "dml." in type(model).__module__ else None
        trial = clone(model) if trial is None else trial
        start = time.perf_counter()
        trial.fit(X, y)
        best = min(best, time.perf_counter() - start)
    return trial, best


def run(name, methods, repeats):
    X, y = DATA[name]()
    scaler = MinMaxScaler().fit(X[::2])
    X, test, y, test_y = scaler.transform(X[::2]), scaler.transform(X[1::2]), y[::2], y[1::2]
    print(f"\n{name}: {len(X)} training samples, {X.shape[1]} features, {len(set(y))} classes\n")
    print("| method | package | seconds | ours is faster by | error % | objective |")
    print("|---|---|---:|---:|---:|---:|")
    for method in methods:
        ours = None
        for package, model in contenders(method, X, y):
            try:
                model, seconds = fitted(model, X, y, repeats)
                wrong = error(model, X, y, test, test_y)
            except Exception as problem:  # a peer that fails is a row, not the end of the table
                print(f"| {method} | {package} | failed: {type(problem).__name__} | | | |")
                continue
            if package == "metriclearn":
                ours, ratio, reference = seconds, "", model
            else:
                ratio = f"{seconds / ours:.1f}x" if ours else ""
            value, L = "", matrix(model)
            if method == "LMNN" and L is not None:
                value = f"{lmnn_objective(L, X, y):.6g}"
            elif method == "ITML" and L is not None:
                value = f"{itml_objective(L, X, reference):.6g}"
            print(
                f"| {method} | {package} | {seconds:.3f} | {ratio} | {wrong:.2f} | {value} |",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--methods", nargs="+", choices=OURS, default=list(OURS))
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    # Compilation and first imports are not training time.
    X, y = load_wine(return_X_y=True)
    for method in arguments.methods:
        for package, model in contenders(method, X[::4], y[::4]):
            if package == "metriclearn":
                model.fit(X[::4], y[::4])
    for name in arguments.data:
        run(name, arguments.methods, arguments.repeats)


if __name__ == "__main__":
    main()
