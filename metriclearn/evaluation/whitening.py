"""PCA, whitening and unit norm, fitted on a training part only and offered to all methods alike.

The Frobenius norm in (4) and (17) is not invariant to the scale and the correlation of features,
so what PCML and NCML learn depends on both. KISSME does not, as long as its M needs no repair.

    plain        centred on the training images, PCA where the image set asks for it
    whiten       then x -> W x with W S W^T = I, S the mean of (x_i-x_j)(x_i-x_j)^T over the
                 similar training pairs: what changes between images of one person counts less
    whiten_unit  then unit Euclidean norm: distances become angles

At the end all features are divided by one number, the root mean square length of the training
pairs' differences. No method's order of distances depends on it, but the C of (4) and (17) has the
unit 1/length^4: with it one grid of C serves all features and all kinds.
"""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from ..files.errors import PipelineError

KINDS = ("plain", "whiten", "whiten_unit")
LANCZOS_FROM = 1000  # features from which a few eigenvectors are cheaper than all of them


class Projection:
    """Centre on the training images and project on their leading principal components."""

    def __init__(self, dimension=None):
        self.dimension = dimension

    def fit(self, X):
        X = np.asarray(X, dtype=np.float64)
        self.mean_ = X.mean(axis=0)
        self.components_ = None
        if self.dimension is not None:
            self.components_ = leading_components(X - self.mean_, self.dimension)
        return self

    def transform(self, X):
        centred = np.asarray(X, dtype=np.float64) - self.mean_
        return centred if self.components_ is None else centred @ self.components_.T


def leading_components(X, dimension):
    """The ``dimension`` leading principal directions of centred samples as rows, signs fixed."""
    n, d = X.shape
    small = min(n, d)
    if dimension > small:
        raise PipelineError(
            f"the PCA dimension {dimension} is above the rank of the training images ({n} × {d}): "
            "lower matching.pca"
        )
    S = X.T @ X if d <= n else X @ X.T
    w, V = _leading(S, dimension)
    if w[-1] <= small * np.finfo(float).eps * w[0]:
        rank = int(np.sum(w > small * np.finfo(float).eps * w[0]))
        raise PipelineError(
            f"the PCA dimension {dimension} is above the rank {rank} of the training images "
            f"({n} × {d}): lower matching.pca"
        )
    rows = V.T if d <= n else (V / np.sqrt(w)).T @ X
    leading = np.take_along_axis(rows, np.argmax(np.abs(rows), axis=1)[:, None], axis=1)
    return rows * np.where(leading < 0.0, -1.0, 1.0)


def _leading(S, count):
    """Leading eigenvalues, falling, and eigenvectors of a symmetric matrix."""
    if len(S) >= LANCZOS_FROM and count < len(S) // 4:
        w, V = eigsh(S, count, v0=np.ones(len(S)))  # a fixed start: the same result every time
        order = np.argsort(-w, kind="stable")
        return w[order], V[:, order]
    w, V = eigh(S, subset_by_index=[len(S) - count, len(S) - 1])
    return w[::-1], V[:, ::-1]


class Whitening:
    """One of ``KINDS``, after the projection.

    ``ridge`` times its mean eigenvalue is added to the diagonal of S: the smallest eigenvalues of
    a covariance from few pairs are too small, and whitening would blow these directions up.
    """

    def __init__(self, kind="plain", ridge=0.0):
        if kind not in KINDS:
            raise PipelineError(f"preprocess must be one of {', '.join(KINDS)}, got {kind!r}")
        self.kind = kind
        self.ridge = ridge

    def fit(self, part):
        if self.kind != "plain":
            self.matrix_ = whitening_matrix(part.similar_differences(), self.ridge)
        self.unit_ = 1.0
        i, j = part.pairs.T
        X = self.transform(part.X)
        length = np.sqrt(np.mean(np.sum((X[i] - X[j]) ** 2, axis=1)))
        self.unit_ = length if length > 0.0 else 1.0
        return self

    def transform(self, X):
        if self.kind != "plain":
            X = X @ self.matrix_.T
        if self.kind == "whiten_unit":
            X = unit_rows(X)
        return X / self.unit_


def whitening_matrix(differences, ridge):
    """Symmetric W with W S W = I for the S of the differences, ridge included."""
    S = differences.T @ differences / len(differences)
    w, U = np.linalg.eigh(S)
    w = np.maximum(w, 0.0) + ridge * w.mean()
    floor = len(w) * np.finfo(float).eps * w[-1]
    if w[0] <= floor:
        raise ValueError(
            f"whitening: the {len(differences)} similar training pairs span "
            f"{int(np.sum(w > floor))} of {len(w)} dimensions; raise matching.ridge above 0."
        )
    return (U / np.sqrt(w)) @ U.T


def unit_rows(X):
    """Rows of Euclidean norm 1; a zero row stays."""
    norm = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norm > 0.0, norm, 1.0)
