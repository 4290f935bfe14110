"""Exponentials of all pairs: the inner loops of MCML and LDML, in a form compilers vectorise."""

import numba
import numpy as np

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10


@numba.njit(cache=True, fastmath=True)
def _exp(x, out, bits):
    """out = exp(x) for x <= 0 to a few units in the last place; below -700 it is exp(-700).

    x = k ln 2 + r with |r| <= ln 2 / 2: a Taylor polynomial in r, times 2^k made from its bits.
    """
    for j in range(x.shape[0]):
        y = max(x[j], -700.0)
        k = np.floor(y * _LOG2E + 0.5)
        r = (y - k * _LN2_HIGH) - k * _LN2_LOW
        p = 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        out[j] = p * r + 1.0
        bits[j] = (np.int64(np.int32(k)) + 1023) << 52
    power = bits.view(np.float64)
    for j in range(x.shape[0]):
        out[j] *= power[j]


@numba.njit(cache=True, fastmath=True)
def softmax_rows(S, own, top, total):
    """S becomes exp(S - top) row by row, with S[r, own[r]] left out; the softmax is S / total."""
    rows, columns = S.shape
    bits = np.empty(columns, dtype=np.int64)
    for r in range(rows):
        row = S[r]
        row[own[r]] = -1e300
        largest = row[0]
        for j in range(columns):
            largest = max(largest, row[j])
        for j in range(columns):
            row[j] -= largest
        _exp(row, row, bits)
        row[own[r]] = 0.0
        sum_ = 0.0
        for j in range(columns):
            sum_ += row[j]
        top[r], total[r] = largest, sum_


@numba.njit(cache=True, fastmath=True)
def logistic_rows(S, row_label, column_label, first, alike, unlike):
    """Log-losses of a tile of logits, "same label" being the event; S becomes event minus p.

    Both times the weight ``alike`` where the event is true, ``unlike`` where not.

    Row r counts columns from ``first + r`` on, the rest of it becomes 0: with first = 1 a tile on
    the diagonal counts each pair once. Returns the sum of the log-losses.
    """
    rows, columns = S.shape
    e = np.empty(columns)
    bits = np.empty(columns, dtype=np.int64)
    loss = 0.0
    for r in range(rows):
        start = min(max(first + r, 0), columns)
        S[r, :start] = 0.0
        s = S[r, start:]
        label = column_label[start:]
        for j in range(s.shape[0]):
            e[j] = -abs(s[j])
        _exp(e[: s.shape[0]], e, bits)
        own = row_label[r]
        for low in range(0, s.shape[0], 256):  # ln of a product: one logarithm for 256 pairs
            true, false = 1.0, 1.0
            for j in range(low, min(low + 256, s.shape[0])):
                true *= 1.0 + e[j] if label[j] == own else 1.0
                false *= 1.0 if label[j] == own else 1.0 + e[j]
            loss += alike * np.log(true) + unlike * np.log(false)
        for j in range(s.shape[0]):
            t = 1.0 if label[j] == own else 0.0
            weight = alike if label[j] == own else unlike
            # -ln p is softplus(-s) for the event, softplus(s) against it.
            loss += weight * (max(s[j], 0.0) - t * s[j])
            s[j] = weight * (t - (1.0 if s[j] >= 0.0 else e[j]) / (1.0 + e[j]))
    return loss
