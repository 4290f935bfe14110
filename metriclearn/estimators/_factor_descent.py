"""Smooth convex problems over PSD matrices, solved in the factor: what MCML and LDML share.

    min over M >= 0, c:   f(M, c),   f convex and smooth, c a few free numbers

With M = L^T L and a square L this has no local optimum that is not global: at a stationary L of
full rank the gradient G in M vanishes, and a rank-deficient one at which G has a negative
eigenvalue is a saddle, which a descent leaves. So L-BFGS on (L, c) ends at the convex optimum,
after far fewer passes over the pairs than projected gradient, and says how far from it it is.
"""

import numpy as np
from scipy.optimize import minimize


def whitening(scatter, *, rank_tol=1e-10):
    """T (d, r) with T^T scatter T = I, on the range of a PSD matrix.

    Features are first brought to the same scale, so that their units don't decide the rank.
    """
    scale = np.sqrt(np.maximum(np.diag(scatter), 0.0))
    scale = np.where(scale > 0.0, scale, 1.0)
    w, U = np.linalg.eigh(scatter / scale[:, None] / scale)
    keep = w > rank_tol * max(w[-1], np.finfo(float).tiny)
    U[np.diag(scatter) == 0.0] = 0.0  # exactly: the feature may have a huge constant
    return U[:, keep] / np.sqrt(w[keep]) / scale[:, None]


def optimality_gap(M, G, c, g, least_trace=0.0):
    """How much f may still fall, from the KKT conditions: <G, M> = 0, G >= 0, g = 0.

    By convexity f(M, c) - f(M*, c*) <= <G, M> - <G, M*> + g.(c - c*), which this bounds with the
    trace of M* and the size of c* replaced by those of the iterate (but a trace of at least
    ``least_trace``, so that no iterate near 0 passes for optimal).
    """
    lowest = min(np.linalg.eigvalsh(G)[0], 0.0)
    trace = max(np.trace(M), least_trace)
    return abs(np.vdot(G, M)) - lowest * trace + float(np.abs(g) @ np.abs(c))


def minimize_factor(objective, L, c, *, target, max_iter, report=None):
    """L-BFGS on ``objective(L, c) -> (f, G, g)``, G the gradient in M and g that in c.

    Stops when ``optimality_gap`` is at most ``target``. Returns L, c, f, the gap and the objective
    after each iteration, which never rises.
    """
    r = L.shape[1]
    start = np.vdot(L, L)
    state = {}
    path = []

    def split(x):
        return x[: r * r].reshape(r, r), x[r * r :]

    def evaluate(x):
        L, c = split(x)
        f, G, g = objective(L, c)
        state.update(x=x.copy(), f=f, G=G, g=g)
        return f, np.concatenate([(2.0 * L @ G).ravel(), g])

    def gap_at(x):
        if not np.array_equal(state["x"], x):
            evaluate(x)
        L, c = split(x)
        return optimality_gap(L.T @ L, state["G"], c, state["g"], start)

    def callback(x):
        gap = gap_at(x)
        path.append(state["f"])
        if report is not None:
            report(len(path), state["f"], gap)
        if gap <= target:
            raise StopIteration

    x = np.concatenate([L.ravel(), c])
    result = minimize(
        evaluate,
        x,
        jac=True,
        method="L-BFGS-B",
        callback=callback,
        options={
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "ftol": 0.0,
            "gtol": 0.0,
            "maxcor": 20,
        },
    )
    gap = gap_at(result.x)
    L, c = split(result.x)
    return L, c, float(result.fun), gap, np.array(path)
