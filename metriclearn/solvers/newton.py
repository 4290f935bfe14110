"""The fast solver: small problems by a few SVMs (``iterated``), the others as described here,
by a proximal point method on the dual with semismooth Newton steps inside.

The dual of all three models is

    max  sum_p lambda_p - 1/2 |P(S(lambda))|^2   s.t.  0 <= lambda <= C,  sum_p lambda_p h_p = 0,

with P the projection onto the cone. One outer step adds -|lambda - lambda_old|^2 / (2 sigma),
which in the primal smooths the hinge to a piecewise quadratic function of (M, b). That is
minimised by Newton's method (``proximal``): its Hessian only involves the free pairs
(0 < lambda < C), of which there are few. The paper's alternation is a gradient method on the
same dual, and slows down as C grows; this one does not.

Large problems start on random subsets of the pairs, with C raised to match.
"""

import time
from typing import Any

import numpy as np

from .cones import GeneratedCone, SymmetricCone
from .hinge import balance, best_scale, paper_gap, value_at_zero
from .iterated import MAX_C, solve_by_svms
from .projections import GeneratedProjection, PSDProjection, SymmetricProjection
from .proximal import MAX_NEWTON, ProximalState, proximal_step
from .scaled_psd import psd_cone
from .solution import Solution

CONES = {
    "symmetric": (lambda space, C: SymmetricCone(space), SymmetricProjection),
    "psd": (psd_cone, PSDProjection),
    "pairs": (lambda space, C: GeneratedCone(space), GeneratedProjection),
}
_SUBSET = 6  # each level of the start has this many times the pairs of the one before,
_SMALLEST = 1000  # the first at least this many, and four per entry of M
_COARSE_TOL = 0.1  # a subset's optimum is only a start
_COARSE_ITER = 10
_GROWTH = 1.5  # of the penalties, per outer iteration
_FAST_GROWTH, _FAR = 4.0, 0.01  # while steps are easy and the penalty is a small share of C
_WARM_GROWTH, _WARM = 2.0, 4  # after a start at another C, while Newton steps are so few
_STALL = 30  # iterations in which the gap must shrink by a tenth
_LOOK, _BACKWARDS = 10, 5  # the first look at how fast the dual value grows, and since when
_TOO_MANY = 80  # iterations for it to reach the primal one: the hardest within reach take 60
_TOO_HARD = 150  # Newton steps with the dual value still far off: they take 100
_BACK = 0.3  # of the penalties at the end for one C are the first ones for the next
_MAX_GROWTH = 1e25  # beyond this the penalties only bring rounding errors


def solve(space, h, C, cone, *, tol, max_iter, report=None, start=None):
    """Solve to a certified relative duality gap ``tol``; pairs are expected at unit mean norm.

    ``cone`` is one of ``CONES``, ``start`` the solution for another C, in the same units.
    """
    make_projection: Any
    make_cone, make_projection = CONES[cone]
    clock = time.perf_counter()
    options = {"tol": tol, "max_iter": max_iter, "report": report, "clock": clock}
    lam: Any
    lam, t = (None, 1.0) if start is None else _carry_over(start, C)
    first = None
    if space.n_pairs <= make_projection.max_pairs and C <= MAX_C:
        first = solve_by_svms(space, h, C, make_projection, lam=lam, **options)
        if first.converged or len(first.history) >= max_iter:
            return first
        start, lam, t = first, first.lam, 1.0
    if start is None:
        return _solve_in_levels(space, h, C, make_cone, **options)
    cone = make_cone(space, C)
    state = ProximalState(space, h, C)
    state.lam, state.b = lam, start.b
    cone.begin(space.combine(lam * h), start, t)
    state.a = space.evaluate(cone.M)
    if start.penalties is not None:
        sigma, stiffness = start.penalties
        state.sigma = max(state.sigma, _BACK * sigma)
        cone.stiffen(max(1.0, _BACK * stiffness))
    at_zero = value_at_zero(h, C)
    return _solve_level(state, cone, at_zero=at_zero, before=first, warm=True, **options)


def _carry_over(start, C):
    """(multipliers, t) for another C: t times the old ones, as far as box and dual allow."""
    total = float(start.lam.sum())
    norm2 = max(2.0 * (total - start.dual), np.finfo(float).tiny)
    t = min(C / start.C, max(1.0, total / norm2))
    return np.minimum(t * start.lam, C), t


def _solve_in_levels(space, h, C, make_cone, *, tol, max_iter, report, clock):
    cone = state = None
    coarse = np.empty(0, dtype=np.intp)
    for index in _levels(space, h):
        whole = len(index) == space.n_pairs
        level = space if whole else space.restrict(index)
        C_level = C * space.n_pairs / len(index)
        if cone is None:
            cone = make_cone(level, C)
            state = ProximalState(level, h[index], C_level)
        else:
            cone.lift(level, np.searchsorted(index, coarse))
            state = _refine(state, cone, level, h[index], C_level)
        coarse = index
        options = {"report": report, "clock": clock}
        if whole:
            at_zero = value_at_zero(h, C)
            return _solve_level(state, cone, tol, max_iter, at_zero=at_zero, **options)
        _solve_level(state, cone, max(tol, _COARSE_TOL), _COARSE_ITER, **options)


def _levels(space, h):
    """Nested subsets of the pairs, the last one being all of them."""
    sizes = [space.n_pairs]
    if hasattr(space, "restrict"):
        smallest = max(_SMALLEST, 2 * space.dim * (space.dim + 1))
        while sizes[0] >= 2 * smallest:
            sizes.insert(0, max(sizes[0] // _SUBSET, smallest))
    order = np.random.RandomState(0).permutation(space.n_pairs)
    for size in sizes:
        index = np.sort(order[:size])
        if len(np.unique(h[index])) == 2:
            yield index


def _refine(old, cone, level, h, C):
    """Carry M over to more pairs; their multipliers follow from its margins."""
    state = ProximalState(level, h, C)
    state.b = old.b
    state.sigma = old.sigma * C / old.C
    state.a = level.evaluate(cone.M)
    state.lam = np.clip(state.sigma * (1.0 - h * (state.a + state.b)), 0.0, C)
    return state


def _solve_level(
    state, cone, tol, max_iter, report, clock, at_zero=np.inf, before=None, warm=False
):
    best = Solution.empty(state.space, state.C) if before is None else before
    growth, total_steps = 1.0, 0
    for iteration in range(len(best.history) + 1, max_iter + 1):
        state.lam, S, newton_steps = proximal_step(state, cone)
        total_steps += newton_steps
        balance(state.lam, state.h, state.C)
        cone.update_multiplier()
        _certify(best, state, cone, S)
        M_dot_S = state.space.inner(cone.M, S)
        row = best.record(clock, paper_gap(state.a, state.h, state.lam, state.C, M_dot_S))
        if report is not None:
            report(iteration, row, state.space.n_pairs)
        if best.close(tol, at_zero) or _stalls(best, state) or _out_of_reach(best, total_steps):
            break
        # Past the limit of Newton steps the proximal step was too bold: shorten the next ones.
        factor = _growth(newton_steps, state, warm)
        if growth * factor <= _MAX_GROWTH:
            growth *= factor
            state.sigma *= factor
            cone.stiffen(factor)
    best.penalties = (state.sigma, cone.stiffness)
    return best


def _stalls(best, state):
    """Whether the gap has stopped closing although the penalties are as large as they need be."""
    history = best.history
    if state.sigma < state.C or len(history) <= _STALL:
        return False
    if history[-1]["gap"] <= 0.9 * history[-1 - _STALL]["gap"]:
        return False
    best.remark = " The gap has stopped closing."
    return True


def _out_of_reach(best, newton_steps):
    """Whether the dual value is far below the primal one, and will be for too long."""
    history = best.history
    if len(history) < _LOOK or best.dual > 1e-3 * best.primal:
        return False
    before = history[-1 - _BACKWARDS]["dual"]
    if min(before, best.dual) <= 0.0:  # NCML's may fall: it is kept with its primal point
        return False
    rate = np.log(best.dual / before) / _BACKWARDS
    missing = np.log(best.primal / best.dual)
    if missing <= rate * (_TOO_MANY - len(history)) and newton_steps <= _TOO_HARD:
        return False
    best.remark = " Its end is out of reach: the dual value grows too slowly."
    return True


def _growth(newton_steps, state, warm):
    if newton_steps >= MAX_NEWTON:
        return 0.1
    if newton_steps <= 2 and state.sigma < _FAR * state.C:
        return _FAST_GROWTH
    return _WARM_GROWTH if warm and newton_steps <= _WARM else _GROWTH


def _certify(best, state, cone, S):
    """Offer the primal point near the iterate, and its multipliers, to the best found so far."""
    space, h, C = state.space, state.h, state.C
    M = cone.primal()
    a = state.a if M is cone.M else space.evaluate(M)
    scale, b, primal = best_scale(a, h, C, space.inner(M, M))
    dual = float(state.lam.sum()) - 0.5 * cone.dual_norm2(S, scale * M)
    alpha = getattr(cone, "alpha", None)
    alpha = None if alpha is None else scale * alpha
    best.keep(primal, dual, scale * M, b, state.lam, alpha, together=cone.dual_needs_primal)
