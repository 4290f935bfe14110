"""Choosing the preprocessing and a method's parameters inside a training part."""

import warnings

import numpy as np

from .estimator import make_estimator
from .part import fit
from .tuning import candidates
from .whitening import Whitening


def choose(method, kinds, protocol, train, matching, seed):
    """(kind of preprocessing, parameters, inner score); the first of the best.

    ``train`` is the training part after its projection. Whitening is fitted on each inner training
    part anew: it learns from labels. The projection does not, and its eigenvectors are the most
    expensive step, so it is that of the whole training part. A combination that fails on an inner
    part is out. With nothing to choose there is no inner fit and no score.
    """
    grid = candidates(method) if matching["tuning"]["folds"] else [{}]
    kinds = kinds if matching["tuning"]["folds"] else kinds[-1:]
    options = [(kind, changes) for kind in kinds for changes in grid]
    if len(options) == 1:
        return *options[0], None
    rng = np.random.default_rng([seed, 1])
    total, failure = np.zeros(len(options)), None
    splits = protocol.inner_splits(train, matching["tuning"], rng)
    for inner, held in splits:
        scores = []
        for kind in kinds:
            try:
                whitening = Whitening(kind, matching["ridge"]).fit(inner)
            except ValueError as error:
                scores += [-np.inf] * len(grid)
                failure = error
                continue
            A, B = (part.with_images(whitening.transform(part.X)) for part in (inner, held))
            for changes in grid:
                score, problem = _try(make_estimator(method, {}, seed, changes), protocol, A, B)
                scores.append(score)
                failure = problem or failure
        total += scores
    best = int(np.argmax(total))
    if not np.isfinite(total[best]):
        raise ValueError(f"no combination of {method['tune']} could be fitted: {failure}")
    return *options[best], float(total[best] / len(splits))


def _try(model, protocol, train, held):
    """The score of an estimator, or -inf and the reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of candidates that may not be chosen
        try:
            return protocol.tuning_score(fit(model, train), train, held), None
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            return -np.inf, error
