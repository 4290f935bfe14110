"""LibSVM's epsilon-SVR on the pairs, from two places; the kernel is (8), or precomputed.

``Official`` is LibSVM as its authors distribute it. It gives up only after 10^7 iterations, which
its interface cannot change. ``Bounded`` is scikit-learn's copy of the same code, which can be told
to stop: tight accuracies may be below the rounding of the kernel's single precision, and then the
iterations have no end.
"""

import warnings
from collections import deque
from functools import cache

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

_CACHE = 500  # megabytes for rows of the kernel


class Bounded:
    """scikit-learn's LibSVM."""

    def __init__(self, space, zero_rows):
        from sklearn.svm import SVR  # loaded when it is used

        self._rows, precomputed = _rows(space, zero_rows)
        kernel = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0}
        kernel = {"kernel": "precomputed"} if precomputed else kernel
        self._svr = SVR(**kernel, shrinking=False, cache_size=_CACHE)

    def train(self, z, C, epsilon, accuracy, limit):
        """The signed coefficients for targets z, and the number of iterations."""
        svr = self._svr.set_params(C=C, epsilon=epsilon, tol=accuracy, max_iter=limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # said once, at the end of the fit
            svr.fit(self._rows, z)
        coef = np.zeros(len(z))
        coef[svr.support_] = svr.dual_coef_[0]
        return coef, svr.n_iter_


class Official:
    """LibSVM's own library; the rows are converted once, the targets per call."""

    def __init__(self, space, zero_rows):
        from libsvm.svm import svm_problem  # a C library: loaded when it is used

        rows, precomputed = _rows(space, zero_rows)
        z = np.zeros(len(rows))
        if precomputed:
            numbered = np.column_stack([np.arange(1, len(rows) + 1), rows])
            self._problem, self._kernel = svm_problem(z, numbered, isKernel=True), "-t 4"
        else:
            self._problem = svm_problem(z, csr_matrix(rows))
            self._kernel = "-t 1 -d 2 -g 1 -r 0"

    def train(self, z, C, epsilon, accuracy, limit):
        """As in ``Bounded``; ``limit`` has no effect."""
        from libsvm.svm import svm_parameter
        from libsvm.svmutil import svm_train

        np.ctypeslib.as_array(self._problem.y, (len(z),))[:] = z
        options = f"-c {C} -p {epsilon} -e {accuracy} -h 0 -m {_CACHE}"
        parameter = svm_parameter(f"-s 3 {self._kernel} {options}")
        parameter.print_func, counts = _listener()
        model = svm_train(self._problem, parameter)
        coef = np.zeros(len(z))
        support = np.array(model.get_sv_indices(), dtype=int) - 1
        coef[support] = [value[0] for value in model.get_sv_coef()]
        return coef, counts[-1]


@cache
def _listener():
    """LibSVM's messages: the number of its iterations is in no other place."""
    from libsvm.svm import PRINT_STRING_FUN

    counts = deque([0], maxlen=1)

    def listen(text):
        _, found, number = text.partition(b"#iter = ")
        if found:
            counts.append(int(number))

    return PRINT_STRING_FUN(listen), counts


def _rows(space, extra):
    """What LibSVM gets of the pairs, with ``extra`` zero rows; whether that is their kernel."""
    if hasattr(space, "delta"):
        return np.pad(space.delta, ((0, extra), (0, 0))), False
    everything = np.arange(space.n_pairs)
    return np.pad(space.block(everything, everything), (0, extra)), True
