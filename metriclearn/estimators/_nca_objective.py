"""NCA's objective and gradient, in blocks of rows and without what is lost in rounding."""

import numba
import numpy as np

from ._exp import _exp

_BLOCK = 1_000_000  # entries of a block of distances
_NEGLIGIBLE = 40.0  # exp(-40) of the largest p_ij of a row is taken as 0
_SPARSE_BELOW = 0.08  # share of the other pairs from which on blocks are faster dense
_PROBED = 32  # rows from which that share is estimated
_MAX_SLACK = 4.0  # largest error of distances in single precision that is worth screening with


def objective(L, X, y, rows=None):
    """sum of p_i over the rows (default all) and its gradient in L.

    With W_ij = p_ij (p_i - [y_i = y_j]) the gradient is 2 sum W_ij L (x_i-x_j)(x_i-x_j)^T. As L
    grows most p_ij fall below e^-40 of the largest of their row. Where few remain they are found by
    distances in single precision, with a bound on their error, and then computed exactly.
    """
    Z = X @ L.T
    norms = np.einsum("ij,ij->i", Z, Z)
    rows = np.arange(len(X)) if rows is None else rows
    size = max(1, _BLOCK // len(X))
    columns, sums = np.zeros(len(X)), np.empty(len(rows))  # sums of W by column and by row
    WX = np.empty((len(rows), X.shape[1]), dtype=X.dtype)
    slack = 4.0 * (Z.shape[1] + 8) * np.finfo(np.float32).eps * norms.max()
    sparse = slack <= _MAX_SLACK and _share(Z, norms, rows) < _SPARSE_BELOW
    if sparse:
        single, single_norms = Z.astype(np.float32), norms.astype(np.float32)
    value = 0.0
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        i = rows[block]
        if sparse:
            S = single[i] @ single.T
            reach = np.float32(_NEGLIGIBLE + 2.0 * slack)
            value += _sparse(S, single_norms, reach, Z, X, i, y, sums[block], columns, WX[block])
        else:
            S = Z[i] @ Z.T
            value += _dense(S, norms, i, y, sums[block], columns)
            WX[block] = S @ X
    sums, columns = sums.astype(X.dtype), columns.astype(X.dtype)
    G = (Z[rows] * sums[:, None] - WX @ L.T).T @ X[rows] - Z[rows].T @ WX
    G += (Z * columns[:, None]).T @ X
    return value, 2.0 * G


def _share(Z, norms, rows):
    """About the share of pairs with a p_ij that counts, from some of the rows."""
    own = rows[:: max(1, len(rows) // _PROBED)]
    S = 2.0 * Z[own] @ Z.T - norms
    S[np.arange(len(own)), own] = -np.inf
    return np.mean(S > S.max(axis=1, keepdims=True) - _NEGLIGIBLE)


@numba.njit(cache=True, fastmath={"reassoc", "contract", "nnan", "nsz"}, error_model="numpy")
def _dense(S, norms, own, y, sums, columns):
    """Inner products become W, its sums by row and column are kept; returns the sum of p_i."""
    n = S.shape[1]
    e, bits = np.empty(n), np.empty(n, dtype=np.int64)
    value = 0.0
    for r in range(S.shape[0]):
        row, i = S[r], own[r]
        for j in range(n):  # minus the squared distance, up to a constant of the row
            e[j] = row[j] + row[j] - norms[j]
        e[i] = -1e300
        largest = e[0]
        for j in range(n):
            largest = max(largest, e[j])
        for j in range(n):
            e[j] -= largest
        _exp(e, e, bits)
        e[i] = 0.0
        total, same = 0.0, 0.0
        for j in range(n):
            total += e[j]
            same += e[j] if y[j] == y[i] else 0.0
        p = same / total if total > 0.0 else 0.0
        s = 0.0
        for j in range(n):
            w = e[j] / total * (p - 1.0 if y[j] == y[i] else p)
            row[j] = w
            s += w
            columns[j] += w
        sums[r] = s
        value += p
    return value


@numba.njit(cache=True, fastmath={"reassoc", "contract", "nnan", "nsz"}, error_model="numpy")
def _sparse(S, norms, reach, Z, X, own, y, sums, columns, WX):
    """The same from inner products in single precision, which only say which pairs count.

    W itself is not kept, only its product with X.
    """
    n = S.shape[1]
    some, e = np.empty(n, dtype=np.int64), np.empty(n)
    value = 0.0
    for r in range(S.shape[0]):
        row, i = S[r], own[r]
        for j in range(n):
            row[j] = row[j] + row[j] - norms[j]
        row[i] = -np.finfo(np.float32).max
        limit = row[0]
        for j in range(n):
            limit = max(limit, row[j])
        limit -= reach
        row[i] = -np.inf
        count, least = 0, np.inf
        for j in range(n):
            if row[j] >= limit:
                squared = 0.0
                for f in range(Z.shape[1]):
                    squared += (Z[i, f] - Z[j, f]) ** 2
                some[count], e[count] = j, squared
                least = min(least, squared)
                count += 1
        total, same = 0.0, 0.0
        for c in range(count):
            e[c] = np.exp(least - e[c])
            total += e[c]
            if y[some[c]] == y[i]:
                same += e[c]
        p = same / total if total > 0.0 else 0.0
        s = 0.0
        WX[r] = 0.0
        for c in range(count):
            j = some[c]
            w = e[c] / total * (p - 1.0 if y[j] == y[i] else p)
            s += w
            columns[j] += w
            for f in range(X.shape[1]):
                WX[r, f] += w * X[j, f]
        sums[r] = s
        value += p
    return value
