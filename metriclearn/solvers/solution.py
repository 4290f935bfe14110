"""What a solver returns: the best feasible points found, and how it got there."""

import time
from dataclasses import dataclass, field

import numpy as np

_SHARE_OF_GAIN = 0.1
_ROUNDING = 1e-9  # a gap below this share of the primal value is none


@dataclass
class Solution:
    """A primal point (M, b), a dual point lambda, and their objectives."""

    M: np.ndarray
    b: float
    lam: np.ndarray
    alpha: np.ndarray | None
    primal: float
    dual: float
    C: float
    converged: bool = False
    history: list = field(default_factory=list)
    penalties: tuple | None = None  # the last ones, for a start at another C
    remark: str = ""  # for the warning, should it not have converged

    @classmethod
    def empty(cls, space, C):
        return cls(space.zero(), 0.0, np.zeros(space.n_pairs), None, np.inf, -np.inf, C)

    def keep(self, primal, dual, M, b, lam, alpha, *, together):
        """Take over the better primal and the better dual point; both or none if ``together``.

        Any feasible two certify each other, unless the dual value was computed for this M.
        """
        if together:
            if primal - dual >= self.primal - self.dual:
                return
            self.primal, self.dual = np.inf, -np.inf
        if dual > self.dual:
            self.dual, self.lam = dual, lam
        if primal < self.primal:
            self.primal, self.b, self.M, self.alpha = primal, b, M, alpha

    def record(self, clock, paper_gap):
        """Add a row to the history and return it."""
        row = {
            "seconds": time.perf_counter() - clock,
            "primal": self.primal,
            "dual": self.dual,
            "gap": self.primal - self.dual,
            "paper_gap": paper_gap,
        }
        self.history.append(row)
        return row

    def close(self, tol, at_zero):
        """Whether the relative gap is at most ``tol``; remembered as ``converged``.

        At a small C almost all of the primal value is there at M = 0 already, ``at_zero``: then
        the gap must also be a small share of what M gains, lest M = 0 pass for the optimum.
        """
        gap, gain = self.primal - self.dual, at_zero - self.primal
        enough = min(tol * self.primal, max(_SHARE_OF_GAIN * gain, _ROUNDING * self.primal))
        self.converged = bool(gap <= enough)
        return self.converged
