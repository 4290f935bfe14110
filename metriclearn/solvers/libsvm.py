"""The paper's algorithms, step by step, on LibSVM: the reference for the fast solver.

LibSVM's classifier has no place for a linear term other than 1, which subproblems (7), (22) and
(25) need. Its epsilon-SVR does: with targets z = h (epsilon + eta) and epsilon large enough the
wrong-signed half of its variables stays at zero, and what remains is

    min 1/2 sum lambda lambda h h K - sum eta lambda,   0 <= lambda <= C,  sum lambda h = 0.

Large enough means 2 epsilon + eta_p >= h_p (f_p + b) for the SVM's output f_p + b at every pair
(more than max |eta|): known afterwards, so epsilon grows until no sign is wrong.

The kernel (8) is LibSVM's polynomial one, degree 2, gamma 1, coef0 0, on the differences.
"""

import time

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from .cones import GeneratedCone, PSDCone, SymmetricCone, clip_eigenvalues
from .hinge import balance, best_bias, hinge_sum, paper_gap, value_at_zero
from .solution import Solution


def pcml(space, h, C, *, tol, max_iter, report=None, random_state=None):
    """Algorithm 1: alternate SVM training (7) and projection onto the PSD cone (9)."""
    run = _Run(space, h, C, PSDCone(space), tol, report)
    Y = space.zero()
    for _ in range(max_iter):
        eta = 1.0 - h * space.evaluate(Y)  # step 1
        lam = run.svm(eta)  # step 2
        Y0 = -space.combine(lam * h)  # step 3
        Y = clip_eigenvalues(Y0)  # step 4
        if run.finished(lam, M=Y - Y0):  # equation (11)
            break
    return run.solution


def ncml(space, h, C, *, tol, max_iter, report=None, random_state=None):
    """Algorithm 2: alternate two SVMs, on beta (22) and on mu (25)."""
    run = _Run(space, h, C, GeneratedCone(space), tol, report)
    eta = 1e-6 * check_random_state(random_state).standard_normal(space.n_pairs)
    for _ in range(max_iter):
        delta = 1.0 - h * space.evaluate(space.combine(eta))  # step 1
        beta = run.svm(delta)  # step 2, problem (22)
        gamma = space.evaluate(space.combine(beta * h))  # step 3
        mu = run.nonnegative(gamma)  # step 4, problem (25)
        eta = mu - h * beta  # step 5
        if run.finished(beta, M=space.combine(mu), alpha=mu):
            break
    return run.solution


def doublet_svm(space, h, C, *, tol, max_iter, report=None, random_state=None):
    """One SVM on the pairs; nothing to alternate with."""
    run = _Run(space, h, C, SymmetricCone(space), tol, report)
    lam = run.svm(np.ones_like(h), tolerance=min(1e-4, 0.1 * tol))
    run.finished(lam, M=space.combine(lam * h))
    return run.solution


class _Run:
    """LibSVM calls and bookkeeping of one fit."""

    def __init__(self, space, h, C, cone, tol, report):
        self.space, self.h, self.C, self.cone, self.tol = space, h, C, cone, tol
        self.report = report
        self.clock = time.perf_counter()
        self.solution = Solution.empty(space)
        self._pairs = _Svr(space)
        self._pairs_and_zero = _Svr(space, zero_row=True)
        self._accuracy = 1e-3

    def svm(self, eta, tolerance=None):
        """Problem (7) or (22) for the linear term eta."""
        lam = self._pairs.train(self.h, eta, self.C, tolerance or self._accuracy)
        lam = np.clip(lam, 0.0, self.C)
        balance(lam, self.h, self.C)
        return lam

    def nonnegative(self, gamma):
        """Problem (25): no upper bound, and no equality: a zero row absorbs it at no cost."""
        unbounded = 1e6 * max(self.C, 1.0)
        accuracy = self._accuracy * min(1.0, float(np.abs(gamma).max()) or 1.0)
        ones = np.ones(len(gamma) + 1)
        mu = self._pairs_and_zero.train(ones, np.append(gamma, np.nan), unbounded, accuracy)
        return np.maximum(mu[:-1], 0.0)

    def finished(self, lam, M, alpha=None):
        """Certify (M, lambda), keep the best of each, and say whether the gap is closed."""
        space, h, C, best = self.space, self.h, self.C, self.solution
        S = space.combine(lam * h)
        a = space.evaluate(M)
        b = best_bias(a, h)
        primal = 0.5 * space.inner(M, M) + C * hinge_sum(a, h, b)
        dual = float(lam.sum()) - 0.5 * self.cone.dual_norm2(S, M)
        best.keep(primal, dual, M, b, lam, alpha, together=self.cone.dual_needs_primal)
        row = best.record(self.clock, paper_gap(a, h, lam, C, space.inner(M, S)))
        if self.report is not None:
            self.report(len(best.history), row, space.n_pairs)
        finished = best.close(self.tol, value_at_zero(self.h, self.C))
        # Inexact SVMs stall the alternation: solve them better as the gap shrinks.
        self._accuracy = min(self._accuracy, 1e-2 * row["gap"] / best.primal)
        self._accuracy = max(self._accuracy, 1e-9)
        return finished


class _Svr:
    """LibSVM's epsilon-SVR on the pairs; the rows are converted once, the targets per call."""

    def __init__(self, space, zero_row=False):
        self._space, self._extra = space, int(zero_row)
        self._problem = None
        self._epsilon = 16.0

    def train(self, h, eta, C, accuracy):
        """lambda for the linear term eta; NaN marks the row that only takes up the equality."""
        from libsvm.svm import svm_parameter  # a C library: loaded when it is used
        from libsvm.svmutil import svm_train

        bound = np.isnan(eta)
        while True:
            z = np.where(bound, -self._epsilon, h * (self._epsilon + eta))
            if self._problem is None:
                self._problem, self._kernel = self._convert(z)
            np.ctypeslib.as_array(self._problem.y, (len(z),))[:] = z
            options = f"-c {C} -p {self._epsilon} -e {accuracy} -h 0 -m 500 -q"
            model = svm_train(self._problem, svm_parameter(f"-s 3 {self._kernel} {options}"))
            lam = np.zeros(len(z))
            support = np.array(model.get_sv_indices(), dtype=int) - 1
            lam[support] = [coef[0] for coef in model.get_sv_coef()]
            lam *= h
            if (lam[~bound] >= 0.0).all():
                return lam
            self._epsilon *= 16.0

    def _convert(self, z):
        from libsvm.svm import svm_problem

        extra = (0, self._extra)
        if hasattr(self._space, "delta"):
            rows = csr_matrix(np.pad(self._space.delta, (extra, (0, 0))))
            return svm_problem(z, rows), "-t 1 -d 2 -g 1 -r 0"
        everything = np.arange(self._space.n_pairs)
        rows = np.pad(self._space.block(everything, everything), (extra, extra))
        numbered = np.column_stack([np.arange(1, len(rows) + 1), rows])
        return svm_problem(z, numbered, isKernel=True), "-t 4"
