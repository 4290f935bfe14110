"""Choosing parameters and preprocessing on the training part of a fold, never on its test part."""

from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..files.errors import PipelineError

FAILURES = (ValueError, ArithmeticError, np.linalg.LinAlgError)  # of one candidate, on one part


class Choice(NamedTuple):
    """What was chosen, how good it was on the inner test parts, and whether the grid ended there.

    With nothing to choose there is no value.
    """

    kind: Any  # of the preprocessing
    changes: dict
    value: float | None = None
    edge: tuple = ()  # parameters at the end of the values that were tried


def tune(protocol, train, seed):
    """The best candidate; the first one where several are equally good.

    Preprocessing is fitted on each inner training part anew. A candidate that fails on an inner
    part is out. With nothing to choose there is no inner fit. The grid grows by the rule of
    ``grid.py``, and added candidates are compared on the same inner parts.
    """
    kinds, grid = protocol.preprocessings(), protocol.grid()
    new = grid.candidates()
    if len(kinds) * len(new) == 1:
        return Choice(kinds[0], new[0])
    options, totals = [], []
    while new:
        found, sizes, failure = _totals(protocol, kinds, new, train, seed)
        options += [(kind, changes) for kind in kinds for changes in new]
        totals += found
        best = int(np.argmax(totals))
        if not np.isfinite(totals[best]):
            raise ValueError(
                f"no combination of {protocol.method['tune']} could be fitted: {failure}"
            )
        kind, changes = options[best]
        new = grid.extended(changes)
    value = protocol.tuning_value(totals[best], sizes)
    return Choice(kind, changes, value, tuple(grid.edge(changes)))


def _totals(protocol, kinds, grid, train, seed):
    """Sums of scores over the inner parts, kind by kind; sizes of those; the last failure."""
    totals, sizes, failure = np.zeros((len(kinds), len(grid))), [], None
    for inner, held in protocol.inner_splits(train, np.random.default_rng([seed, 1])):
        sizes.append(held.size)
        for total, kind in zip(totals, kinds, strict=True):
            scores, problem = candidate_scores(protocol, kind, grid, inner, held, seed)
            total += scores
            failure = problem or failure
    return totals.ravel().tolist(), sizes, failure


def candidate_scores(protocol, kind, grid, train, held, seed):
    """(scores, last failure) of the candidates of a list after one preprocessing.

    A candidate that fails has the score -inf. Those that differ only in the parameter over which
    the estimator has a path are fitted in one; where that fails they are fitted one by one, so
    that a bad one costs no other.
    """
    scores, failures = [-np.inf] * len(grid), []
    with _noted(failures):
        train, held = protocol.preprocess(kind, train, held)
    if failures:
        return scores, failures[-1]
    for group in _paths(grid, protocol.path_parameter):
        models = _fit_path(protocol, [grid[i] for i in group], train, seed)
        for i, model in zip(group, models, strict=True):
            with _noted(failures):
                model = model or protocol.fit(protocol.estimator(seed, grid[i]), train)
                scores[i] = protocol.tuning_score(model, train, held)
    return scores, failures[-1] if failures else None


def _paths(grid, name):
    """The candidates that differ in one parameter only, as lists of their positions."""
    groups = {}
    for i, changes in enumerate(grid):
        rest = [item for item in changes.items() if item[0] != name]
        groups.setdefault(repr(rest) if name in changes else i, []).append(i)
    return groups.values()


def _fit_path(protocol, group, train, seed):
    """Fitted models of candidates that differ in the path's parameter; None for each without."""
    models = None
    if len(group) > 1:
        values = [changes[protocol.path_parameter] for changes in group]
        with _noted([]):
            models = protocol.fit_path(protocol.estimator(seed, group[0]), train, values)
    return models or [None] * len(group)


@contextmanager
def _noted(failures):
    """Append what a candidate fails with; an error of the configuration goes on."""
    try:
        yield
    except PipelineError:
        raise
    except FAILURES as error:
        failures.append(error)
