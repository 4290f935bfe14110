"""PCML and NCML against what the authors' public program gives on PenDigits.

``METRICLEARN_AUTHORS`` names a folder with pendigits.mat: its matrices M1 (PCML) and M2 (NCML) for
C = 1, and its pairs: pr, rows of the training part from 1, with labels h in pl. Its stopping rule
leaves it a little above the optimum.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

from metriclearn import NCML, PCML
from metriclearn.datasets import load_dataset
from metriclearn.estimators.pairs import make_pairs

FOLDER = os.environ.get("METRICLEARN_AUTHORS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="METRICLEARN_AUTHORS names no folder")
SCALE = 100.0  # every feature is a whole number from 0 to 100


@pytest.fixture(scope="module")
def theirs():
    return loadmat(Path(FOLDER) / "pendigits.mat")


@pytest.fixture(scope="module")
def data():
    data = load_dataset("pendigits", source="shipped")
    return [(data.X[part] / SCALE, data.y[part]) for part in (data.train, data.test)]


def primal(M, delta, h):
    """The objective of (4) for C = 1; the loss is piecewise linear in b, so a kink is best."""
    distance = np.einsum("pi,ij,pj->p", delta, M, delta)
    kinks = np.sort(h - distance)

    def loss(b):
        return np.maximum(0.0, 1.0 - h * (distance + b)).sum()

    low, high = 0, len(kinks) - 1
    while high - low > 2:  # it is convex too
        third = (high - low) // 3
        if loss(kinks[low + third]) <= loss(kinks[high - third]):
            high -= third
        else:
            low += third
    return 0.5 * np.sum(M**2) + min(loss(b) for b in kinks[low : high + 1])


def wrong(M, data):
    """Test samples whose nearest training sample is of another class."""
    (A, y), (B, y_test) = data
    values, vectors = np.linalg.eigh(M)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    A, B = A @ factor, B @ factor
    return int(np.sum(y[np.argmin((A**2).sum(1) - 2.0 * B @ A.T, axis=1)] != y_test))


def test_the_pairs_are_theirs_row_for_row(theirs, data):
    pairs = make_pairs(*data[0], k=1, dissimilar="nearest")
    ours = np.column_stack([pairs.index, -pairs.y])
    papers = np.column_stack([theirs["pr"] - 1, theirs["pl"].ravel()])
    assert len(papers) == 14_988
    order = [np.lexsort(part.T) for part in (ours, papers)]
    np.testing.assert_array_equal(ours[order[0]], papers[order[1]].astype(int))


@pytest.mark.parametrize(("kind", "name"), [(PCML, "M1"), (NCML, "M2")])
def test_the_matrix_is_theirs(theirs, data, kind, name):
    index, h = theirs["pr"].astype(int) - 1, theirs["pl"].ravel().astype(int)
    X = data[0][0]
    model = kind(C=1.0, tol=1e-5).fit_pairs(X[index], -h)
    ours, papers = model.components_.T @ model.components_, theirs[name]
    delta = X[index[:, 0]] - X[index[:, 1]]
    at_ours, at_papers = (primal(M, delta, h) for M in (ours, papers))
    assert at_ours == pytest.approx(model.primal_, rel=1e-6)
    assert model.dual_ <= at_papers <= 1.005 * at_ours
    assert np.linalg.norm(ours - papers) < 0.02 * np.linalg.norm(papers)
    assert wrong(ours, data) == wrong(papers, data) == 72  # 2.06 % of 3,498
