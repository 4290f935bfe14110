"""Against metric-learn 0.7 on the same objective at the same parameters: ours is no worse.

Not a part of the default run (its name keeps pytest from collecting it); see run.sh.
"""

import runpy
from pathlib import Path

import metric_learn
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from metriclearn.estimators.itml import ITML, objectives
from metriclearn.estimators.lmnn import LMNN
from metriclearn.estimators.nca import NCA
from metriclearn.estimators.nca import objective as nca_objective

pytestmark = pytest.mark.filterwarnings("ignore")
SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}


def scaled(load, every=1):
    X, y = load(return_X_y=True)
    X, y = X[::every], y[::every]
    return (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12), y


each_set = pytest.mark.parametrize("load", SETS.values(), ids=SETS)


def lmnn_objective(M, X, y, targets, pull):
    """Over all triplets, by brute force; ``pull`` weighs the pull term, metric-learn's way."""
    total = 0.0
    for i in range(len(X)):
        d = np.einsum("pi,ij,pj->p", X[i] - X, M, X[i] - X, optimize=True)
        near = d[targets[i]]
        push = np.maximum(1.0 + near[:, None] - d[y != y[i]], 0.0).sum()
        total += pull * near.sum() + (1.0 - pull) * push
    return total


@each_set
@pytest.mark.parametrize("k, pull", [(3, 0.5), (1, 0.2)])
def test_lmnn(load, k, pull):
    X, y = scaled(load)
    compare_lmnn(X, y, k, pull, learn_rate=1e-4)


def test_lmnn_digits():
    X, y = scaled(load_digits, every=3)
    compare_lmnn(X, y, 3, 0.5, learn_rate=1e-4)


def compare_lmnn(X, y, k, pull, learn_rate):
    ours = LMNN(k=k, c=1.0 - pull, tol=1e-3).fit(X, y)
    peer = metric_learn.LMNN(n_neighbors=k, regularization=pull, learn_rate=learn_rate).fit(X, y)
    mine, theirs = (
        lmnn_objective(m.get_mahalanobis_matrix(), X, y, ours.targets_, pull) for m in (ours, peer)
    )
    print(f"LMNN: ours {mine:.6g} (at least {ours.dual_:.6g}), metric-learn {theirs:.6g}")
    assert mine == pytest.approx(ours.objective_, rel=1e-6)
    assert mine <= theirs * (1.0 + 1e-3)
    assert ours.dual_ <= theirs * (1.0 + 1e-9)  # the bound holds for their metric as well


@each_set
@pytest.mark.parametrize("gamma", [0.1, 1.0])
def test_itml(load, gamma):
    X, y = scaled(load)
    rng = np.random.RandomState(0)
    index = rng.randint(0, len(X), size=(400, 2))
    index = index[(X[index[:, 0]] != X[index[:, 1]]).any(axis=1)]
    labels = np.where(y[index[:, 0]] == y[index[:, 1]], 1, -1)
    index, labels = (a[np.argsort(-labels, kind="stable")] for a in (index, labels))
    squared = np.sum((X[index[:, 0]] - X[index[:, 1]]) ** 2, axis=1)
    bounds = np.percentile(squared, (5, 95))
    ours = ITML(gamma=gamma, bounds=tuple(bounds)).fit_pairs(X[index], labels)
    peer = metric_learn.ITML(gamma=gamma).fit(X[index], labels, bounds=bounds.copy())
    theirs, _ = objectives(
        peer.get_mahalanobis_matrix(),
        np.zeros(len(labels)),
        X[index[:, 0]] - X[index[:, 1]],
        labels,
        np.where(labels > 0, *bounds),
        np.eye(X.shape[1]),
        gamma,
    )
    print(f"ITML: ours {ours.primal_:.8g} (at least {ours.dual_:.8g}), metric-learn {theirs:.8g}")
    assert ours.primal_ <= theirs * (1.0 + 1e-6)
    np.testing.assert_allclose(  # the same projections in the same order
        ours.get_mahalanobis_matrix(), peer.get_mahalanobis_matrix(), rtol=1e-3, atol=1e-3
    )


@each_set
@pytest.mark.parametrize("solver", ["sklearn", "exact"])
def test_nca(load, solver):
    X, y = scaled(load)
    ours = NCA(solver=solver, init="identity", max_iter=100).fit(X, y)
    peer = metric_learn.NCA(init="identity", max_iter=100).fit(X, y)
    theirs = nca_objective(peer.components_, X, y)[0] / len(X)
    print(f"NCA: ours {ours.objective_:.6g}, metric-learn {theirs:.6g}")
    assert ours.objective_ >= theirs - 1e-3


def test_script():
    """What test_metric_learn_names.py runs with our names is right with theirs."""
    got = runpy.run_path(str(Path(__file__).with_name("script.py")))
    assert got["knn_accuracy"] > 0.9 and got["calibrated"] > 0.8
