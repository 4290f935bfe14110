"""The paper's algorithms, step by step, on LibSVM: the reference for the fast solver.

LibSVM's classifier has no place for a linear term other than 1, which subproblems (7), (22) and
(25) need. Its epsilon-SVR does: with targets z = h (epsilon + eta) and epsilon large enough the
wrong-signed half of its variables stays at zero, and what remains is

    min 1/2 sum lambda lambda h h K - sum eta lambda,   0 <= lambda <= C,  sum lambda h = 0.

Large enough means 2 epsilon + eta_p >= h_p (f_p + b) for the SVM's output f_p + b at every pair
(more than max |eta|): known afterwards, so epsilon grows until no sign is wrong.

The kernel (8) is LibSVM's polynomial one, degree 2, gamma 1, coef0 0, on the differences.

For a certified gap LibSVM is the copy whose iterations can be bounded (``svr.py``): a fit has so
many of them, and a call its share; one that would need more is not asked for that accuracy again.
With the authors' rule to stop it is LibSVM's own library, as in their program.
"""

import time

import numpy as np
from sklearn.utils import check_random_state

from .cones import GeneratedCone, PSDCone, SymmetricCone, clip_eigenvalues
from .hinge import authors_gap, balance, best_bias, hinge_sum, paper_gap, value_at_zero
from .solution import Solution
from .svr import Bounded, Official

_ITERATIONS = (2_000_000, 100)  # of LibSVM in a fit, and per pair
_CALLS = 40  # among which an alternation shares them
_UNSOLVED = 5  # calls at the end of their share, after which an alternation gives up
_KERNEL_ROUNDING = 1e-8  # of single precision, in which LibSVM keeps its kernel, on average
_STALL = 300  # iterations in which an exhausted alternation must gain a tenth of its gap
_AUTHORS_STOP = (3, 0.01, 0.1)  # iterations at least; gap by the first one, and absolute


def pcml(space, h, C, **options):
    """Algorithm 1: alternate SVM training (7) and projection onto the PSD cone (9)."""
    run = _Run(space, h, C, PSDCone(space), **options)
    Y = space.zero()
    for _ in range(run.max_iter):
        eta = 1.0 - h * space.evaluate(Y)  # step 1
        lam = run.svm(eta)  # step 2
        Y0 = -space.combine(lam * h)  # step 3
        Y = clip_eigenvalues(Y0)  # step 4
        if run.finished(lam, M=Y - Y0):  # equation (11)
            break
    return run.end()


def ncml(space, h, C, **options):
    """Algorithm 2: alternate two SVMs, on beta (22) and on mu (25)."""
    run = _Run(space, h, C, GeneratedCone(space), **options)
    eta = 1e-6 * run.random.standard_normal(space.n_pairs)
    for _ in range(run.max_iter):
        delta = 1.0 - h * space.evaluate(space.combine(eta))  # step 1
        beta = run.svm(delta)  # step 2, problem (22)
        gamma = space.evaluate(space.combine(beta * h))  # step 3
        mu = run.nonnegative(gamma)  # step 4, problem (25)
        eta = mu - h * beta  # step 5
        if run.finished(beta, M=space.combine(mu), alpha=mu):
            break
    return run.end()


def doublet_svm(space, h, C, **options):
    """One SVM on the pairs, solved better until its gap is closed; nothing to alternate with."""
    run = _Run(space, h, C, SymmetricCone(space), calls=10, **options)
    for _ in range(run.max_iter):
        lam = run.svm(np.ones_like(h))
        if run.finished(lam, M=space.combine(lam * h)) or run.exhausted():
            break
    return run.end()


class _Run:
    """LibSVM calls and bookkeeping of one fit."""

    def __init__(
        self,
        space,
        h,
        C,
        cone,
        *,
        calls=_CALLS,
        tol,
        max_iter,
        report=None,
        random_state=None,
        authors_unit=None,
    ):
        self.space, self.h, self.C, self.cone, self.tol = space, h, C, cone, tol
        self.max_iter, self.report = max_iter, report
        self.authors_unit = authors_unit  # of the objective, where the authors' rule is to stop
        self.random = check_random_state(random_state)
        self.clock = time.perf_counter()
        self.solution = Solution.empty(space, C)
        self._work = _Work(space.n_pairs, calls)
        engine = Bounded if authors_unit is None else Official
        self._pairs = _Svr(space, self._work, engine)
        self._pairs_and_zero = _Svr(space, self._work, engine, zero_row=True)
        self._accuracy = 1e-3
        self._first_gap = np.nan

    def svm(self, eta):
        """Problem (7) or (22) for the linear term eta."""
        lam = self._pairs.train(self.h, eta, self.C, self._accuracy)
        lam = np.clip(lam, 0.0, self.C)
        balance(lam, self.h, self.C)
        return lam

    def nonnegative(self, gamma):
        """Problem (25): no upper bound, and no equality: a zero row absorbs it at no cost."""
        size = float(np.abs(gamma).max()) or 1.0  # LibSVM's targets are to be about 1
        ones = np.ones(len(gamma) + 1)
        targets = np.append(gamma / size, np.nan)
        mu = self._pairs_and_zero.train(ones, targets, 1e6 * max(self.C, 1.0), self._accuracy)
        mu = np.maximum(mu[:-1], 0.0)
        self._pairs_and_zero.know_rounding(mu)
        return size * mu

    def finished(self, lam, M, alpha=None):
        """Certify (M, lambda), keep the best of each, and say whether the gap is closed."""
        space, h, C, best = self.space, self.h, self.C, self.solution
        S = space.combine(lam * h)
        a = space.evaluate(M)
        b = best_bias(a, h)
        norm2 = space.inner(M, M)
        primal = 0.5 * norm2 + C * hinge_sum(a, h, b)
        dual = float(lam.sum()) - 0.5 * self.cone.dual_norm2(S, M)
        best.keep(primal, dual, M, b, lam, alpha, together=self.cone.dual_needs_primal)
        row = best.record(self.clock, paper_gap(a, h, lam, C, space.inner(M, S)))
        if self.report is not None:
            self.report(len(best.history), row, space.n_pairs)
        closed = best.close(self.tol, value_at_zero(h, C))
        # Inexact SVMs stall the alternation: solve them better as the gap shrinks, or does not.
        relative = row["gap"] / best.primal
        if len(best.history) > 1 and row["gap"] >= best.history[-2]["gap"]:
            self._accuracy = min(self._accuracy, max(0.7 * self._accuracy, 1e-4 * relative))
        self._accuracy = max(min(self._accuracy, 1e-2 * relative), 1e-9)
        self._pairs.know_rounding(lam)
        if self.authors_unit is not None:
            return self._authors_stop(authors_gap(a, h, lam, C, norm2))
        return closed or self._work.is_over() or self._stalls()

    def _authors_stop(self, gap):
        """The rule of the authors' published program, in the place of a certified gap."""
        iterations = len(self.solution.history)
        if iterations == 1:
            self._first_gap = gap
        least, share, absolute = _AUTHORS_STOP
        if iterations < least or gap >= max(share * self._first_gap, absolute * self.authors_unit):
            return False
        self.solution.converged = True
        return True

    def exhausted(self):
        """Whether LibSVM cannot solve its problems any better."""
        machines = self._pairs, self._pairs_and_zero
        return any(self._accuracy < m.floor and m.reached <= m.floor for m in machines)

    def _stalls(self):
        history = self.solution.history
        if not self.exhausted() or len(history) <= _STALL:
            return False
        return history[-1]["gap"] > 0.9 * history[-1 - _STALL]["gap"]

    def end(self):
        """The solution, with a word on what LibSVM left undone."""
        self.solution.remark = f"{self._work.remark()} Use solver='fast'."
        return self.solution


class _Work:
    """The iterations that are left to LibSVM."""

    def __init__(self, n_pairs, calls):
        fixed, per_pair = _ITERATIONS
        self._left = fixed + per_pair * n_pairs
        self._share = self._left // calls
        self.unsolved = 0

    def limit(self):
        """Of the next call."""
        return max(1, min(self._share, self._left))

    def is_over(self):
        return self._left <= 0 or self.unsolved >= _UNSOLVED

    def add(self, iterations):
        """Count a call; returns whether it ended at its limit."""
        at_limit = iterations >= self.limit()
        self._left -= iterations
        self.unsolved += at_limit
        return at_limit

    def remark(self):
        if self._left <= 0:
            return " LibSVM's iterations are used up."
        return f" LibSVM left {self.unsolved} of its subproblems unsolved." if self.unsolved else ""


class _Svr:
    """LibSVM's epsilon-SVR on the pairs."""

    def __init__(self, space, work, engine, zero_row=False):
        self._space, self._work = space, work
        self._engine = engine(space, int(zero_row))
        self._epsilon = 0.0
        self.reached = np.inf  # the accuracy of the last call
        self.floor = 0.0  # accuracy beyond reach

    def train(self, h, eta, C, accuracy):
        """lambda for the linear term eta; NaN marks the row that only takes up the equality."""
        bound = np.isnan(eta)
        if np.isinf(self.reached):
            self.reached = max(1.0, C)  # pairs come at unit length
        while True:
            step = max(accuracy, self.floor, 0.1 * self.reached)
            lam, solved = self._with_right_signs(h, eta, bound, C, step)
            self.reached = step
            if not solved:
                self.floor = 2.0 * step
            if not solved or step <= max(accuracy, self.floor):
                return lam

    def know_rounding(self, lam):
        """No accuracy below the rounding error of the kernel times these multipliers."""
        space = self._space
        largest = float(space.evaluate(space.combine(lam)).max(initial=0.0))
        self.floor = max(self.floor, _KERNEL_ROUNDING * largest)

    def _with_right_signs(self, h, eta, bound, C, accuracy):
        """(lambda, whether LibSVM solved its problem)"""
        self._epsilon = max(self._epsilon, 1.0 + 1.5 * float(np.abs(eta[~bound]).max()))
        for _ in range(40):
            z = np.where(bound, -self._epsilon, h * (self._epsilon + eta))
            coef, solved = self._call(z, C, accuracy)
            lam = h * coef
            if (lam[~bound] >= 0.0).all() or not solved:
                break
            self._epsilon *= 4.0
        return lam, solved

    def _call(self, z, C, accuracy):
        """The signed coefficients of the SVR with targets z, and whether it was solved."""
        limit = self._work.limit()
        coef, iterations = self._engine.train(z, C, self._epsilon, accuracy, limit)
        return coef, not self._work.add(iterations)
