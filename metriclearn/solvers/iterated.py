"""Small problems: Newton's method on the dual, each step of which is an SVM.

The dual of all three models is

    max  sum_p lambda_p - 1/2 |P(S(lambda))|^2   s.t.  0 <= lambda <= C,  sum_p lambda_p h_p = 0,

with P the projection onto the cone. Its second-order model at lambda is an SVM with the kernel
<X_p, P' X_q>, P' being the derivative of P at S(lambda): where the paper's alternation has the
identity in the place of P', this takes the curvature from the cone as well. A few steps do at
moderate C, and each of them has a certificate at no further cost: P(S) is in the cone.
"""

import numpy as np

from .hinge import balance, best_bias, best_scale, paper_gap, value_at_zero
from .smo import train_svm
from .solution import Solution

MAX_C = 300.0  # for pairs of unit length: beyond this the steps become many
_MAX_STEPS = 14
_SMO = (5000, 30)  # iterations of an SVM, and per pair
_SMALLEST, _SPARE = 60, 1.3  # size of the working set: at least, and in pairs that may move
_ALL = 250  # pairs that always may be in it
_GUARD = 0.05  # of the identity added to the derivative once a full step was uphill
_BACKTRACKS = 10
_SVM_ACCURACY = 0.3  # in relative gaps
_ROUGH = 0.002  # accuracy of the first projection; of the others, in shares of
_ACCURACY = 0.02, 0.002  # the tolerance and of the gap


def solve_by_svms(space, h, C, make_projection, *, tol, max_iter, report, clock, lam=None):
    """The solution, not converged if the problem is too hard; ``lam`` is a feasible start."""
    best = Solution.empty(space, C)
    at_zero = value_at_zero(h, C)
    projection = make_projection(space, _ROUGH)
    if lam is None:
        lam = _start(h, C)
        projection.at(lam * h)
        total = float(lam.sum())
        t = 1.0 if total >= projection.norm2 else total / projection.norm2
        lam = t * lam
        projection.rescale(t)
    else:
        projection.at(lam * h)
    guard = 0.0
    for iteration in range(1, min(max_iter, _MAX_STEPS) + 1):
        a = projection.distances()
        gap = _certify(best, projection, a, h, C, lam)
        row = best.record(clock, paper_gap(a, h, lam, C, projection.norm2))
        if report is not None:
            report(iteration, row, space.n_pairs)
        if best.close(tol, at_zero) or iteration == min(max_iter, _MAX_STEPS):
            break
        projection.accuracy = max(_ACCURACY[0] * tol, _ACCURACY[1] * gap)
        work = _working_set(a, h, C, lam, projection.share)
        direction, trained = _direction(projection, work, a, h, C, lam, guard, gap)
        value = float(lam.sum()) - 0.5 * projection.norm2
        slope = float((1.0 - h * a) @ direction)
        t = _line_search(projection, h, lam, direction, value, slope)
        if t == 0.0 or not trained:
            break
        lam = lam + t * direction if t < 1.0 else np.clip(lam + direction, 0.0, C)
        balance(lam, h, C)
        guard = max(2.0 * guard, _GUARD) if t < 1.0 else 0.3 * guard
    return best


def _start(h, C):
    """All multipliers at their bound, as far as the two kinds balance: the limit of a small C."""
    n_dissimilar = np.count_nonzero(h > 0.0)
    n_similar = len(h) - n_dissimilar
    share = min(n_similar, n_dissimilar)
    return np.where(h > 0.0, C * share / n_dissimilar, C * share / n_similar)


def _certify(best, projection, a, h, C, lam):
    """Offer both points to the best found so far; returns their relative gap."""
    scale, b, primal = best_scale(a, h, C, projection.norm2)
    dual = float(lam.sum()) - 0.5 * projection.dual_norm2(scale)
    alpha = None if projection.alpha is None else scale * projection.alpha
    M = scale * projection.matrix()
    best.keep(primal, dual, M, b, lam, alpha, together=alpha is not None)
    return max(0.0, (primal - dual) / primal)


def _working_set(a, h, C, lam, share):
    """The pairs whose multipliers are free, want to move, or are next in line to.

    Of many free ones, as at the start, those nearest to their margin.
    """
    n = len(lam)
    slack = 1.0 - h * (a + best_bias(a, h))
    away = np.where(lam <= 0.0, -slack, np.where(lam >= C, slack, -np.inf))
    moving = np.count_nonzero(away <= 0.0)
    size = max(_SMALLEST, int(_SPARE * moving))
    most = max(_ALL, int(share * n))
    if size > most:
        away = np.where(np.isinf(away), np.abs(slack), np.inf)
        return np.argpartition(away, most)[:most] if most < n else np.arange(n)
    return np.argpartition(away, size)[:size] if size < 0.9 * n else np.arange(n)


def _direction(projection, work, a, h, C, lam, guard, gap):
    """To the optimum of the second-order model; whether the SVM was solved in its iterations."""
    h_work = h[work]
    K = projection.derivative(work)
    if guard:
        K += np.float32(guard) * projection.identity(work)
    limit = _SMO[0] + _SMO[1] * len(work)
    slopes = 1.0 - h_work * a[work]
    tolerance = max(1e-10, _SVM_ACCURACY * gap)
    new, iterations = train_svm(K, slopes, h_work, lam[work], C, tolerance, limit)
    direction = np.zeros_like(lam)
    direction[work] = new - lam[work]
    return direction, iterations < limit


def _line_search(projection, h, lam, direction, value, slope):
    """Leave the projection at the accepted point; returns its step length, 0 for none."""
    t = 1.0
    for _ in range(_BACKTRACKS):
        trial = lam + t * direction
        projection.at(trial * h)
        rise = float(trial.sum()) - 0.5 * projection.norm2 - value
        if rise >= 0.01 * t * slope - 1e-13 * abs(value):
            return t
        t *= min(0.6, max(0.1, 0.5 * t * slope / (t * slope - rise)))
    return 0.0
