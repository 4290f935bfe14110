"""The fast solver: a proximal point method on the dual with semismooth Newton steps inside.

The dual of all three models is

    max  sum_p lambda_p - 1/2 |P(S(lambda))|^2   s.t.  0 <= lambda <= C,  sum_p lambda_p h_p = 0,

with P the projection onto the cone. One outer step adds -|lambda - lambda_old|^2 / (2 sigma),
which in the primal smooths the hinge to a piecewise quadratic function of (M, b). That is
minimised by Newton's method: its Hessian only involves the free pairs (0 < lambda < C), of which
there are few. The paper's alternation is a gradient method on the same dual, and slows down as C
grows; this one does not.

Three things keep the cost near a few passes over the pairs: a start on nested random subsets of
them, a working set around the free pairs in the inner loop, and Newton systems solved no better
than the step deserves.
"""

import time

import numpy as np

from .hinge import (
    balance,
    best_bias,
    hinge_sum,
    paper_gap,
    proximal_bias,
    proximal_multipliers,
)
from .solution import Solution

_SUBSET = 6  # each level of the start has this many times the pairs of the one before,
_SMALLEST = 1000  # the first at least this many, and several times the unknowns of M
_CG=.5;_CGM=.3
_INEXACT = 1.0  # inner accuracy relative to the outer step, criterion (B) of Rockafellar
_GROWTH = 1.7  # of the penalties, per outer iteration
_ROUNDING = 1e-14  # errors of the smoothed value below this share of it are noise
_MAX_NEWTON = 60  # Newton steps per outer iteration


class _State:
    """Multipliers, bias and penalty; the matrix is the cone's."""

    def __init__(self, space, h, C):
        self.space, self.h, self.C = space, h, C
        self.lam = np.zeros(space.n_pairs)
        self.b = 0.0
        self.reach = 2.0  # size of the working set, in free pairs
        self.a = np.zeros(space.n_pairs)
        self.sigma = min(0.25 * C, 10.0)


def solve(space, h, C, make_cone, *, tol, max_iter, report=None):
    """Solve to a certified relative duality gap ``tol``; pairs are expected at unit mean norm."""
    clock = time.perf_counter()
    order = np.random.RandomState(0).permutation(space.n_pairs)
    sizes = [space.n_pairs]
    smallest = max(_SMALLEST, 2 * space.dim * (space.dim + 1)) if hasattr(space, "restrict") else np.inf
    while sizes[0] >= 2 * smallest:
        sizes.insert(0, max(sizes[0] // _SUBSET, smallest))
    cone = None
    for size in sizes:
        last = size == space.n_pairs
        index = np.arange(space.n_pairs) if last else np.sort(order[:size])
        ratio = space.n_pairs / size
        level = space if last else space.restrict(index)
        if min(np.count_nonzero(h[index] > 0), np.count_nonzero(h[index] < 0)) == 0:
            continue
        if cone is None:
            cone = make_cone(level)
            state = _State(level, h[index], C * ratio)
        else:
            position = np.searchsorted(index, coarse)
            state = _refine(state, level, h[index], C * ratio, cone, position)
        coarse = index
        result = _solve_level(
            state,
            cone,
            tol if last else max(tol, 0.1),
            max_iter if last else 10,
            report,
            clock,
        )
    return result


def _refine(old, level, h, C, cone, position):
    """Carry M over to more pairs; their multipliers follow from its margins."""
    cone.lift(level, position)
    state = _State(level, h, C)
    state.b = old.b
    state.sigma = old.sigma * C / old.C
    state.a = level.evaluate(cone.M)
    state.lam = np.clip(state.sigma * (1.0 - h * (state.a + state.b)), 0.0, C)
    return state


def _solve_level(state, cone, tol, max_iter, report, clock):
    best = Solution(state.space.zero(), 0.0, state.lam, None, np.inf, -np.inf, 0, False)
    for iteration in range(1, max_iter + 1):
        lam, S, newton_steps = _proximal_step(state, cone)
        balance(lam, state.h, state.C)
        state.lam = lam
        cone.update_multiplier()
        _certify(best, state, cone, S)
        best.n_iter = iteration
        cone_dot = state.space.inner(cone.M, S)
        row = {
            "seconds": time.perf_counter() - clock,
            "primal": best.primal,
            "dual": best.dual,
            "gap": best.primal - best.dual,
            "paper_gap": paper_gap(state.a, state.h, state.lam, state.C, cone_dot),
        }
        best.history.append(row)
        if report is not None:
            report(iteration, row, state.space.n_pairs)
        if best.primal - best.dual <= tol * best.primal:
            best.converged = True
            break
        # Past the limit of Newton steps the proximal step was too bold: shorten the next ones.
        factor = _GROWTH if newton_steps < _MAX_NEWTON else 0.1
        state.sigma *= factor
        cone.stiffen(factor)
    return best


def _proximal_step(state, cone):
    """One outer step: minimise the smoothed problem for the current multipliers."""
    space, h, C, sigma = state.space, state.h, state.C, state.sigma
    z, new = np.empty_like(h), np.empty_like(h)
    steps = 0
    while True:
        state.b = proximal_bias(state.a, h, state.lam, sigma, C, 0.0, state.b)
        hinge, moved2 = proximal_multipliers(state.a, h, state.lam, sigma, C, state.b, z, new)
        S = space.combine(new * h)
        error2, cone_moved2 = cone.check(S)
        value = hinge + cone.energy(cone.M)
        allowed = max(_INEXACT**2 * (moved2 / sigma + cone_moved2), _ROUNDING * abs(value))
        if error2 <= allowed or steps >= _MAX_NEWTON:
            return new, S, steps
        start, start_a = cone.position(), state.a
        done = _newton_steps(state, cone, z, new, _MAX_NEWTON - steps)
        if done == 0:
            return new, S, steps
        steps += done
        state.a = space.evaluate(cone.M)
        _guard(state, cone, value, start, start_a)


def _guard(state, cone, value, start, start_a):
    """Back from where the working set led, should that be uphill for all the pairs."""
    h, sigma, C = state.h, state.sigma, state.C
    z, new = np.empty_like(h), np.empty_like(h)
    end, end_a = cone.position(), state.a
    t = 1.0
    while t > 1e-9:
        state.b = proximal_bias(state.a, h, state.lam, sigma, C, 0.0, state.b)
        hinge, _ = proximal_multipliers(state.a, h, state.lam, sigma, C, state.b, z, new)
        if hinge + cone.energy(cone.M) <= value + 1e-13 * abs(value):
            return
        t *= 0.4
        cone.place(start, end, t)
        state.a = (1.0 - t) * start_a + t * end_a
        state.reach = min(2.0 * state.reach, 16.0)


def _working_set(z, C, size):
    """The pairs whose multipliers are free or closest to becoming so."""
    if size >= 0.7 * len(z):
        return np.arange(len(z))
    distance = np.maximum(np.maximum(-z, z - C), 0.0)
    return np.sort(np.argpartition(distance, size)[:size])


def _newton_steps(state, cone, z_all, new_all, max_steps):
    """Newton steps on a working set, the other multipliers held; returns their number."""
    space, sigma, C = state.space, state.sigma, state.C
    n_free = np.count_nonzero((z_all > 0) & (z_all < C))
    work = _working_set(z_all, C, int(max(2 * _SMALLEST, state.reach * n_free)))
    everything = len(work) == space.n_pairs
    h, lam, a = state.h[work], state.lam[work], state.a[work]
    if everything:
        S_held, held = 0.0, 0.0
    else:
        coef = new_all * state.h
        held = coef.sum() - coef[work].sum()
        coef[work] = 0.0
        S_held = space.combine(coef)
    z, new = np.empty_like(h), np.empty_like(h)

    def smoothed(a, b):
        b = proximal_bias(a, h, lam, sigma, C, held, b)
        hinge, moved2 = proximal_multipliers(a, h, lam, sigma, C, b, z, new)
        return hinge - held * b, b, moved2

    hinge, b, moved2 = smoothed(a, state.b)
    value = hinge + cone.energy(cone.M) - _held_value(space, S_held, cone.M, everything)
    for step in range(max_steps):
        S = S_held + space.combine(new * h, work)
        error2, cone_moved2 = cone.gradient(S)
        allowed = (0.5 * _INEXACT) ** 2 * (moved2 / sigma + cone_moved2)
        allowed = max(allowed, 0.25 * _ROUNDING * abs(value))
        if error2 <= allowed:
            step -= 1
            break
        free = work[np.flatnonzero((z > 0) & (z < C))]
        accuracy = _CG * np.sqrt(allowed / error2)  # what suffices to end the inner loop
        direction, slope = cone.direction(free, sigma, min(_CGM, accuracy))
        if not slope < 0.0:
            step -= 1
            break
        da = space.evaluate(direction, work)
        t = 1.0
        for _ in range(40):
            M = cone.M + t * direction
            hinge, b_new, moved2 = smoothed(a + t * da, b)
            trial = hinge + cone.energy(M) - _held_value(space, S_held, M, everything)
            if trial <= value + 1e-4 * t * slope + 1e-15 * abs(value):
                break
            curvature = trial - value - t * slope
            t *= min(0.6, max(0.1, -0.5 * t * slope / curvature)) if curvature > 0 else 0.5
        else:
            step -= 1
            break
        cone.move(M, t)
        a = a + t * da
        b, value = b_new, trial
    state.b = b
    return step + 1


def _held_value(space, S_held, M, everything):
    return 0.0 if everything else space.inner(S_held, M)


def _certify(best, state, cone, S):
    """Keep the best primal and the best dual point; any feasible two certify each other."""
    space, h, C = state.space, state.h, state.C
    dual = float(state.lam.sum()) - 0.5 * cone.dual_norm2(S)
    if dual > best.dual:
        best.dual, best.lam = dual, state.lam
    M = cone.primal()
    a = state.a if M is cone.M else space.evaluate(M)
    norm2 = space.inner(M, M)
    b = best_bias(a, h)
    candidates = [(1.0, b, 0.5 * norm2 + C * hinge_sum(a, h, b))]
    low, high = a[h > 0].min(), a[h < 0].max()
    if low > high:
        # Separable: the scale at which every margin holds; C may be too large for rounding.
        scale = 2.0 * (1.0 + 1e-10) / (low - high)
        b = -0.5 * scale * (low + high)
        candidates.append((scale, b, 0.5 * scale**2 * norm2 + C * hinge_sum(scale * a, h, b)))
    scale, b, primal = min(candidates, key=lambda candidate: candidate[2])
    if primal < best.primal:
        best.primal, best.b, best.M = primal, b, scale * M
        alpha = getattr(cone, "alpha", None)
        best.alpha = None if alpha is None else scale * alpha
