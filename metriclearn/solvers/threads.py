"""How many threads a solver uses."""

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
