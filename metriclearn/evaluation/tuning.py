"""Choosing parameters on the training part of a fold, never on its test part."""

import itertools

import numpy as np
from sklearn.base import clone

from .estimator import make_estimator
from .nearest import nearest_error
from .splits import stratified_folds, stratified_part


def candidates(method):
    """Every combination of the values to try, in the order of the method's file."""
    keys = list(method["tune"])
    return [dict(zip(keys, c, strict=True)) for c in itertools.product(*method["tune"].values())]


def inner_splits(y, tuning, rng):
    """(train, test) index pairs into a training part, on at most ``max_samples`` of it."""
    limit = tuning["max_samples"]
    rows = np.arange(len(y))
    if limit is not None and len(y) > limit:
        rows = np.flatnonzero(stratified_part(y, limit, rng))
    if tuning["kind"] == "nested":
        folds = stratified_folds(y[rows], tuning["folds"], rng)
        return [(rows[folds != f], rows[folds == f]) for f in range(tuning["folds"])]
    test = stratified_part(y[rows], max(1, round(tuning["test_size"] * len(rows))), rng)
    return [(rows[~test], rows[test])]


def tune(method, pairs, tuning, preprocessor, X, y, seed):
    """The best combination and its inner error; the first of the best where there are several.

    ``X, y`` are the training part as it is: scaling and PCA are fitted on each inner training
    part. A combination that fails on an inner fold counts as wrong on all of it.
    """
    grid = candidates(method)
    if tuning["kind"] == "none" or not method["tune"]:
        return {}, None
    if len(grid) == 1:
        return grid[0], None
    wrong, total, failure = np.zeros(len(grid)), 0, None
    for train, test in inner_splits(y, tuning, np.random.default_rng([seed, 1])):
        prepared = clone(preprocessor).fit(X[train])
        A, B = prepared.transform(X[train]), prepared.transform(X[test])
        total += len(test)
        for i, changes in enumerate(grid):
            try:
                model = make_estimator(method, pairs, seed, changes).fit(A, y[train])
                wrong[i] += nearest_error(model, A, y[train], B, y[test])
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                wrong[i], failure = np.inf, error
    best = int(np.argmin(wrong))
    if not np.isfinite(wrong[best]):
        raise ValueError(f"no combination of {method['tune']} could be fitted: {failure}")
    return grid[best], float(wrong[best] / total)
