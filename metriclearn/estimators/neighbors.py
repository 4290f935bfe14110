"""Exact nearest, or farthest, samples of the same and of other classes, in one sweep.

Tiles of a matrix product in single precision give squared distances with a bound on their
rounding error; whatever may belong to the k best of a sample is kept and then measured in double
precision. So the result is exact whatever the order of the tiles, ties go to the smaller index,
each distance is computed once for both of its samples, and the memory needed is that of the data
plus one tile per thread.
"""

from typing import NamedTuple

import numba
import numpy as np

from ..solvers.threads import for_each

_TILE = 512  # samples per side: a tile of single precision stays in the cache
_KEPT = 32  # candidates kept beside the k best; a sample with more ties is searched again alone
_RUN = 64  # distances looked at together: most runs hold nothing of interest


class _Samples(NamedTuple):
    """The samples, sorted by class and scaled; those of i's class are first[i] to last[i]."""

    exact: np.ndarray
    signs: np.ndarray  # of the distances within and between classes: -1 for the farthest
    low: np.ndarray  # (2, n): low_i + low_j - 2 sign x_i x_j is at most the distance with its sign,
    width: np.ndarray  # and width_i + width_j more than that is at least the distance
    first: np.ndarray
    last: np.ndarray


class _Lists(NamedTuple):
    """What may be among the k best of each row, of both kinds."""

    best: np.ndarray  # (2, m, k) smallest upper bounds of distances so far
    kept: np.ndarray  # (2, m, k + _KEPT) candidates,
    value: np.ndarray  # the lower bounds of their distances
    size: np.ndarray  # and their number; -1: too many ties to keep
    limit: np.ndarray  # (2, m) largest lower bound that is of interest


def class_neighbors(X, y, k, *, farthest=False, anchors=None):
    """k nearest samples of the same class, and k nearest (or farthest) of other classes.

    Returns two integer arrays (n, k) of sample indices by rising distance (falling for the
    farthest), filled with -1 where a sample has fewer than k candidates. With ``anchors``, an
    array of m indices, only those samples get neighbours, from among all: (m, k).
    """
    order = np.argsort(y, kind="stable")
    samples, single = _prepare(X, y[order], order, farthest)
    n = len(X)
    rows = np.arange(n) if anchors is None else np.argsort(order)[anchors]
    m = len(rows)
    lists = _Lists(
        np.full((2, m, k), np.inf, dtype=np.float32),
        np.empty((2, m, k + _KEPT), dtype=np.int32),
        np.empty((2, m, k + _KEPT), dtype=np.float32),
        np.zeros((2, m), dtype=np.int32),
        np.full((2, m), np.inf, dtype=np.float32),
    )
    both = anchors is None  # each distance is for its row and for its column
    column_limit = lists.limit if both else np.full((2, n), -np.inf, dtype=np.float32)

    def offer(top, left):
        part = rows[top : top + _TILE]
        product = single[part] @ single[left : left + _TILE].T
        _scan(product, part, top, left, samples, lists, both, column_limit)

    tops = range(0, m, _TILE)
    if both:
        for pairs in _rounds(len(tops)):
            for_each(offer, [(tops[min(pair)], tops[max(pair)]) for pair in pairs])
    else:
        for left in range(0, n, _TILE):
            for_each(offer, [(top, left) for top in tops])
    found = np.full((2, m, k), -1, dtype=np.int64)
    for_each(_measure, [(samples, order, rows, top, top + _TILE, lists, found) for top in tops])
    if not both:
        return found[0], found[1]
    result = np.empty_like(found)
    result[:, order] = found
    return result[0], result[1]


def _prepare(X, sorted_y, order, farthest):
    """The samples for the sweep, and their features in single precision."""
    # A power of two changes no digit, so equal distances stay equal.
    largest = np.abs(X).max(initial=0.0)
    exact = X[order] * 2.0 ** (-np.frexp(largest)[1]) if largest > 0.0 else X[order]
    centred = exact - exact.mean(axis=0)
    norms = np.einsum("ij,ij->i", centred, centred)
    # Rounding of the data, of d products and of their sum, for each of the three terms; and
    # what may be lost below the smallest normal number.
    rounding = np.finfo(np.float32)
    error = 4.0 * (X.shape[1] + 8) * float(rounding.eps)
    lost = 4.0 * (X.shape[1] + 8) * float(rounding.tiny)
    signs = np.array([1.0, -1.0 if farthest else 1.0], dtype=np.float32)
    low = (signs[:, None] - 0.5 * error) * norms - lost
    width = error * norms + 2.0 * lost
    first = np.searchsorted(sorted_y, sorted_y, side="left")
    last = np.searchsorted(sorted_y, sorted_y, side="right")
    single = (low.astype(np.float32), width.astype(np.float32))
    return _Samples(exact, signs, *single, first, last), centred.astype(np.float32)


def _rounds(n):
    """All pairs of n tiles, in rounds that meet each tile once: threads then share no sample."""
    yield [(i, i) for i in range(n)]
    ring = n - 1 + n % 2  # a round-robin tournament: i and j meet in round r if i + j = 2 r,
    for r in range(ring if n > 1 else 0):
        pairs = [((r - i) % ring, (r + i) % ring) for i in range(1, (ring + 1) // 2)]
        if n % 2 == 0:
            pairs.append((r, ring))  # and the last one of an even number meets who is left
        yield pairs


@numba.njit(cache=True, nogil=True)
def _scan(product, rows, top, left, samples, lists, both, column_limit):
    """Offer each distance of a tile to its row and, if ``both``, once, to its column."""
    first, last, width = samples.first, samples.last, samples.width
    columns = product.shape[1]
    for r in range(len(rows)):
        i = rows[r]
        for part in range(3):  # columns before, within and after the class of i
            kind = 0 if part == 1 else 1
            begin = max(left, (left, first[i], last[i])[part], i + 1 if both else 0)
            end = min(left + columns, (first[i], last[i], left + columns)[part])
            twice, low = np.float32(2.0) * samples.signs[kind], samples.low[kind]
            row_limit, others = lists.limit[kind], column_limit[kind]
            for start in range(begin, end, _RUN):
                stop = min(start + _RUN, end)
                run = product[r, start - left : stop - left]
                limits = row_limit[top + r], others[start:stop]
                if not _any_within(run, twice, low[i], low[start:stop], *limits):
                    continue
                for j in range(start, stop):
                    v = low[i] + low[j] - twice * product[r, j - left]
                    if v <= row_limit[top + r] and i != j:
                        _offer(lists, kind, top + r, j, v, width[i] + width[j])
                    if v <= others[j]:
                        _offer(lists, kind, j, i, v, width[i] + width[j])


@numba.njit(cache=True, nogil=True)
def _any_within(products, twice, row_low, column_low, row_limit, column_limit):
    """Whether a distance of a run is of interest; a count, which the compiler vectorises."""
    hits = np.int32(0)
    for c in range(products.size):
        v = row_low + column_low[c] - twice * products[c]
        hits += np.int32((v <= row_limit) | (v <= column_limit[c]))
    return hits > 0


@numba.njit(cache=True, nogil=True)
def _offer(lists, kind, row, j, v, width):
    """Keep j as a candidate of a row, at a distance between v and v + width."""
    best, kept, value = lists.best[kind, row], lists.kept[kind, row], lists.value[kind, row]
    size, limit = lists.size[kind], lists.limit[kind]
    k, room = len(best), len(kept)
    upper = v + width
    if upper < best[k - 1]:
        slot = k - 1
        while slot > 0 and upper < best[slot - 1]:
            best[slot] = best[slot - 1]
            slot -= 1
        best[slot] = upper
        limit[row] = best[k - 1]
    if size[row] < 0:
        return
    if size[row] == room:
        remaining = 0
        for c in range(room):
            if value[c] <= limit[row]:
                kept[remaining] = kept[c]
                value[remaining] = value[c]
                remaining += 1
        size[row] = remaining
        if remaining == room:
            size[row] = -1
            return
    kept[size[row]] = j
    value[size[row]] = v
    size[row] += 1


@numba.njit(cache=True, nogil=True)
def _measure(samples, order, rows, start, stop, lists, found):
    """The k best of some rows by (distance, index), from exact distances."""
    exact, first, last, signs = samples.exact, samples.first, samples.last, samples.signs
    n = len(exact)
    k = found.shape[2]
    index = np.empty(n, dtype=np.int64)
    distance = np.empty(n, dtype=np.float64)
    for kind in range(2):
        for row in range(start, min(stop, len(rows))):
            i = rows[row]
            total = 0
            if lists.size[kind, row] >= 0:
                for c in range(lists.size[kind, row]):
                    if lists.value[kind, row, c] <= lists.limit[kind, row]:
                        index[total] = lists.kept[kind, row, c]
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
                found[kind, row, slot] = index[slot]
