"""PLML's second problem, the basis metrics, in its dual; see ``plml.PLML`` for the formulas."""

import numba
import numpy as np

_BLOCK = 250_000  # entries of a block of symmetric matrices, one per sample
_HALVINGS = 60  # of a step, at most


class Triplets:
    """Triplets (i, j, l) of all samples and their linear maps.

    Sample i has k columns of near samples j of its class and k of others l, so that its triplets
    are a k by k array; ``valid`` marks those that exist. Both maps go by a symmetric matrix per
    sample, a block of samples at a time: O(n d^2 (k + m)) operations for m anchors.
    """

    def __init__(self, X, W, same, other):
        self.shape = (len(X), same.shape[1], other.shape[1])
        # Index -1 is a sample too: its weight is always 0.
        self.delta = X[:, None] - X[np.concatenate([same, other], axis=1)]
        self.pulled = (same >= 0).astype(float)
        self.valid = (self.pulled[:, :, None] > 0) & (other >= 0)[:, None, :]
        self.W = W
        d = X.shape[1]
        self.upper = np.triu_indices(d)
        self.rows = max(1, _BLOCK // len(self.upper[0]))

    def assemble(self, near_weight, far_weight):
        """S_b = sum_i W_ib (sum_l far_il O_il - sum_j near_ij O_ij), one matrix per anchor."""
        weight = np.concatenate([-near_weight, far_weight], axis=1)
        some = np.flatnonzero(weight.any(axis=1))
        total = np.zeros((self.W.shape[1], len(self.upper[0])))
        buffer = np.empty((min(self.rows, len(some)), total.shape[1]))
        for start in range(0, len(some), self.rows):
            members = some[start : start + self.rows]
            local = buffer[: len(members)]
            _sum_outer(self.delta, weight, members, local)
            total += self.W[members].T @ local
        return self._unpack(total)

    def distances(self, metrics):
        """d_i(j) and d_i(l) for the basis metrics M_b."""
        n, k, _ = self.shape
        packed = metrics[:, self.upper[0], self.upper[1]]
        packed = np.where(self.upper[0] == self.upper[1], packed, 2.0 * packed)
        out = np.empty(self.delta.shape[:2])
        for start in range(0, n, self.rows):
            block = slice(start, start + self.rows)
            _quadratic_forms(self.delta[block], self.W[block] @ packed, out[block])
        return out[:, :k], out[:, k:]

    def _unpack(self, packed):
        d = self.delta.shape[2]
        S = np.empty((len(packed), d, d))
        S[:, self.upper[0], self.upper[1]] = packed
        S[:, self.upper[1], self.upper[0]] = packed
        return S


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _sum_outer(delta, weight, members, out):
    """out_r = sum_s weight_is delta_is delta_is^T for i = members_r, rows of its upper half."""
    d = delta.shape[2]
    for r in range(len(members)):
        i = members[r]
        out[r] = 0.0
        for s in range(delta.shape[1]):
            if weight[i, s] == 0.0:
                continue
            v = delta[i, s]
            p = 0
            for a in range(d):
                w = weight[i, s] * v[a]
                row, rest = out[r, p : p + d - a], v[a:]
                for c in range(d - a):
                    row[c] += w * rest[c]
                p += d - a


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _quadratic_forms(delta, local, out):
    """out_is = delta_is^T M_i delta_is, from the upper halves of M_i with off-diagonals doubled."""
    n, columns, d = delta.shape
    for i in range(n):
        for s in range(columns):
            v = delta[i, s]
            total = 0.0
            p = 0
            for a in range(d):
                row, rest = local[i, p : p + d - a], v[a:]
                inner = 0.0
                for c in range(d - a):
                    inner += row[c] * rest[c]
                total += v[a] * inner
                p += d - a
            out[i, s] = total


def positive_part(S, alpha1):
    """M_b = [S_b]_+ / (2 alpha1), and sum_b |[S_b]_+|^2 / (4 alpha1)."""
    w, U = np.linalg.eigh(S)
    w = np.maximum(w, 0.0)
    F = U * np.sqrt(w / (2.0 * alpha1))[:, None, :]
    return F @ F.transpose(0, 2, 1), np.sum(w**2) / (4.0 * alpha1)


def squared_positive_part(S, alpha1):
    """q(S) = sum_b |[S_b]_+|^2 / (4 alpha1) alone, for which eigenvalues are enough."""
    return np.sum(np.maximum(np.linalg.eigvalsh(S), 0.0) ** 2) / (4.0 * alpha1)


def local_metrics(X, W, same, other, alpha1, alpha2, *, tol, max_iter, report=None, g=None):
    """M_b of the second problem, its primal and dual objective, and the iterations.

    A ``g`` is where the dual starts, such as the solution for another alpha1, and becomes its
    solution.

    The dual has one number g in [0, 1] per triplet. With S_b = sum g W_ib (O_il - O_ij)
    - alpha2 sum_ij W_ib O_ij it reads max sum g - q(S), q(S) = sum_b |[S_b]_+|^2 / (4 alpha1), and
    M_b = [S_b]_+ / (2 alpha1): the multipliers of M_b >= 0 are eliminated by clipping eigenvalues.
    It is solved by FISTA, at one eigendecomposition of each S_b per iteration: as q is smooth,
    q(S') <= q(S) + <M, S' - S> + |S' - S|^2 / (4 alpha1), which tells that most steps are short
    enough; and the dual itself is only evaluated where the step is not, or where the gap may be
    closed.
    """
    triplets = Triplets(X, W, same, other)
    valid = triplets.valid
    pull = triplets.assemble(alpha2 * triplets.pulled, np.zeros(other.shape))
    # Scaling of each sample's triplets: the size of their part of the dual's Hessian.
    length = np.einsum("isk,isk->is", triplets.delta, triplets.delta).max(axis=1)
    size = np.einsum("ib,ib->i", W, W) * length**2
    least = 1e-6 * size.max() if size.any() else 1.0
    scale = 1.0 / np.maximum(size, max(least, np.finfo(float).tiny))[:, None, None]

    def matrices(g):
        return pull + triplets.assemble(g.sum(axis=2), g.sum(axis=1))

    result = g
    g = np.zeros(triplets.shape) if g is None else g.copy()
    S = matrices(g) if g.any() else pull
    dual = g.sum() - squared_positive_part(S, alpha1)
    best, primal = np.zeros_like(pull), float(valid.sum())
    h, S_h, momentum, step = g, S, 1.0, 2.0 * alpha1
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        metrics, quadratic = positive_part(S_h, alpha1)
        near, far = triplets.distances(metrics)
        margin = np.where(valid, 1.0 + near[:, :, None] - far[:, None, :], 0.0)
        value = quadratic + np.maximum(margin, 0.0).sum()
        value += alpha2 * np.sum(near * triplets.pulled)
        if value < primal:
            primal, best = value, metrics
        dual_h = h.sum() - quadratic
        step *= 1.2
        for _ in range(_HALVINGS):
            new = np.clip(h + step * scale * margin, 0.0, 1.0)
            S_new = matrices(new)
            move = new - h
            allowed = np.sum(move**2 / scale) / (2.0 * step)
            new_quadratic = None
            if np.sum((S_new - S_h) ** 2) / (4.0 * alpha1) <= allowed or not move.any():
                break
            new_quadratic = squared_positive_part(S_new, alpha1)
            rounding = 1e-12 * (h.sum() + quadratic + new.sum() + new_quadratic)
            excess = new_quadratic - quadratic - (move.sum() - np.vdot(margin, move))
            if excess <= allowed + rounding:
                break
            step *= 0.5
        else:  # rounding hides every ascent: what there is has to do
            break
        moved = np.any(new != g)
        if new_quadratic is None and (primal - dual_h <= 2.0 * tol * primal or not moved):
            new_quadratic = squared_positive_part(S_new, alpha1)
        if new_quadratic is not None:
            dual = max(dual, new.sum() - new_quadratic)
        if report is not None and n_iter % 50 == 0:
            report(n_iter, primal, dual)
        if primal - dual <= tol * primal or not moved:
            g = new
            break
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        if np.sum(move * (new - g) / scale) < 0.0:  # the momentum overshot: restart
            momentum, following = 1.0, 1.0
        ratio = (momentum - 1.0) / following
        h, S_h = new + ratio * (new - g), S_new + ratio * (S_new - S)
        g, S, momentum = new, S_new, following
    if result is not None:
        result[:] = g
    return best, float(primal), float(dual), n_iter
