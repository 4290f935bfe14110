"""DML-eig's problem: the largest smoothed minimum of <Y_ij, A>, over PSD A with trace 1."""

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from .base import factor

_SCALE = 0.3  # of the mean distance: mu above it are easy
_ROUGH_TOL = 1e-2  # for the optima at larger mu that are only starts
_CHECK = 10  # iterations from one evaluation of the gap to the next
_MEMORY = 20  # pairs of L-BFGS
_HALVINGS = 100  # of a step, at most


def smooth_minimum(values, mu):
    """f_mu of the distances <Y_ij, A>, and the weights of the Y_ij in its gradient."""
    least = values.min()
    weight = np.exp((least - values) / mu)
    total = weight.sum()
    return least - mu * np.log(total), weight / total


def mean_scale(f, mu, n):
    """f_mu + mu ln n, what the gap is compared with: between the least and the mean distance."""
    return f + mu * np.log(n)


def _distances(Y, A):
    return np.einsum("ij,ij->i", Y @ A, Y)


def _gradient(Y, weight):
    some = weight > 1e-18
    return (Y[some] * weight[some, None]).T @ Y[some]


def project_trace_one(A):
    """The nearest PSD matrix of trace 1: its eigenvalues projected on the simplex."""
    w, U = np.linalg.eigh(A)
    falling = w[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(w) + 1)
    theta = excess[np.flatnonzero(falling > excess)[-1]]
    w = np.maximum(w - theta, 0.0)
    return (U * w) @ U.T


def frank_wolfe(Y, mu, tol, max_iter, verbose=False):
    """Maximise f_mu over PSD matrices of trace 1, from I/d, one eigenvector per step."""
    d = Y.shape[1]
    A, path = np.eye(d) / d, []
    values = _distances(Y, A)
    while True:
        f, weight = smooth_minimum(values, mu)
        G = _gradient(Y, weight)
        w, U = np.linalg.eigh(G)
        gap, least = w[-1] - np.vdot(G, A), values.min()
        path.append(f)
        if verbose and len(path) % 50 == 0:
            _report(len(path), f, gap)
        if gap <= tol * mean_scale(f, mu, len(Y)) or len(path) >= max_iter:
            return A, np.array(path), gap, least, len(path)
        change = (Y @ U[:, -1]) ** 2 - values
        best = minimize_scalar(
            lambda a: -smooth_minimum(values + a * change, mu)[0],  # noqa: B023
            bounds=(0.0, 1.0),
            method="bounded",
            options={"xatol": 1e-6},
        )
        if -best.fun <= f:  # no step on this segment in floating point
            return A, np.array(path), gap, least, len(path)
        A = (1.0 - best.x) * A + best.x * np.outer(U[:, -1], U[:, -1])
        values = values + best.x * change


def fista(Y, mu, tol, max_iter, verbose=False):
    """The same by accelerated projected gradient."""
    return _from_larger_mu(_ascend, Y, mu, tol, max_iter, verbose)


def lbfgs(Y, mu, tol, max_iter, verbose=False):
    """The same by L-BFGS in a factor of A."""
    return _from_larger_mu(_climb, Y, mu, tol, max_iter, verbose)


def _from_larger_mu(solve, Y, mu, tol, max_iter, verbose):
    """The smaller mu the more steps it takes, and most of them far from the optimum; so the start
    is the rough optimum for ten times mu, and so on up to the scale of the distances.

    On the way down mu ends where mu ln n is within the tolerance: from there on f_mu is the
    minimum of the distances for all that it matters, and what is left is to certify A for mu.
    """
    n, d = Y.shape
    A, n_iter, larger = np.eye(d) / d, 0, [mu]
    while 10.0 * larger[-1] < _SCALE:
        larger.append(10.0 * larger[-1])
    for rough in larger[:0:-1]:
        share = (max_iter - n_iter) // 4
        if share > 0:
            A, path, *_ = solve(Y, A, rough, _ROUGH_TOL, share, verbose)
            n_iter += len(path)
            enough = 0.4 * tol * mean_scale(path[-1], rough, n) / np.log(max(n, 2))
            if enough > 0.1 * rough and enough > mu:
                A, path, *_ = solve(Y, A, enough, 0.6 * tol, max_iter - n_iter, verbose)
                f, gap, least = _certify(Y, A, mu, enough)
                return A, np.array([f]), gap, least, n_iter + len(path)
    A, path, gap, least = solve(Y, A, mu, tol, max_iter - n_iter, verbose)
    return A, path, gap, least, n_iter + len(path)


def _certify(Y, A, mu, larger):
    """f_mu at A, its gap by the weights of a larger mu, and the least distance.

    Any weights w bound f_mu: min over w of <sum w Y, A> + mu sum w ln w is f_mu itself.
    """
    values = _distances(Y, A)
    f, _ = smooth_minimum(values, mu)
    _, weight = smooth_minimum(values, larger)
    bound = np.linalg.eigvalsh(_gradient(Y, weight))[-1]
    bound += mu * np.sum(weight * np.log(np.maximum(weight, 1e-300)))
    return f, max(bound - f, 0.0), values.min()


def _climb(Y, A, mu, tol, max_iter, verbose):
    """L-BFGS in L, where A = L^T L / |L|^2, from A; what it can't finish FISTA does.

    A square L has no local optimum that is not global, see ``_factor_descent``. The gap is that
    of the concave problem and so a certificate.
    """
    d = Y.shape[1]
    L = factor(A)
    path, state = [smooth_minimum(_distances(Y, A), mu)[0]], {}

    def evaluate(x):
        L = x.reshape(d, d)
        size = np.vdot(L, L)
        Z = Y @ L.T
        values = np.einsum("ij,ij->i", Z, Z) / size
        f, weight = _soft_minimum(values, mu)
        mean = weight @ values
        some = weight > 1e-18
        G = (Z[some] * weight[some, None]).T @ Y[some]
        state.update(x=x.copy(), f=f, weight=weight, mean=mean)
        return -f, (mean * L - G).ravel() * (2.0 / size)

    def callback(x):
        if not np.array_equal(state["x"], x):
            evaluate(x)
        path.append(max(path[-1], state["f"] - mu * np.log(len(Y))))
        if len(path) >= max_iter:
            raise StopIteration
        if len(path) % _CHECK == 0:
            gap = np.linalg.eigvalsh(_gradient(Y, state["weight"]))[-1] - state["mean"]
            if verbose and len(path) % 50 == 0:
                _report(len(path), path[-1], gap)
            if gap <= tol * state["f"]:
                raise StopIteration

    if len(path) < max_iter:
        options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 0.0, "gtol": 0.0}
        result = minimize(
            evaluate,
            L.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=callback,
            options=options | {"maxcor": _MEMORY},
        )
        L = result.x.reshape(d, d)
        new = L.T @ L / np.vdot(L, L)
        if smooth_minimum(_distances(Y, new), mu)[0] >= path[0]:
            A = new
    A, rest, gap, least = _ascend(Y, A, mu, tol, max(1, max_iter - len(path) + 1), verbose)
    return A, np.maximum.accumulate(np.concatenate([path[:-1], rest])), gap, least


def _soft_minimum(values, mu):
    """f_mu + mu ln n and the weights, to full precision also where mu is large."""
    least = values.min()
    exponent = (least - values) / mu
    weight = np.exp(exponent)
    return least - mu * np.log1p(np.mean(np.expm1(exponent))), weight / weight.sum()


def _ascend(Y, A, mu, tol, max_iter, verbose):
    """FISTA from A: backtracking, restart, never downhill; also f_mu, the gap, the minimum."""
    values = _distances(Y, A)
    f, weight = smooth_minimum(values, mu)
    B, B_values, momentum, step = A, values, 1.0, mu
    path, gap = [f], np.inf
    while True:
        last = len(path) >= max_iter
        if last or len(path) == 1 or len(path) % _CHECK == 0:
            gap = _gap(Y, weight, A)
            if verbose and len(path) % 50 == 0:
                _report(len(path), f, gap)
            if last or gap <= tol * mean_scale(f, mu, len(Y)):
                break
        if momentum > 1.0:
            B_f, B_weight = smooth_minimum(B_values, mu)
        else:
            B_f, B_weight = f, weight
        G = _gradient(Y, B_weight)
        step *= 1.5
        for _ in range(_HALVINGS):
            new = project_trace_one(B + step * G)
            new_values = _distances(Y, new)
            new_f, new_weight = smooth_minimum(new_values, mu)
            move = new - B
            bound = B_f + np.vdot(G, move) - np.vdot(move, move) / (2.0 * step)
            if new_f >= bound - 1e-12 * max(abs(new_f), mu):
                break
            step *= 0.5
        if not new_f >= f and momentum == 1.0:  # no step in floating point
            gap = _gap(Y, weight, A)
            break
        path.append(max(f, new_f))
        if not new_f >= f:  # the momentum overshot: drop it and step from A itself
            B, B_values, momentum = A, values, 1.0
            continue
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ratio = (momentum - 1.0) / following
        B, B_values = new + ratio * (new - A), new_values + ratio * (new_values - values)
        A, values, f, weight, momentum = new, new_values, new_f, new_weight, following
    return A, np.array(path), gap, values.min()


def _gap(Y, weight, A):
    """The Frank-Wolfe gap at A: f_mu is at most this far below its maximum."""
    G = _gradient(Y, weight)
    return np.linalg.eigvalsh(G)[-1] - np.vdot(G, A)


def _report(iteration, f, gap):
    print(f"DMLEig {iteration:4d}: f_mu / unit {f:.6g}, gap at most {gap:.2e}", flush=True)
