"""The hinge loss of problem (4): its best bias, and its proximal multipliers.

Everything here works on ``a_p = <M, X_p>``, the squared distances of the pairs, and on the
paper's indicator ``h`` (+1 dissimilar, -1 similar).
"""

import numba
import numpy as np


def value_at_zero(h, C):
    """The primal value at M = 0, with the best bias: C times twice the rarer kind of pairs."""
    similar = np.count_nonzero(h < 0.0)
    return 2.0 * C * min(similar, len(h) - similar)


@numba.njit(cache=True)
def best_bias(a, h):
    """The b that minimises sum_p [1 - h_p (a_p + b)]_+ (middle of the interval of minimisers).

    The slope starts at minus the number of dissimilar pairs and rises by one at each kink
    h_p - a_p, so the minimum lies between two order statistics of the kinks.
    """
    n_dissimilar = np.count_nonzero(h > 0.0)
    ordered = np.partition(h - a, n_dissimilar)
    return 0.5 * (ordered[:n_dissimilar].max() + ordered[n_dissimilar])


def hinge_sum(a, h, b):
    """sum_p [1 - h_p (a_p + b)]_+, the slack of (4) at its smallest feasible values."""
    return float(np.maximum(1.0 - h * (a + b), 0.0).sum())


@numba.njit(cache=True)
def best_scale(a, h, C, norm2):
    """(t, b, value) with the smallest primal value found along t M, where <M, X_p> = a_p."""
    best_t, best_b, least = 1.0, 0.0, np.inf
    for t in (1.0, 1.005, 1.02, 1.08):
        b = best_bias(t * a, h)
        value = _primal(a, h, C, norm2, t, b)
        if value < least:
            best_t, best_b, least = t, b, value
    nearest, farthest = np.inf, -np.inf
    for p in range(h.size):
        if h[p] > 0.0:
            nearest = min(nearest, a[p])
        else:
            farthest = max(farthest, a[p])
    if nearest > farthest:
        # Separable: the scale at which every margin holds, however large C is.
        t = 2.0 * (1.0 + 1e-10) / (nearest - farthest)
        b = -0.5 * t * (nearest + farthest)
        value = _primal(a, h, C, norm2, t, b)
        if value < least:
            best_t, best_b, least = t, b, value
    return best_t, best_b, least


@numba.njit(cache=True)
def _primal(a, h, C, norm2, t, b):
    loss = 0.0
    for p in range(h.size):
        loss += max(1.0 - h[p] * (t * a[p] + b), 0.0)
    return 0.5 * t * t * norm2 + C * loss


@numba.njit(cache=True)
def paper_gap(a, h, lam, C, M_dot_S):
    """Equations (13) and (29): slack by the KKT conditions (14), (15), so it may be negative.

    ``M_dot_S`` is tr(Lambda_-^2) in (13) and sum mu gamma in (29), both <M, S>.
    """
    b = _free_bias(a, h, lam, C)
    slack = 0.0
    for p in range(h.size):
        if lam[p] >= C * (1.0 - 1e-9):
            slack += max(1.0 - h[p] * (a[p] + b), 0.0)
    return C * slack - lam.sum() + M_dot_S


@numba.njit(cache=True)
def _free_bias(a, h, lam, C):
    """The bias at which the free pairs are on their margins, on average."""
    total, count = 0.0, 0
    for p in range(h.size):
        if 1e-9 * C < lam[p] < C * (1.0 - 1e-9):
            total += h[p] - a[p]
            count += 1
    return total / count if count else best_bias(a, h)


def authors_gap(a, h, lam, C, norm2):
    """The gap of the authors' published program: slack from all pairs, b from the free ones."""
    b = _free_bias(a, h, lam, C)
    return float(norm2 + C * hinge_sum(a, h, b) - lam.sum())


@numba.njit(cache=True)
def proximal_bias(a, h, lam, sigma, C, outside, b):
    """The b at which the multipliers clip(lam + sigma (1 - h (a + b)), 0, C) balance.

    Solves ``outside + sum_p h_p lambda_p(b) = 0``, where ``outside`` is the share of the pairs
    that are held fixed. The sum falls with b and is piecewise linear: Newton's method with a
    bracket ends after finitely many steps.
    """
    n = a.size
    low, high = -np.inf, np.inf
    for step in range(200):
        total = outside
        scale = abs(outside)
        slope = 0.0
        up = down = np.inf  # how far z is from the next kink if b rises, if it falls
        for p in range(n):
            z = lam[p] + sigma * (1.0 - h[p] * (a[p] + b))
            if z >= C:
                total += h[p] * C
                scale += C
                if h[p] > 0.0:
                    up = min(up, z - C)
                else:
                    down = min(down, z - C)
            elif z > 0.0:
                total += h[p] * z
                scale += z
                slope += sigma
            elif h[p] < 0.0:
                up = min(up, -z)
            else:
                down = min(down, -z)
        if abs(total) <= 1e-14 * scale:
            return b
        if slope == 0.0 and np.isinf(up if total > 0.0 else down):
            return b  # every multiplier is at its bound: what is left is the rounding of outside
        if total > 0.0:
            low = b
        else:
            high = b
        if slope > 0.0:
            proposal = b + total / slope
        elif total > 0.0:
            proposal = b + 1.0001 * up / sigma  # flat here: on to the next kink
        else:
            proposal = b - 1.0001 * down / sigma
        if not (low < proposal < high) or (step > 30 and step % 2 == 0):
            if np.isinf(low):
                proposal = high - max(1.0, 2.0 * abs(high))
            elif np.isinf(high):
                proposal = low + max(1.0, 2.0 * abs(low))
            else:
                proposal = 0.5 * (low + high)
        if proposal == b or proposal == low or proposal == high:
            return proposal
        b = proposal
    return b


@numba.njit(cache=True)
def proximal_multipliers(a, h, lam, sigma, C, b, z, new):
    """Fill z = lam + sigma (1 - h (a + b)) and new = clip(z, 0, C).

    Returns the value of the smoothed hinge, ``sum new r - (new - lam)^2 / (2 sigma)`` with
    ``r = 1 - h (a + b)``, and ``sum (new - lam)^2``.
    """
    value = 0.0
    moved = 0.0
    for p in range(a.size):
        r = 1.0 - h[p] * (a[p] + b)
        zp = lam[p] + sigma * r
        z[p] = zp
        new[p] = min(max(zp, 0.0), C)
        step = new[p] - lam[p]
        moved += step * step
        value += new[p] * r - step * step / (2.0 * sigma)
    return value, moved


@numba.njit(cache=True)
def balance(lam, h, C):
    """Remove the rounding error of sum_p lam_p h_p, in place, within the box."""
    error = 0.0
    for p in range(lam.size):
        error += lam[p] * h[p]
    for p in range(lam.size):
        if error == 0.0:
            break
        wanted = lam[p] - h[p] * error
        kept = min(max(wanted, 0.0), C)
        error += h[p] * (kept - lam[p])
        lam[p] = kept
