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
from scipy.linalg.lapack import dsyevd

from .linear_system import solve_newton
from .nonnegative_qp import solve_nonnegative_qp

_STIFFNESS = 10.0  # first penalty of the PSD constraint, in units of the strong convexity


def _eigh(S):
    """LAPACK's divide and conquer, without the checks around it."""
    w, U, info = dsyevd(S)
    return (w, U) if info == 0 else eigh(S)


def clip_eigenvalues(S):
    """The projection of a symmetric matrix onto the PSD cone, equation (9)."""
    w, U = _eigh(S)
    positive = w > 0
    factor = U[:, positive] * np.sqrt(w[positive])
    return factor @ factor.T


class SymmetricCone:
    """No constraint: M is free, and M = S at the optimum."""

    dual_needs_primal = False  # whether a dual value holds for one M only

    def __init__(self, space):
        self.space = space
        self.M = space.zero()

    def begin(self, S, solution, t):
        """Start near t times a solution, whose multipliers give S."""
        self.M = S

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

    def trial(self, direction, t):
        """The matrix that a step of length t leads to; ``move`` goes there."""
        self._trial = self.M + t * direction
        return self._trial

    def move(self, t):
        self.M = self._trial

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

    stiffness = 1.0  # of the constraint, relative to that of a new cone

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
        self._known: Any = None  # M, its energy and the eigendecomposition of Y - tau M
        self._primal = self.M

    def begin(self, S, solution, t):
        self.M = clip_eigenvalues(S)
        self.Y = self.M - S
        self._known = None

    def energy(self, M):
        if self._known is None or self._known[0] is not M:
            self._decompose(M, M)
        return self._known[1]

    def _decompose(self, M, N):
        """Y - tau N, N being the matrix that the penalty sees."""
        w, U = _eigh(self.Y - self.tau * N)
        positive = np.maximum(w, 0.0)
        energy = 0.5 * np.vdot(M, M) + positive @ positive / (2.0 * self.tau)
        self._known = (M, float(energy), positive, w, U)

    def gradient(self, S):
        self.energy(self.M)
        _, _, positive, w, U = self._known
        split = int(np.searchsorted(w, 0.0))
        self._next_Y = (U[:, split:] * positive[split:]) @ U[:, split:].T
        self._G = self.M - S - self._next_Y
        moved = self._next_Y - self.Y
        return np.vdot(self._G, self._G), np.vdot(moved, moved) / self.tau

    def direction(self, free, sigma, tolerance):
        _, _, positive, w, U = self._known
        split = int(np.searchsorted(w, 0.0))
        weight = np.full((len(w), len(w)), 1.0 + self.tau)
        weight[:split, :split] = 1.0
        # The derivative of the projection [.]_+ between its two kinds of eigenvalues.
        across = positive[split:] / (positive[split:] - w[:split, None])
        weight[:split, split:] = 1.0 + self.tau * across
        weight[split:, :split] = weight[:split, split:].T
        rhs = -(U.T @ self._G @ U)
        step = solve_newton(self.space.delta[free] @ U, weight, sigma, rhs, tolerance, split)
        step = U @ step @ U.T
        step = 0.5 * (step + step.T)
        return step, np.vdot(self._G, step)

    def update_multiplier(self):
        self.energy(self.M)
        _, _, _, w, U = self._known
        split = int(np.searchsorted(w, 0.0))
        # [Y - tau M]_- / tau is in the cone, and M itself once the multiplier is right.
        self._primal = (U[:, :split] * (w[:split] / -self.tau)) @ U[:, :split].T
        self.Y = self._next_Y
        self._known = None

    def stiffen(self, factor):
        self.tau *= factor
        self.stiffness *= factor
        self._known = None

    def primal(self):
        return self._primal

    def dual_norm2(self, S, M):
        w = np.maximum(np.linalg.eigvalsh(S), 0.0)
        return float(w @ w)


class GeneratedCone(SymmetricCone):
    """M = sum_p alpha_p X_p with alpha >= 0, over a growing set of active generators."""

    dual_needs_primal = True

    def __init__(self, space):
        super().__init__(space)
        self.alpha = np.zeros(space.n_pairs)
        self.active = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))

    def begin(self, S, solution, t):
        self.M, self.alpha = t * solution.M, t * solution.alpha
        self.active = np.flatnonzero(self.alpha)
        self._gram = self.space.block(self.active, self.active)

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
        _, first = np.unique(ratio[worst] + 1j * self.space.norms[worst], return_index=True)
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
        # No better than the step deserves; 0, for a projection, asks for all there is.
        target = solve_nonnegative_qp(
            hessian,
            self._slopes - hessian @ current,
            current,
            tolerance=1e-8 if tolerance else 1e-13,
            reduction=tolerance,
        )
        self._step = target - current
        return self.space.combine(self._step, active), float(self._slopes @ self._step)

    def move(self, t):
        super().move(t)
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
        cone.trial(step, 1.0)
        cone.move(1.0)
    return cone.M
