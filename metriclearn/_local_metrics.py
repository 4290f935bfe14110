"""The two convex problems of PLML, each by FISTA; see ``plml.PLML`` for the formulas."""

import numba
import numpy as np


@numba.njit(cache=True)
def project_simplex(V):
    """Each row of V becomes the nearest point with non-negative entries of sum 1."""
    n, m = V.shape
    for i in range(n):
        falling = np.sort(V[i])[::-1]
        total = theta = 0.0
        for b in range(m):
            total += falling[b]
            excess = (total - 1.0) / (b + 1)
            if falling[b] > excess:
                theta = excess
        for b in range(m):
            V[i, b] = max(V[i, b] - theta, 0.0)


def weights_objective(W, K, C, laplacian, lambda2):
    """<C, W> + <W, W K> + lambda2 <W, L W> and its gradient, K = U U^T."""
    WK, LW = W @ K, lambda2 * (laplacian @ W)
    return np.vdot(W, C + WK + LW), C + 2.0 * (WK + LW)


def anchor_weights(X, U, laplacian, lambda1, lambda2, *, tol, max_iter):
    """W of the first problem; also its objective, a bound on the gap, and the iterations."""
    norms, U_norms = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", U, U)
    XU = X @ U.T
    G = np.maximum(norms[:, None] + U_norms - 2.0 * XU, 0.0)
    C = lambda1 * G - 2.0 * XU
    K = U @ U.T
    constant = norms.sum()
    degree = laplacian.diagonal()
    coo = laplacian.tocoo()
    ends = (degree[coo.coords[0]] + degree[coo.coords[1]]).max(initial=0.0)  # >= its eigenvalues
    bound = 2.0 * np.linalg.eigvalsh(K)[-1] + 2.0 * lambda2 * ends
    step = 1.0 / max(bound, np.finfo(float).tiny)
    # Start: the nearest anchor.
    W = (G == G.min(axis=1, keepdims=True)).astype(float)
    W /= W.sum(axis=1, keepdims=True)
    V, momentum = W, 1.0
    for n_iter in range(1, max_iter + 1):
        new = V - step * weights_objective(V, K, C, laplacian, lambda2)[1]
        project_simplex(new)
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        if np.vdot(V - new, new - W) > 0.0:  # momentum points the wrong way: restart
            momentum, following = 1.0, 1.0
        V = new + (momentum - 1.0) / following * (new - W)
        W, momentum = new, following
        if n_iter % 10 == 0 or n_iter == max_iter:
            f, gradient = weights_objective(W, K, C, laplacian, lambda2)
            objective = f + constant
            gap = np.vdot(gradient, W) - gradient.min(axis=1).sum()
            if gap <= tol * objective:
                break
    return W, objective, gap, n_iter


class Triplets:
    """Triplets (i, j, l) of all samples and their linear maps, by anchor and without copies of M.

    Sample i has k columns of near samples j of its class and k of others l, so that its triplets
    are a k by k array; ``valid`` marks those that exist.
    """

    def __init__(self, X, W, same, other):
        self.shape = (len(X), same.shape[1], other.shape[1])
        self.near = X[:, None] - X[same]  # index -1 is a sample too: its weight is always 0
        self.far = X[:, None] - X[other]
        self.pulled = (same >= 0).astype(float)
        self.valid = (self.pulled[:, :, None] > 0) & (other >= 0)[:, None, :]
        self.W = W
        self.members = [np.flatnonzero(W[:, b]) for b in range(W.shape[1])]

    def assemble(self, near_weight, far_weight):
        """S_b = sum_i W_ib (sum_l far_il O_il - sum_j near_ij O_ij), one matrix per anchor.

        The weights must not be negative.
        """
        d = self.near.shape[2]
        S = np.zeros((len(self.members), d, d))
        for b, members in enumerate(self.members):
            for delta, weight, sign in (
                (self.far, far_weight, 1.0),
                (self.near, near_weight, -1.0),
            ):
                w = weight[members] * self.W[members, b, None]  # never negative
                row, column = np.nonzero(w)
                D = delta.reshape(-1, d).take(members[row] * w.shape[1] + column, axis=0)
                D *= np.sqrt(w[row, column])[:, None]
                S[b] += sign * (D.T @ D)
        return S

    def distances(self, factors):
        """d_i(j) and d_i(l) for M_b = F_b^T F_b."""
        near, far = np.zeros(self.near.shape[:2]), np.zeros(self.far.shape[:2])
        for b, (members, F) in enumerate(zip(self.members, factors, strict=True)):
            if len(F) == 0:
                continue
            for delta, out in ((self.near, near), (self.far, far)):
                D = delta[members]
                Z = D.reshape(-1, D.shape[2]) @ F.T
                squared = np.einsum("ij,ij->i", Z, Z).reshape(D.shape[:2])
                out[members] += self.W[members, b, None] * squared
        return near, far


def positive_part(S, alpha1):
    """Factors of M_b = [S_b]_+ / (2 alpha1), and sum_b |[S_b]_+|^2 / (4 alpha1)."""
    factors, value = [], 0.0
    for matrix in S:
        w, U = np.linalg.eigh(matrix)
        keep = w > 0.0
        factors.append(np.sqrt(w[keep] / (2.0 * alpha1))[:, None] * U[:, keep].T)
        value += np.sum(w[keep] ** 2)
    return factors, value / (4.0 * alpha1)


def local_metrics(X, W, same, other, alpha1, alpha2, *, tol, max_iter, report=None):
    """M_b of the second problem, its primal and dual objective, and the iterations.

    The dual has one number g in [0, 1] per triplet. With S_b = sum g W_ib (O_il - O_ij)
    - alpha2 sum_ij W_ib O_ij it reads max sum g - sum_b |[S_b]_+|^2 / (4 alpha1), and
    M_b = [S_b]_+ / (2 alpha1): the multipliers of M_b >= 0 are eliminated by clipping eigenvalues.
    """
    triplets = Triplets(X, W, same, other)
    valid = triplets.valid
    pull = triplets.assemble(alpha2 * triplets.pulled, np.zeros(other.shape))
    # Scaling of each sample's triplets: the size of their part of the dual's Hessian.
    length = np.maximum(_largest(triplets.near), _largest(triplets.far))
    size = np.einsum("ib,ib->i", W, W) * length**4
    scale = 1.0 / np.maximum(size, 1e-6 * max(size.max(), np.finfo(float).tiny))[:, None, None]

    def matrices(g):
        return pull + triplets.assemble(g.sum(axis=2), g.sum(axis=1))

    g = np.zeros(triplets.shape)
    S, dual, best, primal = pull, -positive_part(pull, alpha1)[1], None, np.inf
    h, S_h, momentum, step = g, S, 1.0, 2.0 * alpha1
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        factors, quadratic = positive_part(S_h, alpha1)
        near, far = triplets.distances(factors)
        margin = np.where(valid, 1.0 + near[:, :, None] - far[:, None, :], 0.0)
        value = quadratic + np.maximum(margin, 0.0).sum()
        value += alpha2 * np.sum(near * triplets.pulled)
        if value < primal:
            primal, best = value, factors
        dual_h = h.sum() - quadratic
        step *= 1.2
        while True:
            new = np.clip(h + step * scale * margin, 0.0, 1.0)
            S_new = matrices(new)
            move = new - h
            new_sum, new_quadratic = new.sum(), positive_part(S_new, alpha1)[1]
            new_dual = new_sum - new_quadratic
            gain = np.vdot(margin, move) - np.sum(move**2 / scale) / (2.0 * step)
            rounding = 1e-12 * (h.sum() + quadratic + new_sum + new_quadratic)
            if new_dual >= dual_h + gain - rounding or not move.any():
                break
            step *= 0.5
        if report is not None and n_iter % 50 == 0:
            report(n_iter, primal, max(dual, new_dual))
        if new_dual < dual and momentum > 1.0:  # the momentum overshot: restart from the best
            h, S_h, momentum = g, S, 1.0
            continue
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ratio = (momentum - 1.0) / following
        h, S_h = new + ratio * (new - g), S_new + ratio * (S_new - S)
        stalled = new_dual <= dual and not np.any(new != g)
        g, S, dual, momentum = new, S_new, max(dual, new_dual), following
        if primal - dual <= tol * primal or stalled:
            break
    metrics = np.array([F.T @ F for F in best])
    return metrics, float(primal), float(dual), n_iter


def _largest(delta):
    return np.sqrt(np.einsum("ijk,ijk->ij", delta, delta).max(axis=1))
