"""ITML's constraints, objectives and projections."""

from typing import NamedTuple

import numba
import numpy as np
from scipy.linalg import cho_factor, cho_solve


class Constraints(NamedTuple):
    """Pairs and their bounds, divided by ``unit``."""

    delta: np.ndarray
    y: np.ndarray
    xi0: np.ndarray
    M0_inv: np.ndarray
    unit: float


def random_pairs(n, n_classes, n_pairs, rng):
    """Index pairs as the authors draw them: uniform, with replacement.

    They draw 40 c (c - 1) of c classes. With many small classes that is more than there are.
    """
    if n_pairs is None:
        n_pairs = min(40 * n_classes * (n_classes - 1), n * (n - 1) // 2)
    return rng.randint(0, n, size=(n_pairs, 2))


def find_bounds(samples, M0, how, rng, n_draws=10_000):
    """l and u from the squared distances, under M0, of random pairs."""
    i, j = rng.randint(0, len(samples), size=(2, n_draws))
    v = samples[i] - samples[j]
    squared = np.einsum("pi,ij,pj->p", v, M0, v, optimize=True)
    squared = squared[squared > 0.0]
    if not len(squared):
        raise ValueError("all samples drawn for the bounds are identical: give bounds=(l, u).")
    if how == "percentile":
        return np.percentile(squared, (5, 95))
    low, high = squared.min(), squared.max()
    return low + (high - low) * np.array([0.045, 0.945])


def objectives(M, lam, delta, y, xi0, M0_inv, gamma):
    """Primal at M with the best slack, and the dual at lambda (where M is the one of lambda)."""
    logdet = np.linalg.slogdet(M)[1] + np.linalg.slogdet(M0_inv)[1]
    ratio = np.einsum("pi,ij,pj->p", delta, M, delta, optimize=True) / xi0
    ratio = np.maximum(ratio, np.finfo(float).tiny)  # rounding can make it 0
    ratio = np.where(y > 0, np.maximum(ratio, 1.0), np.minimum(ratio, 1.0))
    slack = gamma * np.sum(ratio - np.log(ratio) - 1.0)
    primal = np.sum(M * M0_inv) - logdet - len(M) + slack
    dual = -logdet + gamma * np.sum(np.log1p(-y * lam * xi0 / gamma))
    return float(primal), float(dual)


def inverse(A, fallback):
    try:
        M = cho_solve(cho_factor(0.5 * (A + A.T)), np.eye(len(A)))
    except np.linalg.LinAlgError:
        return fallback
    return 0.5 * (M + M.T)


@numba.njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def sweep_pairs(M, delta, y, lam, xi, gamma):
    """One projection onto each constraint in turn; M, lambda and xi change in place."""
    d = M.shape[0]
    Mv = np.empty(d)
    share = gamma / (gamma + 1.0)
    for p in range(len(delta)):
        v = delta[p]
        squared = 0.0
        for a in range(d):
            s = 0.0
            for b in range(d):
                s += M[a, b] * v[b]
            Mv[a] = s
            squared += s * v[a]
        if not squared > 0.0:
            continue
        alpha = min(lam[p], y[p] * share * (1.0 / squared - 1.0 / xi[p]))
        if alpha == 0.0:
            continue
        beta = y[p] * alpha / (1.0 - y[p] * alpha * squared)
        xi[p] = 1.0 / (1.0 / xi[p] + y[p] * alpha / gamma)
        lam[p] -= alpha
        root, sign = np.sqrt(abs(beta)), np.sign(beta)
        for a in range(d):
            Mv[a] *= root
        for a in range(d):
            for b in range(d):
                M[a, b] += sign * (Mv[a] * Mv[b])
