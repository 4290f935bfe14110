"""The Newton system of the smoothed problem, on symmetric matrices.

It is solved in the cheapest of three ways: by a dense factorisation in the space of the pairs or
in that of the matrices, or by conjugate gradients, which need only be as accurate as asked.
"""

from functools import lru_cache

import numpy as np
from scipy.linalg.lapack import dposv

_MAX_CG = 300
_CG_STEPS = 12  # of conjugate gradients, about; each costs as much in calls as
_CALL = 2e5  # this many multiplications
_STIFF = 1e8  # condition from which only the factorisation in matrix space is good enough,
_DENSE = 1300  # for up to this many entries


def solve_newton(delta, weight, sigma, rhs, tolerance, split=None):
    """Solve ``weight * H + sigma * sum_p <X_p - mean, H> X_p = rhs`` for a symmetric H.

    ``delta`` holds the differences of the free pairs in the basis in which the cone's part of
    the Hessian is the elementwise factor ``weight``; centring comes from eliminating the bias.
    ``weight`` is constant on the leading ``split`` rows and columns, and on the others.
    """
    n_free, d = delta.shape
    if n_free == 0:
        return rhs / weight
    split = d if split is None else split
    entries = d * (d + 1) // 2
    pairs = n_free**2 * (d + split * (d - split) + n_free / 3.0)
    matrices = entries**2 * (n_free + entries / 3.0)
    iterations = _CG_STEPS * (2.0 * n_free * d**2 + _CALL)
    if entries <= _DENSE and sigma * np.einsum("ij,ij->", delta, delta) ** 2 > _STIFF * n_free:
        pairs = iterations = np.inf  # both lose what is small beside the largest pairs
    if min(pairs, matrices) > iterations:
        return _conjugate_gradients(delta, weight, sigma, rhs, tolerance)
    solve = _in_pair_space if pairs <= matrices else _in_matrix_space
    step = solve(delta, weight, sigma, rhs, split)
    if step is None:
        return _conjugate_gradients(delta, weight, sigma, rhs, tolerance)
    return step


def _in_pair_space(delta, weight, sigma, rhs, split):
    """By the Sherman-Morrison-Woodbury formula: one unknown for each free pair."""
    n_free, d = delta.shape
    gram = np.zeros((n_free, n_free))
    first, second = delta[:, :split], delta[:, split:]
    if split:
        gram = (first @ first.T) ** 2 / weight[0, 0]
    if split < d:
        gram += (second @ second.T) ** 2 / weight[-1, -1]
    if 0 < split < d:
        across = np.sqrt(2.0 / weight[:split, split:])
        cross = (first[:, :, None] * across) * second[:, None, :]
        cross = cross.reshape(n_free, -1)
        gram += cross @ cross.T
    mean = gram.mean(axis=0)
    gram -= mean
    gram -= (mean - mean.mean())[:, None]
    gram.flat[:: n_free + 1] += 1.0 / sigma
    step = rhs / weight
    value = np.einsum("ij,ij->i", delta @ step, delta)
    _, coef, info = dposv(gram, value - value.mean(), overwrite_a=True, overwrite_b=True)
    if info:
        return None
    return step - (delta.T @ (delta * coef[:, None])) / weight


@lru_cache(maxsize=32)
def triangle(d):
    """Rows, columns and weights of the coordinates of a symmetric matrix."""
    rows, columns = np.triu_indices(d)
    return rows, columns, np.where(rows == columns, 1.0, np.sqrt(2.0))


def _in_matrix_space(delta, weight, sigma, rhs, split):
    """One unknown for each entry; the coordinates make the system I + sigma Z^T Z."""
    rows, columns, twice = triangle(delta.shape[1])
    scale = twice / np.sqrt(weight[rows, columns])
    Z = delta[:, rows]
    Z *= delta[:, columns]
    Z -= Z.mean(axis=0)
    gram = Z.T @ Z
    gram *= (sigma * scale)[:, None]
    gram *= scale
    gram.flat[:: len(rows) + 1] += 1.0
    _, x, info = dposv(gram, rhs[rows, columns] * scale, overwrite_a=True, overwrite_b=True)
    if info:
        return None
    x *= scale / (twice * twice)
    H = np.empty_like(rhs)
    H[rows, columns] = x
    H[columns, rows] = x
    return H


def _conjugate_gradients(delta, weight, sigma, rhs, tolerance):
    # A rough direction is as good in single precision, at half the cost.
    precision = np.float32 if tolerance >= 1e-4 else np.float64
    size = np.linalg.norm(rhs)
    delta, weight = delta.astype(precision), weight.astype(precision)
    sigma = precision(sigma)
    jacobi = weight + sigma * _diagonal(delta)
    H = np.zeros_like(weight)
    r = (rhs / size).astype(precision)
    p = y = r / jacobi
    ry = np.vdot(r, y)
    for _ in range(_MAX_CG):
        v = np.einsum("ij,ij->i", delta @ p, delta)
        v -= v.sum() / len(v)
        q = weight * p + delta.T @ (delta * (sigma * v)[:, None])
        curvature = np.vdot(p, q)
        if not curvature > 0.0:
            break  # lost in rounding
        step = ry / curvature
        H += step * p
        r = r - step * q
        if np.vdot(r, r) <= tolerance**2:
            break
        y = r / jacobi
        ry, previous = np.vdot(r, y), ry
        p = y + (ry / previous) * p
    return (0.5 * size) * (H + H.T).astype(np.float64)


def _diagonal(delta):
    """The diagonal of H -> sum_p <X_p - mean, H> X_p, the Jacobi preconditioner's data."""
    squares = delta * delta
    mean = delta.T @ delta / len(delta)
    diagonal = 2.0 * np.maximum(squares.T @ squares - len(delta) * mean * mean, 0.0)
    diagonal[np.diag_indices(len(diagonal))] *= 0.5
    return diagonal
