"""Axes of charts: where a value lies between 0 and 1, and which values get a tick."""

from dataclasses import dataclass
from math import ceil, floor, log10

from ..render import MINUS

MOST_TICKS = 7
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Linear:
    low: float
    high: float

    def place(self, value):
        return (value - self.low) / (self.high - self.low)

    def ticks(self):
        step = nice_step(self.high - self.low)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [(i * step, plain_number(i * step)) for i in range(first, last + 1)]


@dataclass(frozen=True)
class Log:
    low: float
    high: float

    def place(self, value):
        return log10(value / self.low) / log10(self.high / self.low)

    def ticks(self):
        first, last = ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9)
        every = ceil((last - first + 1) / MOST_TICKS)
        return [(10.0**i, power(i)) for i in range(first, last + 1, every)]


@dataclass(frozen=True)
class Symlog:
    """Logarithmic on both sides of zero, linear within ``linear`` of it."""

    low: float
    high: float
    linear: float

    def _moved(self, value):
        size = abs(value) / self.linear
        return (1.0 if value >= 0 else -1.0) * (size if size <= 1.0 else 1.0 + log10(size))

    def place(self, value):
        low, high = self._moved(self.low), self._moved(self.high)
        return (self._moved(value) - low) / (high - low)

    def ticks(self):
        start = round(log10(self.linear))
        out = [(0.0, "0")]
        for sign, end in ((1.0, self.high), (-1.0, -self.low)):
            if end < self.linear:
                continue
            last = floor(log10(end) + 1e-9)
            every = ceil((last - start + 1) / 4)
            text = "" if sign > 0 else MINUS
            out += [(sign * 10.0**i, text + power(i)) for i in range(start, last + 1, every)]
        return sorted(out)


def linear_axis(values, low=None, high=None):
    """An axis from tick to tick around the values; a given end stays."""
    least, most = min(values), max(values)
    if least == most:
        least, most = least - 0.5, most + 0.5
    step = nice_step(most - least)
    return Linear(
        floor(least / step + 1e-9) * step if low is None else low,
        ceil(most / step - 1e-9) * step if high is None else high,
    )


def log_axis(values):
    """An axis over the values with a little room at both ends."""
    least, most = min(values), max(values)
    room = (most / least) ** 0.03 if most > least else 2.0
    return Log(least / room, most * room)


def symlog_axis(values, sizes):
    """For gaps, which fall by decades but may be negative: linear within a decade of zero."""
    largest = max(abs(v) for v in sizes)
    smallest = min((abs(v) for v in sizes if v), default=1.0)
    linear = 10.0 ** floor(log10(max(10.0 * smallest, 1e-3 * largest, 1e-300)))
    low, high = min(0.0, *values), max(linear, *values)
    return Symlog(1.5 * low, 1.5 * high, linear)


def nice_step(span):
    """1, 2 or 5 times a power of ten, so that four to eight steps make the span."""
    rough = span / 5.0
    base = 10.0 ** floor(log10(rough))
    return next(m * base for m in (1.0, 2.0, 5.0, 10.0) if m * base >= rough * (1 - 1e-9))


def plain_number(value):
    return f"{round(value, 10):g}".replace("-", MINUS)


def power(i):
    """0.01, 0.1, 1, 10, 100; else as a power of ten."""
    return f"{10.0**i:g}" if -3 <= i <= 3 else f"10{str(i).translate(SUPERSCRIPT)}"
