"""How many threads a solver uses."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

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


def _n_blas_threads():
    libraries = _controller().select(user_api="blas").lib_controllers
    return max((library.num_threads for library in libraries), default=1)


def for_each(function, arguments):
    """Call ``function(*a)`` for each of ``arguments``, in as many threads as BLAS would use.

    The calls must not write to the same place, and gain as far as they let go of Python's lock.
    """
    workers = min(len(arguments), _n_blas_threads()) if len(arguments) > 1 else 1
    if workers == 1:
        for each in arguments:
            function(*each)
        return
    with _controller().limit(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(lambda each: function(*each), arguments):
            pass
