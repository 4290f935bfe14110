"""Small seeded problems, and the same problems solved by cvxpy."""

import cvxpy as cp
import numpy as np


def random_pairs(seed, d, n_pairs, share_similar):
    """Gaussian pairs, the dissimilar ones longer; both kinds present."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n_pairs) < share_similar, 1, -1)
    y[:2] = 1, -1
    delta = rng.standard_normal((n_pairs, d)) * rng.uniform(0.2, 2.0, d)
    delta[y < 0] *= rng.uniform(1.0, 2.5)
    first = rng.standard_normal((n_pairs, d))
    return np.stack([first, first + delta], axis=1), y


def optimum(model, pairs, y, C):
    """Optimal value of (4), (17) or the plain SVM by an interior point method."""
    delta = pairs[:, 0] - pairs[:, 1]
    n, d = delta.shape
    h = -y
    b = cp.Variable()
    if model == "NCML":
        alpha = cp.Variable(n, nonneg=True)
        K = (delta @ delta.T) ** 2
        w, U = np.linalg.eigh(K)
        a, norm2 = K @ alpha, cp.sum_squares((U * np.sqrt(np.maximum(w, 0.0))).T @ alpha)
    else:
        kind = {"PSD": True} if model == "PCML" else {"symmetric": True}
        M = cp.Variable((d, d), **kind)
        X = np.einsum("pi,pj->pij", delta, delta).reshape(n, -1)
        a, norm2 = X @ cp.vec(M, order="C"), cp.sum_squares(M)
    loss = cp.sum(cp.pos(1.0 - cp.multiply(h, a + b)))
    problem = cp.Problem(cp.Minimize(0.5 * norm2 + C * loss))
    problem.solve(solver=cp.CLARABEL)
    return problem.value
