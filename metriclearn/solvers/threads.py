"""How many threads a solver uses."""

from contextlib import nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

_LONG_ROW = 1e6  # multiplications per row of LibSVM's kernel from which threads pay
_WORTH_IT = 5e8  # multiplications per pass over the pairs from which more threads pay


@cache
def _controller():
    return ThreadpoolController()


def blas_threads(n_pairs, dim):
    """A context with one BLAS thread for small problems: their products are too short to share.

    On a busy machine waiting for a second thread costs far more than it brings.
    """
    if n_pairs * dim**2 >= _WORTH_IT:
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")


@cache
def _openmp():
    import libsvm.svm  # noqa: F401 - a library must be loaded before it can be limited

    return ThreadpoolController().select(user_api="openmp")


def libsvm_threads(n_pairs, dim):
    """A context with one thread for LibSVM: it shares out single rows of the kernel.

    On a busy machine its threads wait for each other far longer than they compute.
    """
    if n_pairs * dim >= _LONG_ROW:
        return nullcontext()
    return _openmp().limit(limits=1)
