"""The grid of values that tuning tries, and the rule by which it grows.

Where the best candidate has the smallest or largest value of a parameter that the method's file
names in ``extend``, the grid gets one more value on that side: the last one times the ratio of the
last two, a factor of ten if there is only one. Of a parameter between 0 and 1 the odds are
multiplied. That goes on as long as an edge wins, at most ``extensions`` times on each side. Other
parameters keep the values of the method's file.
"""

import itertools
from collections import Counter
from numbers import Real

FACTOR = 10.0  # where a parameter has a single value
DIGITS = 12  # of an added value: 1e-5, not 1.0000000000000001e-05
ENDS = (0, -1)  # of sorted values: the smallest and the largest
# What is multiplied, and back.
SCALES = {
    "factor": (lambda value: value, lambda value: value),
    "odds": (lambda value: value / (1.0 - value), lambda odds: odds / (1.0 + odds)),
}


class Grid:
    """Values for each parameter; every combination is a candidate, a dict of changes."""

    def __init__(self, tune=None, extend=None, extensions=0):
        """``extend`` is {parameter: a key of SCALES}."""
        self.axes = {name: list(values) for name, values in (tune or {}).items()}
        self.extend, self.extensions = extend or {}, extensions
        self._added = Counter()

    def candidates(self):
        """Every combination of the values, in the order of the method's file."""
        return _combinations(self.axes)

    def extended(self, best):
        """Grow where ``best`` is at an edge that may move; the candidates that come with it."""
        new = []
        for name, scale in self.extend.items():
            if name not in self.axes:
                continue
            values = self.axes[name]
            for end in ENDS:
                if best[name] != sorted(values)[end] or self._added[name, end] >= self.extensions:
                    continue
                self._added[name, end] += 1
                value = _beyond(values, end, *SCALES[scale])
                new += _combinations({**self.axes, name: [value]})
                values.append(value)
        return new

    def edge(self, chosen):
        """Parameters whose chosen value is the smallest or the largest that was tried.

        Only those with three numbers or more: two have nothing but edges.
        """
        return [
            name
            for name, values in self.axes.items()
            if len(values) > 2
            and all(_is_number(value) for value in values)
            and chosen[name] in (min(values), max(values))
        ]


def _combinations(axes):
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _beyond(values, end, scaled, back):
    """The value after the smallest (``end`` 0) or the largest (-1)."""
    ordered = [scaled(value) for value in sorted(set(values), reverse=end == 0)]
    last = ordered[-1]
    ratio = last / ordered[-2] if len(ordered) > 1 else FACTOR ** (1 if end else -1)
    return float(f"{back(last * ratio):.{DIGITS}g}")


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)
