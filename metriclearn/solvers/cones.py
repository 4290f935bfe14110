"""The three cones for M, each with what the Newton solver asks of it.

With S = sum_p lambda_p h_p X_p, the models differ in the cone alone:

- ``SymmetricCone``: all symmetric matrices (doublet-SVM before its clip);
- ``PSDCone``: positive semidefinite matrices (PCML, problem (4));
- ``GeneratedCone``: nonnegative combinations of the pairs X_p (NCML, problem (17)).

A cone owns the primal iterate ``M`` and, where it needs one, the multiplier of its constraint.
"""

from typing import Any

import numpy as np
from scipy.linalg import eigh

from .linear_system import solve_newton
from .nonnegative_qp import solve_nonnegative_qp

_STIFFNESS = 100.0  # first penalty of the PSD constraint, in units of the strong convexity


def clip_eigenvalues(S):
    """The projection of a symmetric matrix onto the PSD cone, equation (9)."""
    w, U = eigh(S, driver="evd", check_finite=False)
    positive = w > 0
    factor = U[:, positive] * np.sqrt(w[positive])
    return factor @ factor.T


class SymmetricCone:
    """No constraint: M is free, and M = S at the optimum."""

    dual_needs_primal = False  # whether a dual value holds for one M only

    def __init__(self, space):
        self.space = space
        self.M = space.zero()

    def energy(self, M):
        """What the cone adds to the smoothed hinge: half the squared norm, and its penalty."""
        return 0.5 * self.space.inner(M, M)

    def gradient(self, S):
        """Gradient at M. Returns (bound on 2 (value - minimum), squared move of the multiplier)."""
        self._G = self.M - S
        return self.space.inner(self._G, self._G), 0.0

    def direction(self, free, sigma, tolerance):
        """Newton direction, given the indices of the free pairs, and the slope along it."""
        ones = np.ones_like(self.M)
        step = solve_newton(self.space.delta[free], ones, sigma, -self._G, tolerance)
        return step, self.space.inner(self._G, step)

    def move(self, direction, t):
        self.M = self.M + t * direction

    def position(self):
        """The primal iterate, for ``place``."""
        return self.M

    def place(self, start, end, t):
        """Go to ``start + t (end - start)``."""
        self.M = (1.0 - t) * start + t * end

    def check(self, S):
        """``gradient`` with every pair of the problem in view, not only the working ones."""
        return self.gradient(S)

    def update_multiplier(self):
        pass

    def stiffen(self, factor):
        pass

    def primal(self):
        """A matrix in the cone, near M."""
        return self.M

    def dual_norm2(self, S, M):
        """An upper bound of |projection of S onto the cone|^2: the dual is sum lambda - half of it.

        M approximates the projection, where one is needed.
        """
        return self.space.inner(S, S)

    def lift(self, space, index):
        """Continue on a larger problem, of which this one's pairs were ``index``."""
        self.space = space


class PSDCone(SymmetricCone):
    """M positive semidefinite, with the multiplier Y of the paper: M = S + Y, equation (6).

    The constraint enters as the augmented Lagrangian |[Y - tau M]_+|^2 / (2 tau).
    """

    def __init__(self, space, tau=_STIFFNESS):
        super().__init__(space)
        self.tau = tau
        self.Y = space.zero()
        self._last: Any = None  # M and the eigendecomposition of Y - tau M

    def _split(self, M):
        w, U = eigh(self.Y - self.tau * M, driver="evd", check_finite=False)
        return np.maximum(w, 0.0), w, U

    def energy(self, M):
        self._last = (M, *self._split(M))
        positive = self._last[1]
        return 0.5 * float(np.vdot(M, M)) + positive @ positive / (2.0 * self.tau)

    def gradient(self, S):
        if self._last is None or not np.array_equal(self._last[0], self.M):
            self.energy(self.M)
        _, positive, _, U = self._last
        self._next_Y = (U * positive) @ U.T
        self._G = self.M - S - self._next_Y
        moved = self._next_Y - self.Y
        return np.vdot(self._G, self._G), np.vdot(moved, moved) / self.tau

    def direction(self, free, sigma, tolerance):
        _, positive, w, U = self._last
        size = np.abs(w)[:, None] + np.abs(w)[None, :]
        size[size == 0.0] = 1.0
        derivative = (positive[:, None] + positive[None, :]) / size  # of the projection [.]_+
        weight = 1.0 + self.tau * derivative
        rhs = -(U.T @ self._G @ U)
        step = solve_newton(self.space.delta[free] @ U, weight, sigma, rhs, tolerance)
        step = U @ step @ U.T
        step = 0.5 * (step + step.T)
        return step, np.vdot(self._G, step)

    def update_multiplier(self):
        self.Y = self._next_Y
        self._last = None

    def stiffen(self, factor):
        self.tau *= factor

    def primal(self):
        return clip_eigenvalues(self.M)

    def dual_norm2(self, S, M):
        w = eigh(S, eigvals_only=True)
        return float(np.sum(np.maximum(w, 0.0) ** 2))


class GeneratedCone(SymmetricCone):
    """M = sum_p alpha_p X_p with alpha >= 0, over a growing set of active generators."""

    dual_needs_primal = True

    def __init__(self, space):
        super().__init__(space)
        self.alpha = np.zeros(space.n_pairs)
        self.active = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))

    def _error2(self, values, norms):
        """2 (value - minimum) at most: with G + delta I in the dual cone, by strong convexity."""
        self._delta = max(0.0, float(np.max(-values / norms, initial=0.0)))
        complementarity = self.space.inner(self._G, self.M)
        bound = max(0.0, complementarity + self._delta * self.space.unit(self.M))
        return 2.0 * bound + self._delta**2 * self.space.unit_norm2

    def gradient(self, S):
        self._G = self.M - S
        self._slopes = self.space.evaluate(self._G, self.active)
        return self._error2(self._slopes, self.space.norms[self.active]), 0.0

    def check(self, S):
        """The gradient over all generators; the worst ones join the active set."""
        self._G = self.M - S
        values = self.space.evaluate(self._G)
        error2 = self._error2(values, self.space.norms)
        self._activate(values / self.space.norms)
        return error2, 0.0

    def _activate(self, slopes):
        support = np.flatnonzero(self.alpha)
        room = max(120, len(support) // 2)
        ratio = slopes.copy()
        ratio[support] = 0.0
        worst = np.argpartition(ratio, min(room, len(ratio) - 1))[:room]
        worst = worst[ratio[worst] < 0.0]
        # Mirror pairs (i, j) and (j, i) are one generator: equal slopes, one representative.
        _, first = np.unique(
            np.column_stack([ratio[worst], self.space.norms[worst]]), axis=0, return_index=True
        )
        self.active = np.concatenate([support, np.sort(worst[first])])
        self._gram = self.space.block(self.active, self.active)

    def direction(self, free, sigma, tolerance):
        active = self.active
        cross = self.space.block(free, active)
        hessian = self._gram
        if len(free):
            cross -= cross.mean(axis=0)
            hessian = hessian + sigma * (cross.T @ cross)
        current = self.alpha[active]
        target = solve_nonnegative_qp(hessian, self._slopes - hessian @ current, current)
        self._step = target - current
        return self.space.combine(self._step, active), float(self._slopes @ self._step)

    def move(self, direction, t):
        super().move(direction, t)
        self.alpha[self.active] = np.maximum(self.alpha[self.active] + t * self._step, 0.0)

    def position(self):
        return self.M, self.alpha.copy()

    def place(self, start, end, t):
        super().place(start[0], end[0], t)
        self.alpha = (1.0 - t) * start[1] + t * end[1]

    def dual_norm2(self, S, M):
        """|M + delta I|^2 with M - S + delta I in the dual cone, so M may be inexact.

        By Moreau |S + Z| bounds the norm of the projection of S for any Z in the dual cone.
        """
        violation = -self.space.evaluate(M - S) / self.space.norms
        delta = max(0.0, float(violation.max()))
        unit = self.space.unit(M)
        return self.space.inner(M, M) + 2.0 * delta * unit + delta**2 * self.space.unit_norm2

    def lift(self, space, index):
        alpha = np.zeros(space.n_pairs)
        alpha[index] = self.alpha
        self.alpha = alpha
        self.space = space
        self.active = np.flatnonzero(alpha)
        self._gram = space.block(self.active, self.active)


def project_generated(space, S, *, tolerance=1e-14, max_iter=500):
    """The projection of S onto the cone of the pairs: nonnegative least squares, problem (25)."""
    cone = GeneratedCone(space)
    nothing = np.empty(0, dtype=np.intp)
    for _ in range(max_iter):
        error2, _ = cone.check(S)
        if error2 <= tolerance * space.inner(S, S):
            break
        cone.gradient(S)
        step, slope = cone.direction(nothing, 0.0, tolerance=0.0)
        if not slope < 0.0:
            break
        cone.move(step, 1.0)
    return cone.M
