"""Kernels for nonlinear NCML: on samples, equation (34), and on pairs, equation (33)."""

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

NAMES = ("linear", "rbf", "polynomial", "chi2", "precomputed")


def sample_kernel(kernel, **parameters):
    """A kernel on samples as a kernel on pairs, for ``duality_gap``.

    ``kernel`` is a name that scikit-learn's ``pairwise_kernels`` knows, with its parameters, or
    a function of two arrays of samples. The pair kernel is the square in (34),
    ``(k(x_i, x_k) - k(x_i, x_l) - k(x_j, x_k) + k(x_j, x_l))^2``.
    """

    def on_pairs(first, second):
        left = np.concatenate([first[:, 0], first[:, 1]])
        right = np.concatenate([second[:, 0], second[:, 1]])
        K = kernel_matrix(kernel, left, right, parameters)
        m, n = len(first), len(second)
        return (K[:m, :n] - K[:m, n:] - K[m:, :n] + K[m:, n:]) ** 2

    return on_pairs


def kernel_matrix(kernel, A, B, parameters):
    """Kernel values between samples; "precomputed" rows already are those."""
    if kernel == "precomputed":
        return A
    if callable(kernel):
        K = np.asarray(kernel(A, B), dtype=float)
        if K.shape != (len(A), len(B)):
            raise ValueError(
                f"the kernel must return one value per pair of rows, shape {(len(A), len(B))}, "
                f"got {K.shape}."
            )
        if not np.isfinite(K).all():
            raise ValueError("the kernel returned values that are not finite.")
        return K
    given = {name: value for name, value in parameters.items() if value is not None}
    return pairwise_kernels(A, B, metric=kernel, filter_params=True, **given)


def check_pair_kernel(values, shape):
    """Values of a user's kernel on pairs: the right shape, finite, and not negative."""
    values = np.asarray(values, dtype=float)
    if values.shape != shape:
        raise ValueError(f"pair_kernel must return an array of shape {shape}, got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError("pair_kernel returned values that are not finite.")
    if values.min(initial=0.0) < 0.0:
        raise ValueError(
            f"pair_kernel returned a negative value ({values.min():.3g}): a distance is a "
            "nonnegative combination of its values, so they must be >= 0."
        )
    return values
