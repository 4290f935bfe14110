"""A small SVM in native code: sequential minimal optimisation with a warm start."""

import numba
import numpy as np


@numba.njit(cache=True)
def train_svm(K, slopes, h, lam, C, tolerance, max_iter):
    """min 1/2 d'Hd - slopes'd over d with 0 <= lam + d <= C, h'd = 0, where H_pq = h_p h_q K_pq.

    Returns lam + d and the number of iterations. Second-order selection (Fan, Chen and Lin 2005).
    Every step is downhill, so an early stop gives a usable direction.
    """
    n = slopes.size
    x = lam.copy()
    wish = h * slopes  # minus h times the gradient: what raising h x gains
    diagonal = np.diag(K).copy()
    least = 1e-12 * max(1e-300, np.max(diagonal))
    for iteration in range(max_iter):
        i = -1
        highest = -np.inf
        for p in range(n):
            if wish[p] > highest and (x[p] < C if h[p] > 0.0 else x[p] > 0.0):
                highest, i = wish[p], p
        j = -1
        lowest = np.inf
        most = 0.0
        for p in range(n):
            difference = highest - wish[p]
            if difference > 0.0 and (x[p] > 0.0 if h[p] > 0.0 else x[p] < C):
                lowest = min(lowest, wish[p])
                curvature = max(least, diagonal[i] + diagonal[p] - 2.0 * K[i, p])
                gain = difference * difference / curvature
                if gain > most:
                    most, j = gain, p
        if j < 0 or highest - lowest < tolerance:
            return x, iteration
        curvature = max(least, diagonal[i] + diagonal[j] - 2.0 * K[i, j])
        step = (highest - wish[j]) / curvature
        room_i = C - x[i] if h[i] > 0.0 else x[i]
        room_j = x[j] if h[j] > 0.0 else C - x[j]
        step = min(step, room_i, room_j)
        x[i] = min(max(x[i] + h[i] * step, 0.0), C)
        x[j] = min(max(x[j] - h[j] * step, 0.0), C)
        for p in range(n):
            wish[p] -= step * (K[i, p] - K[j, p])
    return x, max_iter
