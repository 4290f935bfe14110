"""A small SVM in native code: sequential minimal optimisation with a warm start."""

import numba
import numpy as np


@numba.njit(cache=True)
def train_svm(H, g, h, lam, C, tolerance, max_iter):
    """min 1/2 d'Hd - g'd over d with 0 <= lam + d <= C and h'd = 0: returns lam + d, iterations.

    Second-order selection (Fan, Chen and Lin 2005). ``H`` has the signs h_p h_q in it. Every
    step is downhill, so an early stop gives a usable direction.
    """
    n = g.size
    x = lam.copy()
    gradient = -g
    least = 1e-12 * max(1e-300, np.max(np.diag(H)))
    for iteration in range(max_iter):
        i = -1
        highest = -np.inf
        for p in range(n):
            if x[p] < C if h[p] > 0.0 else x[p] > 0.0:
                value = -h[p] * gradient[p]
                if value > highest:
                    highest, i = value, p
        j = -1
        lowest = np.inf
        most = 0.0
        for p in range(n):
            if x[p] > 0.0 if h[p] > 0.0 else x[p] < C:
                value = -h[p] * gradient[p]
                lowest = min(lowest, value)
                difference = highest - value
                if difference > 0.0:
                    curvature = max(least, H[i, i] + H[p, p] - 2.0 * h[i] * h[p] * H[i, p])
                    gain = difference * difference / curvature
                    if gain > most:
                        most, j = gain, p
        if j < 0 or highest - lowest < tolerance:
            return x, iteration
        curvature = max(least, H[i, i] + H[j, j] - 2.0 * h[i] * h[j] * H[i, j])
        step = (highest + h[j] * gradient[j]) / curvature
        room_i = C - x[i] if h[i] > 0.0 else x[i]
        room_j = x[j] if h[j] > 0.0 else C - x[j]
        step = min(step, room_i, room_j)
        x[i] = min(max(x[i] + h[i] * step, 0.0), C)
        x[j] = min(max(x[j] - h[j] * step, 0.0), C)
        up, down = h[i] * step, h[j] * step
        for p in range(n):
            gradient[p] += up * H[i, p] - down * H[j, p]
    return x, max_iter
