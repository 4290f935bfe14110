"""The Newton system of the smoothed problem, on symmetric matrices."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

_DIRECT = 300  # a dense factorisation up to this size, conjugate gradients beyond
_MAX_CG = 300


def solve_newton(delta, weight, sigma, rhs, tolerance):
    """Solve ``weight * H + sigma * sum_p <X_p - mean, H> X_p = rhs`` for a symmetric H.

    ``delta`` holds the differences of the free pairs in the basis in which the cone's part of
    the Hessian is the elementwise factor ``weight``; centring comes from eliminating the bias.
    """
    n_free, d = delta.shape
    if n_free == 0:
        return rhs / weight
    if min(n_free, d * (d + 1) // 2) <= _DIRECT:
        return _direct(delta, weight, sigma, rhs)
    return _conjugate_gradients(delta, weight, sigma, rhs, tolerance)


def _direct(delta, weight, sigma, rhs):
    n_free, d = delta.shape
    rows, columns = np.triu_indices(d)
    # Coordinates in which the system is I + sigma Z^T Z: the off-diagonal ones count twice.
    scale = np.where(rows == columns, 1.0, np.sqrt(2.0)) / np.sqrt(weight[rows, columns])
    Z = delta[:, rows] * delta[:, columns] * scale
    Z -= Z.mean(axis=0)
    r = rhs[rows, columns] * scale
    if n_free < len(rows):
        gram = Z @ Z.T
        gram[np.diag_indices(n_free)] += 1.0 / sigma
        x = r - Z.T @ cho_solve(cho_factor(gram, overwrite_a=True), Z @ r)
    else:
        gram = sigma * (Z.T @ Z)
        gram[np.diag_indices(len(rows))] += 1.0
        x = cho_solve(cho_factor(gram, overwrite_a=True), r)
    x *= scale * np.where(rows == columns, 1.0, 0.5)
    H = np.zeros((d, d))
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
        step = ry / np.vdot(p, q)
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
