"""PLML's first problem, the weights of the anchors; see ``plml.PLML`` for the formula.

The graph term outweighs the others (lambda2 is 100), so that what converges slowly are changes of
W that are smooth along the graph. Against it: rows are updated one after the other, each with the
newest values of its neighbours (Gauss-Seidel), with momentum; and the start is the solution of the
same problem on a coarser graph, where a sample and its neighbours share one row.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array
from sklearn.cluster import KMeans

from .neighbors import class_neighbors

_SMALLEST = 30  # rows below which a graph is not made coarser
_NATIVE = 10**9  # operations of one call of compiled code, about a second
_CHECK = 10  # iterations from one evaluation of the gap to the next


class Weighting(NamedTuple):
    """min over W of <C, W> + sum_i size_i w_i^T K w_i + lambda2 <W, L W> + constant.

    Rows w_i are non-negative with sum 1; ``size`` counts the samples of a row of a coarser graph.
    """

    C: np.ndarray
    K: np.ndarray
    size: np.ndarray
    laplacian: csr_array
    lambda2: float
    constant: float

    def objective(self, W):
        """The objective and its gradient."""
        half = self.size[:, None] * (W @ self.K) + self.lambda2 * (self.laplacian @ W)
        return np.vdot(W, self.C + half) + self.constant, self.C + 2.0 * half

    def coarser(self):
        """The problem with one row per group of samples, and the group of each sample."""
        group, count = _group(self.laplacian.indptr, self.laplacian.indices)
        shape = (len(group), count)
        P = csr_array((np.ones(len(group)), (np.arange(len(group)), group)), shape=shape)
        laplacian = (P.T @ self.laplacian @ P).tocsr()
        C, size = P.T @ self.C, P.T @ self.size
        return Weighting(C, self.K, size, laplacian, self.lambda2, self.constant), group


def neighbor_laplacian(X, k):
    """D - S of the graph of k nearest neighbours, S_ij = 1 if either is one of the other's."""
    n = len(X)
    neighbors = class_neighbors(X, np.zeros(n, dtype=int), k)[0]
    i, column = np.nonzero(neighbors >= 0)
    S = coo_array((np.ones(len(i)), (i, neighbors[i, column])), shape=(n, n)).tocsr()
    S = S.maximum(S.T)
    return (diags_array(np.asarray(S.sum(axis=1)).ravel()) - S).tocsr()


def place_anchors(X, n_anchors, random_state):
    """Centres of k-means; by default 20, or a tenth of the samples."""
    m = min(20, max(1, len(X) // 10)) if n_anchors is None else n_anchors
    m = min(m, len(np.unique(X, axis=0)))
    return KMeans(m, n_init=3, random_state=random_state).fit(X).cluster_centers_


def in_units_of(size, alpha1, lambda2):
    """alpha1 and lambda2 for samples divided by ``size``."""
    with np.errstate(all="ignore"):
        alpha1, lambda2 = alpha1 / size**4, lambda2 / size**2
        if not (1e-280 < alpha1 < 1e280 and lambda2 < 1e280 and 1e-140 < size < 1e140):
            raise ValueError(
                f"samples of size {size:.3g} are out of range for PLML, whose alpha1 and "
                "lambda2 have their units: scale the features."
            )
    return alpha1, lambda2


def anchor_weights(X, U, laplacian, lambda1, lambda2, *, tol, max_iter):
    """W of the first problem; also its objective, a bound on the gap, and the iterations."""
    norms, U_norms = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", U, U)
    XU = X @ U.T
    G = np.maximum(norms[:, None] + U_norms - 2.0 * XU, 0.0)
    problem = Weighting(
        lambda1 * G - 2.0 * XU, U @ U.T, np.ones(len(X)), laplacian, lambda2, norms.sum()
    )
    return _solve_from_coarse(problem, tol, max_iter)


def _solve_from_coarse(problem, tol, max_iter):
    """``solve``, from the solution on a coarser graph if that is much smaller."""
    if len(problem.size) > _SMALLEST:
        coarse, group = problem.coarser()
        if len(coarse.size) < 0.8 * len(group):
            W = _solve_from_coarse(coarse, tol, max_iter)[0]
            return solve(problem, W[group], tol, max_iter)
    cheapest = problem.C == problem.C.min(axis=1, keepdims=True)
    return solve(problem, cheapest / cheapest.sum(axis=1, keepdims=True), tol, max_iter)


def solve(problem, W, tol, max_iter):
    """Accelerated Gauss-Seidel from W until the gap, sum of <gradient, W> - min, is small."""
    C, K, size, laplacian, lambda2, _ = problem
    curvature = np.linalg.eigvalsh(K)[-1]
    # Where nothing is quadratic any long step will do; this one keeps the numbers in range.
    least = 1e-6 * np.abs(C).max() + np.finfo(float).tiny
    graph = laplacian.indptr, laplacian.indices, laplacian.data
    # Rows per call of compiled code: Ctrl-C is noticed in between.
    share = max(1, int(_NATIVE / (W.shape[1] * (W.shape[1] + laplacian.nnz / len(W)))))
    old, momentum = W, 1.0
    for n_iter in range(1, max_iter + 1):
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        new = W + (momentum - 1.0) / following * (W - old)
        uphill = 0.0
        for start in range(0, len(W), share):
            rows = start, min(start + share, len(W))
            uphill += _sweep(new, W, C, K, size, curvature, lambda2, least, *graph, *rows)
        old, W, momentum = W, new, following
        if uphill > 0.0:  # momentum points the wrong way: restart
            old, momentum = W, 1.0
        if n_iter % _CHECK == 0 or n_iter == max_iter:
            objective, gradient = problem.objective(W)
            gap = np.vdot(gradient, W) - gradient.min(axis=1).sum()
            if gap <= tol * objective:
                break
    return W, objective, gap, n_iter


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def project_simplex(v):
    """v becomes the nearest point with non-negative entries of sum 1."""
    total = 0.0
    for b in range(len(v)):
        total += v[b]
    count, theta = len(v), (total - 1.0) / len(v)
    for _ in range(len(v)):  # entries below theta are 0 in the end: it rises until none is left
        total, above = 0.0, 0
        for b in range(len(v)):
            if v[b] > theta:
                total += v[b]
                above += 1
        if above >= count or above == 0:  # more of them again: that is rounding
            break
        count, theta = above, (total - 1.0) / above
    for b in range(len(v)):
        v[b] = max(v[b] - theta, 0.0)


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _sweep(V, W, C, K, size, curvature, lambda2, least, indptr, indices, data, first, last):
    """One projected gradient step of rows ``first`` to ``last`` of V in turn, in place.

    Its length is the inverse of a bound on the row's curvature. Returns the inner product of the
    gradient that was stepped along and of the way from W: positive if that way was uphill.
    """
    m = V.shape[1]
    v = np.empty(m)
    uphill = 0.0
    for i in range(first, last):
        degree = 0.0
        for b in range(m):
            v[b] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j == i:
                degree = data[p]
            else:
                edge = -2.0 * lambda2 * data[p]
                for b in range(m):
                    v[b] += edge * V[j, b]
        bound = 2.0 * size[i] * curvature
        steepest = max(bound + 2.0 * lambda2 * degree, least)
        remaining = steepest - 2.0 * lambda2 * degree
        for b in range(m):
            v[b] += remaining * V[i, b] - C[i, b]
        for a in range(m):
            w = 2.0 * size[i] * V[i, a]
            if w != 0.0:
                for b in range(m):
                    v[b] -= w * K[a, b]
        for b in range(m):
            v[b] /= steepest
        project_simplex(v)
        for b in range(m):
            uphill += steepest * (V[i, b] - v[b]) * (v[b] - W[i, b])
            V[i, b] = v[b]
    return uphill


@numba.njit(cache=True)
def _group(indptr, indices):
    """Groups of a sample and its neighbours, greedily; those between groups join one of them."""
    n = len(indptr) - 1
    group, count = np.full(n, -1), 0
    for i in range(n):
        free = True
        for p in range(indptr[i], indptr[i + 1]):
            free = free and group[indices[p]] < 0
        if free and group[i] < 0:
            group[indices[indptr[i] : indptr[i + 1]]] = count
            group[i] = count
            count += 1
    joined = group.copy()
    for i in range(n):
        if group[i] < 0:
            for p in range(indptr[i], indptr[i + 1]):
                if group[indices[p]] >= 0:
                    joined[i] = group[indices[p]]
                    break
    return joined, count
