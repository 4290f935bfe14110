"""Choosing parameters and preprocessing on the training part of a fold, never on its test part."""

import itertools
import warnings
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..files.errors import PipelineError

FAILURES = (ValueError, ArithmeticError, np.linalg.LinAlgError)  # of one candidate, on one part


class Choice(NamedTuple):
    """What was chosen, and how good it was on the inner test parts."""

    kind: Any  # of the preprocessing
    changes: dict
    value: float | None


def candidates(method):
    """Every combination of the values to try, in the order of the method's file."""
    keys = list(method["tune"])
    return [dict(zip(keys, c, strict=True)) for c in itertools.product(*method["tune"].values())]


def tune(protocol, train, seed):
    """The best candidate; the first one where several are equally good.

    Preprocessing is fitted on each inner training part anew. A candidate that fails on an inner
    part is out. With nothing to choose there is no inner fit, and no value.
    """
    kinds, grid = protocol.preprocessings(), protocol.candidates()
    options = [(kind, changes) for kind in kinds for changes in grid]
    if len(options) == 1:
        return Choice(*options[0], None)
    total, sizes, failure = np.zeros(len(options)), [], None
    for inner, held in protocol.inner_splits(train, np.random.default_rng([seed, 1])):
        sizes.append(held.size)
        for i, kind in enumerate(kinds):
            span = slice(i * len(grid), (i + 1) * len(grid))
            scores, problem = candidate_scores(protocol, kind, grid, inner, held, seed)
            total[span] += scores
            failure = problem or failure
    best = int(np.argmax(total))
    if not np.isfinite(total[best]):
        raise ValueError(f"no combination of {protocol.method['tune']} could be fitted: {failure}")
    return Choice(*options[best], protocol.tuning_value(total[best], sizes))


def candidate_scores(protocol, kind, grid, train, held, seed):
    """The score of each candidate after one preprocessing, -inf if it fails; the last failure."""
    try:
        train, held = protocol.preprocess(kind, train, held)
    except PipelineError:
        raise
    except FAILURES as error:
        return [-np.inf] * len(grid), error
    scores, failure = [], None
    for changes in grid:
        model = protocol.estimator(seed, changes)
        try:
            with _warnings(protocol.tuning_warnings):
                scores.append(protocol.tuning_score(protocol.fit(model, train), train, held))
        except PipelineError:
            raise
        except FAILURES as error:
            scores.append(-np.inf)
            failure = error
    return scores, failure


@contextmanager
def _warnings(wanted):
    """Warnings of a candidate as they are, or none."""
    if wanted:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
