"""PLML's distances: a metric per row, sums of basis metrics with the weights of that row."""

import numpy as np

_ROWS = 512  # rows of a distance matrix at a time


def distance_blocks(metrics, A, W, B):
    """Squared distances of the rows of A to those of B, metrics by the rows of W, in blocks."""
    norms = np.column_stack([np.einsum("ij,ij->i", B @ M, B) for M in metrics])
    for start in range(0, len(A), _ROWS):
        block = slice(start, start + _ROWS)
        yield _squared(metrics, A[block], W[block], B, norms)


def _squared(metrics, A, W, B, norms):
    """One block; ``norms`` are z^T M_b z for each row z of B and each basis metric.

    Two matrix products, as (x - z)^T M (x - z) = x^T M x - 2 x^T M z + z^T M z and each term
    is linear in M; where that cancels, from the difference itself.
    """
    MA = sum(W[:, b, None] * (A @ M) for b, M in enumerate(metrics))
    size = W @ norms.T + np.einsum("ij,ij->i", MA, A)[:, None]
    squared = size - 2.0 * MA @ B.T
    i, j = np.nonzero(squared <= 1e-6 * np.abs(size))
    for start in range(0, len(i), 2**14):
        s = slice(start, start + 2**14)
        squared[i[s], j[s]] = quadratic(metrics, A[i[s]] - B[j[s]], W[i[s]])
    return squared


def quadratic(metrics, delta, W):
    """delta^T M delta of each row, its metric by the row of W."""
    total = np.zeros(len(delta))
    for b, M in enumerate(metrics):
        total += W[:, b] * np.einsum("ij,ij->i", delta @ M, delta)
    return np.maximum(total, 0.0)
