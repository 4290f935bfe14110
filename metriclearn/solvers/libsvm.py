"""The paper's algorithms, step by step, on LibSVM: the reference for the fast solver.

LibSVM's classifier has no place for a linear term other than 1, which subproblems (7), (22) and
(25) need. Its epsilon-SVR does: with targets z = h (epsilon + eta) and epsilon large enough the
wrong-signed half of its variables stays at zero, and what remains is

    min 1/2 sum lambda lambda h h K - sum eta lambda,   0 <= lambda <= C,  sum lambda h = 0.

Large enough means 2 epsilon + eta_p >= h_p (f_p + b) for the SVM's output f_p + b at every pair
(more than max |eta|): known afterwards, so epsilon grows until no sign is wrong.

The kernel (8) is LibSVM's polynomial one, degree 2, gamma 1, coef0 0, on the differences.

LibSVM only gives up after 10^7 iterations, which its interface cannot change: minutes where the
accuracy asked for is below the rounding of its single precision kernel. So no call asks for more
than a tenth of what the last one reached, and one that took too long ends the tightening.
"""

import time
from collections import deque
from functools import cache

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from .cones import GeneratedCone, PSDCone, SymmetricCone, clip_eigenvalues
from .hinge import authors_gap, balance, best_bias, hinge_sum, paper_gap, value_at_zero
from .solution import Solution
from .threads import libsvm_threads

_ITERATIONS = (500_000, 50_000)  # of all LibSVM calls, and per pair: a call that took more than
_OPERATIONS = 100_000_000_000  # its share of them, or of gradient updates, is not asked for more
_KERNEL_ROUNDING = 1e-8  # of single precision, in which LibSVM keeps its kernel, on average
_STALL = 100  # iterations in which an exhausted alternation must gain a tenth of its gap
_GIVES_UP = 10_000_000  # where LibSVM stops on its own
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
    run = _Run(space, h, C, SymmetricCone(space), svms=1, **options)
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
        svms=100,
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
        self._pairs = _Svr(space, svms)
        self._pairs_and_zero = _Svr(space, svms, zero_row=True)
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
        return closed or self._stalls()

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
        if history[-1]["gap"] <= 0.9 * history[-1 - _STALL]["gap"]:
            return False
        self.solution.remark = " LibSVM's subproblems cannot be solved any better."
        return True

    def end(self):
        """The solution, with a word on the subproblems that LibSVM left unsolved."""
        unsolved = self._pairs.unsolved + self._pairs_and_zero.unsolved
        if unsolved:
            self.solution.remark += f" LibSVM gave up on {unsolved} of its subproblems."
        return self.solution


class _Svr:
    """LibSVM's epsilon-SVR on the pairs; the rows are converted once, the targets per call."""

    def __init__(self, space, svms, zero_row=False):
        self._space, self._extra = space, int(zero_row)
        self._problem = None
        self._epsilon = 0.0
        self.reached = np.inf  # the accuracy of the last call
        self._iterations = 0
        n, (fixed, per_pair) = space.n_pairs, _ITERATIONS
        self._budget = min(fixed + per_pair * n, _OPERATIONS // n) // svms
        self.floor = 0.0  # accuracy beyond reach
        self.unsolved = 0

    def train(self, h, eta, C, accuracy):
        """lambda for the linear term eta; NaN marks the row that only takes up the equality."""
        bound = np.isnan(eta)
        if np.isinf(self.reached):
            self.reached = max(1.0, C)  # pairs come at unit length
        while True:
            step = max(accuracy, self.floor, 0.1 * self.reached)
            lam = self._with_right_signs(h, eta, bound, C, step)
            self.reached = step
            if self._iterations >= _GIVES_UP:
                self.unsolved += 1
            if self._iterations > self._budget:
                self.floor = 2.0 * step
                return lam
            if step <= max(accuracy, self.floor):
                return lam

    def know_rounding(self, lam):
        """No accuracy below the rounding error of the kernel times these multipliers."""
        space = self._space
        largest = float(space.evaluate(space.combine(lam)).max(initial=0.0))
        self.floor = max(self.floor, _KERNEL_ROUNDING * largest)

    def _with_right_signs(self, h, eta, bound, C, accuracy):
        self._epsilon = max(self._epsilon, 1.0 + 1.5 * float(np.abs(eta[~bound]).max()))
        for _ in range(40):
            z = np.where(bound, -self._epsilon, h * (self._epsilon + eta))
            lam = h * self._call(z, C, accuracy)
            if (lam[~bound] >= 0.0).all() or self._iterations > self._budget:
                break
            self._epsilon *= 4.0
        return lam

    def _call(self, z, C, accuracy):
        """The signed coefficients of the SVR with targets z."""
        from libsvm.svm import svm_parameter  # a C library: loaded when it is used
        from libsvm.svmutil import svm_train

        if self._problem is None:
            self._problem, self._kernel = self._convert(z)
        np.ctypeslib.as_array(self._problem.y, (len(z),))[:] = z
        options = f"-c {C} -p {self._epsilon} -e {accuracy} -h 0 -m 500"
        parameter = svm_parameter(f"-s 3 {self._kernel} {options}")
        parameter.print_func, heard = _listener()
        with libsvm_threads(self._space.n_pairs, self._space.dim):
            model = svm_train(self._problem, parameter)
        self._iterations = heard[-1]
        coef = np.zeros(len(z))
        support = np.array(model.get_sv_indices(), dtype=int) - 1
        coef[support] = [value[0] for value in model.get_sv_coef()]
        return coef

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


@cache
def _listener():
    """LibSVM's messages: the number of its iterations is in no other place."""
    from libsvm.svm import PRINT_STRING_FUN

    heard = deque([0], maxlen=1)

    def listen(text):
        _, found, number = text.partition(b"#iter = ")
        if found:
            heard.append(int(number))

    return PRINT_STRING_FUN(listen), heard
