"""One proximal step on the dual: Newton's method on the smoothed primal problem.

    min over M, b:  1/2 |M|^2 + cone + sum_p theta_p(h_p (<M, X_p> + b))

where theta_p is the hinge smoothed around the multipliers of the last step, a parabola of
curvature sigma while 0 < lambda_p < C and a line outside. Two things keep the cost of a Newton
step near that of a few products with the free pairs: a working set around them, with the other
multipliers held, and linear systems solved no better than the step deserves.
"""

import numpy as np

from .hinge import proximal_bias, proximal_multipliers

MAX_NEWTON = 60  # Newton steps per proximal step
_INEXACT = 3.0  # accuracy relative to the step's length, criterion (B) of Rockafellar (1976)
_ROUNDING = 1e-14  # errors of the smoothed value below this share of it are noise
_FORCING = (0.5, 0.3)  # accuracy of the linear systems: relative to what is needed, and at most
_WORKING_SET = 2000  # at least this many pairs


class ProximalState:
    """Multipliers, bias, squared distances and penalty; the matrix M is the cone's."""

    def __init__(self, space, h, C):
        self.space, self.h, self.C = space, h, C
        self.lam = np.zeros(space.n_pairs)
        self.b = 0.0
        self.a = np.zeros(space.n_pairs)  # <M, X_p>
        self.sigma = min(C, max(1.0, min(0.02 * C, 10.0)))
        self.reach = 2.0  # size of the working set, in free pairs


def proximal_step(state, cone):
    """Move M and b to the minimiser; returns its multipliers, S = sum lambda h X, Newton steps."""
    hinge = _SmoothHinge(state, slice(None))
    steps = 0
    while True:
        value = hinge.value(state.a, state.b) + cone.energy(cone.M)
        state.b = hinge.b
        S = state.space.combine(hinge.lam * state.h)
        error2, cone_moved2 = cone.check(S)
        if error2 <= hinge.allowed(cone_moved2, value) or steps >= MAX_NEWTON:
            return hinge.lam, S, steps
        work = _working_set(hinge, state.reach)
        start, start_a = cone.position(), state.a
        done, a = _newton_steps(state, cone, hinge, work, MAX_NEWTON - steps)
        if done == 0:
            return hinge.lam, S, steps
        steps += done
        if len(work) == len(state.a):
            state.a = a
        else:
            state.a = state.space.evaluate(cone.M)
            _guard(state, cone, value, start, start_a)


class _SmoothHinge:
    """The smoothed hinge of some pairs, the multipliers of the others being held."""

    def __init__(self, state, work, held=0.0):
        self.h, self.old = state.h[work], state.lam[work]
        self.sigma, self.C, self.held = state.sigma, state.C, held
        self.z, self.lam = np.empty_like(self.h), np.empty_like(self.h)

    def value(self, a, b):
        """The value for the best bias, which ``b`` is a guess of; sets b, z, lam."""
        h, old, sigma, C = self.h, self.old, self.sigma, self.C
        self.b = proximal_bias(a, h, old, sigma, C, self.held, b)
        value, self.moved2 = proximal_multipliers(a, h, old, sigma, C, self.b, self.z, self.lam)
        return value - self.held * self.b

    def free(self):
        return (self.z > 0.0) & (self.z < self.C)

    def allowed(self, cone_moved2, value, share=1.0):
        """How large a (squared) error of the minimiser the proximal point method tolerates."""
        needed = _INEXACT**2 * (self.moved2 / self.sigma + cone_moved2)
        return share * max(needed, _ROUNDING * abs(value))


def _newton_steps(state, cone, whole, work, max_steps):
    """Newton steps on a working set, the other multipliers held: their number, and <M, X_p>."""
    space = state.space
    near = space.at(work)
    coef = whole.lam * state.h
    coef[work] = 0.0
    held = coef.any()
    S_held = space.combine(coef) if held else 0.0
    hinge = _SmoothHinge(state, work, held=coef.sum())
    a = state.a[work]

    def objective(M, a, b):
        value = hinge.value(a, b) + cone.energy(M)
        return value - space.inner(S_held, M) if held else value

    value = objective(cone.M, a, state.b)
    b = hinge.b
    for step in range(max_steps):
        S = S_held + near.combine(hinge.lam * hinge.h)
        error2, cone_moved2 = cone.gradient(S)
        allowed = hinge.allowed(cone_moved2, value, share=0.25)
        if error2 <= allowed:
            return step, a
        accuracy = min(_FORCING[0] * np.sqrt(allowed / error2), _FORCING[1])
        direction, slope = cone.direction(work[hinge.free()], state.sigma, accuracy)
        if not slope < 0.0:
            return step, a
        da = near.evaluate(direction)
        t = 1.0
        trial = objective(cone.trial(direction, t), a + da, b)
        while trial > value + 1e-4 * t * slope + 1e-15 * abs(value):
            excess = trial - value - t * slope
            t *= min(0.6, max(0.1, -0.5 * t * slope / excess))  # minimum of the parabola
            if t < 1e-12:
                return step, a
            trial = objective(cone.trial(direction, t), a + t * da, b)
        cone.move(t)
        a = a + t * da
        state.b = b = hinge.b
        value = trial
    return max_steps, a


def _working_set(hinge, reach):
    """The pairs whose multipliers are free or closest to becoming so, of both kinds.

    Half of them from each kind (as far as it has so many), since only both together can move.
    """
    z, C = hinge.z, hinge.C
    size = int(max(_WORKING_SET, reach * np.count_nonzero(hinge.free())))
    if size >= 0.7 * len(z):
        return np.arange(len(z))
    distance = np.maximum(np.maximum(-z, z - C), 0.0)
    kinds = [np.flatnonzero(hinge.h < 0.0), np.flatnonzero(hinge.h > 0.0)]
    fewer = min(map(len, kinds))
    sizes = [min(len(kind), max(size // 2, size - fewer)) for kind in kinds]
    chosen = [
        kind if n == len(kind) else kind[np.argpartition(distance[kind], n)[:n]]
        for kind, n in zip(kinds, sizes, strict=True)
    ]
    return np.sort(np.concatenate(chosen))


def _guard(state, cone, value, start, start_a):
    """Back from where the working set led, should that be uphill for all the pairs."""
    hinge = _SmoothHinge(state, slice(None))
    end, end_a = cone.position(), state.a
    t = 1.0
    while hinge.value(state.a, state.b) + cone.energy(cone.M) > value + 1e-13 * abs(value):
        t *= 0.4
        if t < 1e-9:
            t = 0.0
        cone.place(start, end, t)
        state.a = (1.0 - t) * start_a + t * end_a
        state.reach = min(2.0 * state.reach, 16.0)
        if t == 0.0:
            return
