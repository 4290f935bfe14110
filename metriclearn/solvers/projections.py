"""The projection of S(lambda) onto each cone, with its value and its derivative at the pairs.

A projection P at S gives what a Newton step on the dual asks for: |P(S)|^2, the squared distances
<P(S), X_p>, and <X_p, P'(S) X_q>, the pair kernel (8) with the derivative of P inside.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dsyevd, dtrtrs

from .nonnegative_qp import solve_nonnegative_qp

_CUT = 0.1  # entries of the derivative known to this accuracy
_RIDGE = 1e-9  # generators may be dependent
_ROUNDS = 30  # of adding generators,
_ROOM = 40  # at least so many at once


class SymmetricProjection:
    """No constraint: P is the identity."""

    max_pairs = 1500  # beyond this a step on the pairs costs too much
    share = 1.0  # of all pairs, in one step: less where the derivative costs much

    def __init__(self, space, accuracy=0.0):
        self._space, self.accuracy = space, accuracy
        self.alpha: Any = None

    def at(self, coef):
        self.S = self._space.combine(coef)
        self.norm2 = self._space.inner(self.S, self.S)
        return self

    def rescale(self, t):
        self.S = t * self.S
        self.norm2 *= t * t

    def dual_norm2(self, scale=1.0):
        """An upper bound of |P(S)|^2; it may use ``scale`` times the approximation of P(S)."""
        return self.norm2

    def distances(self):
        return self._space.evaluate(self.S)

    def derivative(self, index):
        return self._space.block(index, index)

    def identity(self, index):
        """The pair kernel (8) itself."""
        return self._space.block(index, index)

    def matrix(self):
        return self.S


class PSDProjection(SymmetricProjection):
    """Clipped eigenvalues, equation (9)."""

    share = 0.65

    def at(self, coef):
        self.S = self._space.combine(coef)
        self._w, self._U, info = dsyevd(self.S)
        if info:
            self._w, self._U = np.linalg.eigh(self.S)
        self._split = split = int(np.searchsorted(self._w, 0.0, side="right"))
        self.norm2 = float(self._w[split:] @ self._w[split:])
        return self

    def rescale(self, t):
        super().rescale(t)
        self._w = t * self._w

    def distances(self):
        rows = self._space.delta @ self._U[:, self._split :]
        rows *= rows
        return rows @ self._w[self._split :]

    def derivative(self, index):
        """1 between positive, 0 between negative eigenvalues, w_i / (w_i - w_j) across.

        The last is smooth in both eigenvalues, so a few products of a function of the one and a
        function of the other give it (cross approximation).
        """
        split, w = self._split, self._w
        rows = (self._space.delta[index] @ self._U).astype(np.float32)
        plus, minus = rows[:, split:], rows[:, :split]
        H = plus @ plus.T
        H *= H
        across = w[split:, None] / (w[split:, None] - w[None, :split])
        while across.size:
            i, j = np.divmod(int(np.abs(across).argmax()), across.shape[1])
            if abs(across[i, j]) < _CUT:
                break
            column, row = 2.0 * across[:, j] / across[i, j], across[i].copy()
            part = (plus * column.astype(np.float32)) @ plus.T
            part *= (minus * row.astype(np.float32)) @ minus.T
            H += part
            across -= (0.5 * column)[:, None] * row
        return H

    def matrix(self):
        plus = self._U[:, self._split :]
        return (plus * self._w[self._split :]) @ plus.T


class GeneratedProjection(SymmetricProjection):
    """Nonnegative least squares on the pairs, problem (25), with the kernel of all pairs."""

    max_pairs = 800

    def __init__(self, space, accuracy):
        super().__init__(space, accuracy)
        everything = np.arange(space.n_pairs)
        self._kernel = space.block(everything, everything)
        # Mirror pairs (i, j) and (j, i) are one generator: equal rows, one representative.
        rows = self._kernel.sum(axis=1) + 1j * space.norms
        self._spare = np.ones(space.n_pairs, dtype=bool)
        self._spare[np.unique(rows, return_index=True)[1]] = False
        self._set(np.empty(0, dtype=np.intp), np.empty(0))

    def _set(self, support, coef):
        self._support = support
        self.alpha = np.zeros(self._space.n_pairs)
        self.alpha[support] = coef
        self._a = coef @ self._kernel[support]
        self.norm2 = float(self.alpha @ self._a)

    def at(self, coef):
        self._gamma = gamma = self._kernel @ coef
        size = float(coef @ gamma)
        for _ in range(_ROUNDS):
            enough = self.accuracy * min(self.norm2, size)
            off = abs(float(self.alpha @ (self._a - gamma)))
            if off <= enough and self.dual_norm2() - self.norm2 <= enough:
                break
            self._improve((self._a - gamma) / self._space.norms)
        return self

    def dual_norm2(self, scale=1.0):
        """|M + delta I|^2 with M - S + delta I in the dual cone, so M may be inexact (Moreau)."""
        space = self._space
        delta = max(0.0, float(((self._gamma - scale * self._a) / space.norms).max()))
        unit = scale * float(space.norms @ self.alpha)
        return scale**2 * self.norm2 + 2.0 * delta * unit + delta**2 * space.unit_norm2

    def _improve(self, slopes):
        """Least squares on the generators in use and those that would help most."""
        support = self._support
        slopes[self._spare] = 0.0
        slopes[support] = 0.0
        room = min(max(_ROOM, len(support) // 2), len(slopes) - 1)
        worst = slopes.argpartition(room)[: room + 1]
        active = np.concatenate([support, worst[slopes[worst] < 0.0]])
        coef = solve_nonnegative_qp(
            self._kernel[active[:, None], active],
            -self._gamma[active],
            self.alpha[active],
            tolerance=0.01 * self.accuracy,
        )
        used = coef > 0.0
        self._set(active[used], coef[used])

    def rescale(self, t):
        self.alpha, self._a, self._gamma = t * self.alpha, t * self._a, t * self._gamma
        self.norm2 *= t * t

    def distances(self):
        return self._a

    def derivative(self, index):
        """The projection onto the span of the generators in use."""
        support = self._support
        if not len(support):  # LAPACK would print what it thinks of an empty matrix
            return np.zeros((len(index), len(index)), dtype=np.float32)
        gram = self._kernel[support[:, None], support]
        gram.flat[:: len(support) + 1] += _RIDGE * np.trace(gram) / len(support)
        factor = np.linalg.cholesky(gram)
        rows = self._kernel[support[:, None], index]
        half, info = dtrtrs(factor, rows, lower=1)
        half = half.astype(np.float32)
        return half.T @ half

    def matrix(self):
        return self._space.combine(self.alpha[self._support], self._support)
