"""The PSD cone for features on very different scales.

With t_i the size of feature i, M is PSD exactly if N = T M T is, T = diag(t): the penalty is put
on N, where all features weigh the same. The norm |M| then is no multiple of the identity in the
eigenbasis of the penalty, so the Newton system is factorised in the space of matrices.
"""

import numpy as np
from scipy.linalg.lapack import dposv

from .cones import PSDCone
from .linear_system import triangle

_FIRST = 1.0  # penalty per pair, in units of the first one of the hinge
_MAX_DIM = 50  # there are d (d + 1) / 2 unknowns
_LARGE_C = 1000.0  # for pairs of unit length, and
_SPREAD = 10.0  # of the features' sizes: from here on the plain cone is slow


def psd_cone(space, C):
    """The PSD cone that suits the problem."""
    size = np.sqrt(np.mean(space.delta**2, axis=0))
    uneven = size.max() > _SPREAD * size.min()
    if C > _LARGE_C and uneven and space.dim <= _MAX_DIM:
        return ScaledPSDCone(space)
    return PSDCone(space)


class ScaledPSDCone(PSDCone):
    """``PSDCone`` with the augmented Lagrangian |[Y - tau T M T]_+|^2 / (2 tau)."""

    def __init__(self, space):
        t = np.sqrt(np.mean(space.delta**2, axis=0))
        self._t = np.maximum(t, 1e-12 * t.max())
        self._tt = np.outer(self._t, self._t)
        super().__init__(space, tau=_FIRST * space.n_pairs)

    def begin(self, S, solution, t):
        super().begin(S, solution, t)
        self.Y = self.Y / self._tt

    def energy(self, M):
        if self._known is None or self._known[0] is not M:
            self._decompose(M, self._tt * M)
        return self._known[1]

    def gradient(self, S):
        error2, moved2 = super().gradient(S)
        self._G = self.M - S - self._tt * self._next_Y
        return np.vdot(self._G, self._G), moved2

    def direction(self, free, sigma, tolerance):
        _, _, positive, w, U = self._known
        rows, columns, twice = triangle(len(w))
        split = int(np.searchsorted(w, 0.0))
        Z = self.space.delta[free] / self._t
        Z = Z[:, rows] * Z[:, columns] * twice
        H = np.zeros((len(rows), len(rows)))
        if len(free):
            Z -= Z.mean(axis=0)
            H = sigma * (Z.T @ Z)
        # 1 minus the derivative of the projection: 0 between positive eigenvalues.
        rest = np.zeros((len(w), len(w)))
        rest[:split, :split] = 1.0
        rest[:split, split:] = w[:split, None] / (w[:split, None] - positive[split:])
        used = np.flatnonzero(rest[rows, columns])
        k, m = rows[used], columns[used]
        Q = U[np.ix_(rows, k)] * U[np.ix_(columns, m)] + U[np.ix_(rows, m)] * U[np.ix_(columns, k)]
        Q *= (twice / np.sqrt(2.0))[:, None] * (twice[used] / np.sqrt(2.0))
        H -= (Q * (self.tau * rest[k, m])) @ Q.T
        H.flat[:: len(rows) + 1] += self.tau + self._tt[rows, columns] ** -2.0
        rhs = -(self._G / self._tt)[rows, columns] * twice
        _, x, info = dposv(H, rhs)
        if info:
            return self.M, 0.0
        step = np.empty_like(self.M)
        step[rows, columns] = x / twice
        step[columns, rows] = x / twice
        step /= self._tt
        return step, np.vdot(self._G, step)

    def update_multiplier(self):
        super().update_multiplier()
        self._primal = self._primal / self._tt
