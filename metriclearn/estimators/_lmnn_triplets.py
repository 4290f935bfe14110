"""LMNN's problem: whitening, exact search for impostors in tiles, sums over triplets."""

import numba
import numpy as np

from .base import factor

_TILE = 1024  # samples per side of a tile of distances
_STRIP = 128  # rows of a tile at a time: their distances stay in the processor's cache
_MAX_PAIRS = 20_000_000  # impostors kept at a time: 160 MB of indices
_NATIVE = 2 * 10**8  # differences of one call of compiled code, about a second
_RIDGE = 1e-3  # of the mean eigenvalue of the pull matrix, where that matrix is singular


class Whitened:
    """Coordinates X W, up to a shift, in which the pull term is the trace of the metric."""

    def __init__(self, X, targets, c):
        # Features of one size first, so that their units don't decide the rank.
        scale = np.abs(X).max(axis=0)
        scale = np.where(scale > 0.0, scale, 1.0)
        X = X / scale
        X = X - X.mean(axis=0)
        size = np.abs(X).max(axis=0)
        if not (size > 1e-14).any():
            raise ValueError("all samples are identical: there is nothing to learn a metric from.")
        size = np.where(size > 1e-14, size, np.inf)
        X = X / size
        _, s, Vt = np.linalg.svd(X, full_matrices=False)
        Vt = Vt[s > s[0] * max(X.shape) * np.finfo(float).eps]
        X = X @ Vt.T
        i, column = np.nonzero(targets >= 0)
        delta = X[i] - X[targets[i, column]]
        w, U = np.linalg.eigh((1.0 - c) * (delta.T @ delta))
        if w[0] <= 1e-10 * w[-1]:
            w = np.maximum(w, 0.0) + _RIDGE * (w.mean() if w[-1] > 0.0 else np.sum(X * X))
        self.W = (Vt.T @ (U / np.sqrt(w))) / size[:, None] / scale[:, None]
        # Differences of samples are those of X times this, up to a factor; constant features come
        # back as 0.
        varies = np.isfinite(size)
        size = np.where(varies, size, 0.0) * np.where(varies, scale / scale[varies].max(), 0.0)
        self.back = (np.sqrt(w)[:, None] * (U.T @ Vt)) * (size / size.max())
        self.X = np.ascontiguousarray(X @ (U / np.sqrt(w)))


class Problem:
    """min over M >= 0 of tr M + c sum [1 + d_M(i,j) - d_M(i,l)]_+ and its dual."""

    def __init__(self, X, y, targets, c):
        self.X, self.y, self.targets, self.c = X, y.astype(np.int32), targets, c
        self._flow = np.zeros_like(X)

    def start(self, A):
        """The multiple of A that is best for the nearest impostors of some samples.

        Where that is 0, which gives the descent no direction, the one with a pull term of one per
        sample.
        """
        X, trace = self.X @ factor(A).T, np.trace(A)
        some = np.flatnonzero(self.targets[:, 0] >= 0)
        some = some[:: max(1, len(some) // 100)]
        pull = np.full((len(some), self.targets.shape[1]), -np.inf)
        push = np.full((len(some), min(200, len(X))), np.inf)
        for row, i in enumerate(some):
            near = self.targets[i][self.targets[i] >= 0]
            pull[row, : len(near)] = np.sum((X[i] - X[near]) ** 2, axis=1)
            far = np.sum((X[i] - X[self.y != self.y[i]]) ** 2, axis=1)
            if len(far) > push.shape[1]:
                far = np.partition(far, push.shape[1] - 1)[: push.shape[1]]
            push[row, : len(far)] = np.sort(far)
        pull, push = pull[:, :, None], push[:, None, :]
        weight = self.c * len(X) / len(some)

        def value(s):
            hinge = np.maximum(1.0 + s * (pull - push), 0.0)
            return s * trace + weight * np.sum(hinge)

        one = len(X) / trace
        multiples = one * 2.0 ** np.arange(-40.0, 41.0)
        best = min(multiples, key=value)
        return one if best == multiples[0] else best

    def search(self, M, reach):
        """All (i, l) with d(i,l) < 1 + max_j d(i,j) + reach."""
        Z = self.X @ factor(M).T
        radius = np.full(len(Z), -np.inf)
        for column in self.targets.T:
            has = column >= 0
            distance = np.sum((Z[has] - Z[column[has]]) ** 2, axis=1)
            radius[has] = np.maximum(radius[has], 1.0 + reach + distance)
        Z = Z - Z.mean(axis=0)
        single = Z.astype(np.float32)
        norms = np.einsum("ij,ij->i", Z, Z)
        slack = 4.0 * (Z.shape[1] + 8) * np.finfo(np.float32).eps * norms.max()
        norms, limit = norms.astype(np.float32), (radius + slack).astype(np.float32)
        products = np.empty((_STRIP, _TILE), dtype=np.float32)
        buffer = np.empty((2 * _STRIP * _TILE, 2), dtype=np.int32)
        found, total = [], 0
        for top in range(0, len(Z), _TILE):
            for left in range(top, len(Z), _TILE):
                columns = np.ascontiguousarray(single[left : left + _TILE].T)
                for row in range(top, min(top + _TILE, len(Z)), _STRIP):
                    rows = single[row : min(row + _STRIP, top + _TILE)]
                    product = products[: len(rows), : columns.shape[1]]
                    np.matmul(rows, columns, out=product)
                    count = _scan(product, row, left, norms, limit, Z, radius, self.y, buffer)
                    found.append(buffer[:count].copy())
                    total += count
                if total > _MAX_PAIRS:
                    raise ValueError(
                        f"more than {_MAX_PAIRS} pairs of a sample and an impostor: the classes "
                        f"overlap too much for LMNN with {len(Z)} samples; fit fewer of them."
                    )
        return np.concatenate(found)

    def objective(self, M, index):
        """The objective proper and the number of violated triplets."""
        *_, hinge, count = self.evaluate(M, index, 1e-300)
        return np.trace(M) + self.c * hinge, count

    def rounded(self, M, index, h):
        """Rounded objective, its gradient, and the lower bounds its lambda gives: on the objective
        proper and on the rounded one."""
        smooth, total, squares, _, _ = self.evaluate(M, index, h, fill=True)
        B = self.c * (self.X.T @ self._flow)
        B = 0.5 * (B + B.T)
        scale = 1.0 / max(1.0, np.linalg.eigvalsh(B)[-1])
        bound = self.c * scale * total
        bounds = np.array([bound, bound - 0.5 * self.c * h * scale**2 * squares])
        return np.trace(M) + self.c * smooth, np.eye(len(M)) - B, bounds

    def subgradient(self, M, index):
        """The objective over some impostors and a subgradient of it."""
        *_, hinge, _ = self.evaluate(M, index, 1e-300, fill=True)
        B = self.c * (self.X.T @ self._flow)
        return np.trace(M) + self.c * hinge, np.eye(len(M)) - 0.5 * (B + B.T)

    def evaluate(self, M, index, h, fill=False):
        """Sums over triplets: rounded hinge, lambda, its square, hinge, violations.

        With ``fill``, ``_flow`` becomes F with X^T F = sum lambda (X_il - X_ij), where
        X_ij = (x_i - x_j)(x_i - x_j)^T.
        """
        X, Y, flow = self.X, self.X @ M, self._flow
        near = _target_distances(X, Y, self.targets)
        pulled = np.zeros_like(near)
        if fill:
            flow[:] = 0.0
        share = max(1, _NATIVE // X.shape[1])  # pairs per call: Ctrl-C is noticed in between
        sums = np.zeros(5)
        for start in range(0, len(index), share):
            some = index[start : start + share]
            sums += _push(X, Y, near, some, h, pulled, flow, fill)
        if fill:
            _pull(X, self.targets, pulled, flow)
        return (*sums[:4], int(sums[4]))


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _scan(product, top, left, norms, limit, Z, radius, y, buffer):
    """Pairs (sample, impostor) of a strip, in both roles; single precision first, then double."""
    count, near = 0, np.empty(product.shape[1], dtype=np.int32)
    for r in range(product.shape[0]):
        i = top + r
        first = max(0, i + 1 - left)
        row, begin, end = product[r, first:], left + first, left + product.shape[1]
        # Without a branch, so that several are compared at once.
        norm, most, label = norms[begin:end], limit[begin:end], y[begin:end]
        own_norm, own_most, own_label = norms[i], limit[i], y[i]
        for s in range(len(row)):
            v = own_norm + norm[s] - np.float32(2.0) * row[s]
            within = np.int32(v <= own_most) | np.int32(v <= most[s])
            near[s] = within & np.int32(label[s] != own_label)
        for s in range(len(row)):
            if near[s]:
                j = begin + s
                exact = 0.0
                for f in range(Z.shape[1]):
                    exact += (Z[i, f] - Z[j, f]) ** 2
                if exact < radius[i]:
                    buffer[count, 0], buffer[count, 1] = i, j
                    count += 1
                if exact < radius[j]:
                    buffer[count, 0], buffer[count, 1] = j, i
                    count += 1
    return count


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _target_distances(X, Y, targets):
    """Squared distances to the targets, -inf where there is none; Y is X M."""
    n, k = targets.shape
    near = np.empty((n, k))
    for i in range(n):
        for a in range(k):
            near[i, a] = -np.inf
            j = targets[i, a]
            if j >= 0:
                s = 0.0
                for f in range(X.shape[1]):
                    s += (X[i, f] - X[j, f]) * (Y[i, f] - Y[j, f])
                near[i, a] = s
    return near


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _push(X, Y, near, index, h, pulled, flow, fill):
    """The sums of ``evaluate`` over some impostors; adds lambda to ``pulled`` and to ``flow``."""
    k, d = near.shape[1], X.shape[1]
    rounded, total, squares, hinge, count = 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(len(index)):
        i, m = index[p, 0], index[p, 1]
        s = 0.0
        for f in range(d):
            s += (X[i, f] - X[m, f]) * (Y[i, f] - Y[m, f])
        weight = 0.0
        for a in range(k):
            v = 1.0 + near[i, a] - s
            if v > 0.0:
                count += 1.0
                hinge += v
                lam = min(1.0, v / h)
                rounded += lam * (v - 0.5 * h * lam)
                squares += lam * lam
                weight += lam
                pulled[i, a] += lam
        total += weight
        if fill and weight > 0.0:
            for f in range(d):
                z = weight * (X[i, f] - X[m, f])
                flow[i, f] += z
                flow[m, f] -= z
    return np.array([rounded, total, squares, hinge, count])


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _pull(X, targets, pulled, flow):
    """The part of the targets in ``flow``."""
    n, k = targets.shape
    for i in range(n):
        for a in range(k):
            if pulled[i, a] > 0.0:
                j = targets[i, a]
                for f in range(X.shape[1]):
                    z = pulled[i, a] * (X[i, f] - X[j, f])
                    flow[i, f] -= z
                    flow[j, f] += z
