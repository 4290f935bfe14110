"""Exact nearest, or farthest, samples of the same and of other classes, in one sweep.

Tiles of a matrix product in single precision give squared distances with a bound on their
rounding error; whatever may belong to the k best of a sample is kept and then measured in double
precision. So the result is exact, ties go to the smaller index, each distance is computed once
for both of its samples, and the memory needed is that of the data plus one tile.
"""

import numba
import numpy as np

_TILE = 1024  # samples per side: a tile of single precision stays in the cache
_KEPT = 32  # candidates kept beside the k best; a sample with more ties is searched again alone


def class_neighbors(X, y, k, *, farthest=False):
    """k nearest samples of the same class, and k nearest (or farthest) of other classes.

    Returns two integer arrays (n, k) of sample indices by rising distance (falling for the
    farthest), filled with -1 where a sample has fewer than k candidates.
    """
    n = len(X)
    order = np.argsort(y, kind="stable")
    sorted_y = y[order]
    first = np.searchsorted(sorted_y, sorted_y, side="left")
    last = np.searchsorted(sorted_y, sorted_y, side="right")
    # A power of two changes no digit, so equal distances stay equal.
    largest = np.abs(X).max(initial=0.0)
    exact = X[order] * 2.0 ** (-np.frexp(largest)[1]) if largest > 0.0 else X[order]
    centred = exact - exact.mean(axis=0)
    single = centred.astype(np.float32)
    norms = np.einsum("ij,ij->i", centred, centred).astype(np.float32)
    # Rounding of the data, of d products and of their sum, for each of the three terms.
    radius = float(norms.max(initial=0.0))
    slack = np.float32(4.0 * (X.shape[1] + 8) * np.finfo(np.float32).eps * radius)

    signs = np.array([1.0, -1.0 if farthest else 1.0], dtype=np.float32)
    best = np.full((2, n, k), np.inf, dtype=np.float32)
    kept = np.full((2, n, k + _KEPT), -1, dtype=np.int32)
    value = np.empty((2, n, k + _KEPT), dtype=np.float32)
    count = np.zeros((2, n), dtype=np.int32)  # -1: too many ties to keep
    limit = np.full((2, n), np.inf, dtype=np.float32)
    for top in range(0, n, _TILE):
        rows = single[top : top + _TILE]
        for left in range(top, n, _TILE):
            product = rows @ single[left : left + _TILE].T
            _scan(
                product,
                top,
                left,
                norms,
                first,
                last,
                signs,
                slack,
                best,
                kept,
                value,
                count,
                limit,
            )
    found = np.full((2, n, k), -1, dtype=np.int64)
    _measure(exact, order, first, last, signs, kept, value, count, limit, found)
    result = np.empty_like(found)
    result[:, order] = found
    return result[0], result[1]


@numba.njit(cache=True)
def _scan(product, top, left, norms, first, last, signs, slack, best, kept, value, count, limit):
    """Offer each distance of a tile to both of its samples."""
    rows, columns = product.shape
    for r in range(rows):
        i = top + r
        for part in range(3):  # columns before, within and after the class of i
            kind = 0 if part == 1 else 1
            low = (left, first[i], last[i])[part]
            high = (first[i], last[i], left + columns)[part]
            low = max(low, left, i + 1)
            high = min(high, left + columns)
            sign = signs[kind]
            mine = limit[kind, i]
            theirs = limit[kind]
            for j in range(low, high):
                v = sign * (norms[i] + norms[j] - np.float32(2.0) * product[r, j - left])
                if v <= mine:
                    _offer(kind, i, j, v, slack, best, kept, value, count, limit)
                    mine = limit[kind, i]
                if v <= theirs[j]:
                    _offer(kind, j, i, v, slack, best, kept, value, count, limit)


@numba.njit(cache=True)
def _offer(kind, i, j, v, slack, best, kept, value, count, limit):
    """Keep j as a candidate of i, at the computed distance v."""
    k = best.shape[2]
    if v < best[kind, i, k - 1]:
        slot = k - 1
        while slot > 0 and v < best[kind, i, slot - 1]:
            best[kind, i, slot] = best[kind, i, slot - 1]
            slot -= 1
        best[kind, i, slot] = v
        limit[kind, i] = best[kind, i, k - 1] + slack + slack
    if count[kind, i] < 0:
        return
    if count[kind, i] == kept.shape[2]:
        remaining = 0
        for c in range(kept.shape[2]):
            if value[kind, i, c] <= limit[kind, i]:
                kept[kind, i, remaining] = kept[kind, i, c]
                value[kind, i, remaining] = value[kind, i, c]
                remaining += 1
        count[kind, i] = remaining
        if remaining == kept.shape[2]:
            count[kind, i] = -1
            return
    kept[kind, i, count[kind, i]] = j
    value[kind, i, count[kind, i]] = v
    count[kind, i] += 1


@numba.njit(cache=True)
def _measure(exact, order, first, last, signs, kept, value, count, limit, found):
    """The k best of each sample by (distance, index), from exact distances."""
    n = exact.shape[0]
    k = found.shape[2]
    index = np.empty(n, dtype=np.int64)
    distance = np.empty(n, dtype=np.float64)
    for kind in range(2):
        for i in range(n):
            total = 0
            if count[kind, i] >= 0:
                for c in range(count[kind, i]):
                    if value[kind, i, c] <= limit[kind, i]:
                        index[total] = kept[kind, i, c]
                        total += 1
            else:
                for j in range(n):
                    if (first[i] <= j < last[i]) == (kind == 0) and j != i:
                        index[total] = j
                        total += 1
            for c in range(total):
                squared = 0.0
                for f in range(exact.shape[1]):
                    difference = exact[i, f] - exact[index[c], f]
                    squared += difference * difference
                distance[c] = signs[kind] * squared
                index[c] = order[index[c]]
            for slot in range(min(k, total)):
                least = slot
                for c in range(slot + 1, total):
                    if distance[c] < distance[least] or (
                        distance[c] == distance[least] and index[c] < index[least]
                    ):
                        least = c
                index[slot], index[least] = index[least], index[slot]
                distance[slot], distance[least] = distance[least], distance[slot]
                found[kind, i, slot] = index[slot]
