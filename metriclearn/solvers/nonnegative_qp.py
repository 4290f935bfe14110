"""min 1/2 x'Hx + f'x over x >= 0, for the few hundred active generators of NCML."""

import numba
import numpy as np
from scipy.linalg.lapack import dposv

_SWEEPS = 40
_RIDGES = 12  # each a hundred times the last


def solve_nonnegative_qp(H, f, start, *, tolerance=1e-8, reduction=0.0, max_iter=200):
    """Projected Newton (Bertsekas 1982): Newton on the free variables, steps bent at zero.

    A few sweeps of coordinate descent find most of the variables that stay at zero. Descends from
    ``start`` in any case, so an early stop still gives a usable direction: at ``tolerance`` of the
    problem's size, or at ``reduction`` of the violation at the start. H may be singular: there are
    more pairs than dimensions.
    """
    x = np.maximum(start, 0.0)
    ridge = 1e-13 * np.trace(H) / max(len(f), 1)
    gradient = H @ x + f
    enough = reduction * _violation(x, gradient)
    _sweep(H, x, gradient, _SWEEPS)
    scale = np.maximum(np.abs(f), np.abs(H) @ x).max(initial=0.0)
    enough = max(enough, tolerance * scale)
    for _ in range(max_iter):
        if _violation(x, gradient) <= enough:
            break
        step = _newton_step(H, gradient, x, ridge)
        difference = _bend(H, gradient, x, step)
        if difference is None:
            difference = _truncate(x, step)
        if not difference.any():
            break
        x = np.maximum(x + difference, 0.0)
        gradient = gradient + H @ difference
    return x


def _violation(x, gradient):
    """Of the optimality conditions, at its largest."""
    return np.where(x > 0.0, np.abs(gradient), -gradient).max(initial=0.0)


@numba.njit(cache=True)
def _sweep(H, x, gradient, sweeps):
    """Coordinate descent, in place on x and the gradient."""
    for _ in range(sweeps):
        for i in range(x.size):
            if H[i, i] <= 0.0:
                continue
            change = max(x[i] - gradient[i] / H[i, i], 0.0) - x[i]
            if change != 0.0:
                x[i] += change
                for j in range(x.size):
                    gradient[j] += change * H[i, j]


def _newton_step(H, gradient, x, ridge):
    """Minimiser over the free variables, none of which may leave zero downwards."""
    free = (x > 0.0) | (gradient < 0.0)
    while True:  # fewer are free each time
        index = np.flatnonzero(free)
        step = np.zeros_like(x)
        step[index] = -_solve(H[index][:, index], gradient[index], ridge)
        leaving = (x == 0.0) & (step < 0.0)
        if not leaving.any():
            return step
        free &= ~leaving


def _solve(H, g, ridge):
    """H is the caller's copy; its ridge grows until it is positive definite."""
    for _ in range(_RIDGES):
        H.flat[:: len(g) + 1] += ridge
        _, x, info = dposv(H, g)
        if info == 0:
            return x
        ridge *= 100.0
    return g / np.trace(H)


def _bend(H, gradient, x, step):
    """Armijo's rule along max(x + t step, 0): many variables may reach zero at once."""
    t = 1.0
    for _ in range(8):
        difference = np.maximum(x + t * step, 0.0) - x
        slope = gradient @ difference
        if slope + 0.5 * (difference @ (H @ difference)) <= 1e-4 * slope < 0.0:
            return difference
        t *= 0.5
    return None


def _truncate(x, step):
    """The straight step up to the first variable that reaches zero: always downhill."""
    down = np.flatnonzero(step < 0.0)
    if not len(down):
        return step
    ratios = -x[down] / step[down]
    first = np.argmin(ratios)
    if ratios[first] >= 1.0:
        return step
    difference = ratios[first] * step
    difference[down[first]] = -x[down[first]]
    return difference
