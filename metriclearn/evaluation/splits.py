"""Who trains and who tests: seeded folds that all methods share."""

import zlib

import numpy as np

from ..files.errors import PipelineError
from ..files.store import load_arrays

LARGE = 20_000  # training samples


def tuning_seeds(protocol, n_train):
    """Repetitions of a fixed split: the samples are the same, the seed of tuning is another."""
    most = protocol["repeats_large"] if n_train > LARGE else protocol["repeats"]
    return min(protocol["repeats"], most)


def make_splits(facts, arrays, protocol):
    """fold_of[repeat, sample]: the fold in which the sample tests, -1 where it only trains."""
    y, folds = arrays["y"], protocol["folds"]
    if "train" in arrays:
        seeds = tuning_seeds(protocol, len(arrays["train"]))
        fold_of = np.full((seeds, len(y)), -1, dtype=np.int16)
        fold_of[:, arrays["test"]] = 0
        return fold_of
    if facts["status"] != "ok":
        return np.empty((protocol["repeats"], 0), dtype=np.int16)
    if folds > len(y):
        raise PipelineError(
            f"protocol.folds is {folds}, more than the {len(y)} samples of {facts['name']}"
        )
    name = zlib.crc32(facts["name"].encode())
    return np.stack(
        [
            stratified_folds(y, folds, np.random.default_rng([protocol["seed"], name, repeat]))
            for repeat in range(protocol["repeats"])
        ]
    )


def stratified_folds(y, folds, rng):
    """Deal the shuffled samples of each class to the folds in turn, each class going on where
    the last one stopped: fold sizes differ by at most one, and so do the classes in them."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold_of = np.empty(len(y), dtype=np.int16)
    fold_of[order] = rng.permutation(folds)[np.arange(len(y)) % folds]
    return fold_of


def stratified_part(y, size, rng):
    """A mask of exactly ``size`` samples, evenly over the classes."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    step = np.arange(len(y) + 1) * size // len(y)
    mask = np.zeros(len(y), dtype=bool)
    mask[order] = step[1:] > step[:-1]
    return mask


def inner_splits(y, tuning, rng, size):
    """(train, test) index pairs into ``size`` samples of a training part.

    Folds, or a hold-out where these are ``holdout_from`` or more.
    """
    rows = np.arange(len(y))
    if size < len(y):
        rows = np.flatnonzero(stratified_part(y, size, rng))
    if tuning["kind"] == "nested" and size < (tuning["holdout_from"] or np.inf):
        folds = stratified_folds(y[rows], tuning["folds"], rng)
        return [(rows[folds != f], rows[folds == f]) for f in range(tuning["folds"])]
    test = stratified_part(y[rows], max(1, round(tuning["test_size"] * len(rows))), rng)
    return [(rows[~test], rows[test])]


def read_split(path):
    """fold_of of a file of splits, with its facts."""
    facts, arrays = load_arrays(path)
    return facts, arrays["fold_of"]


def fold_seed(seed, name, repeat, fold):
    """The seed of one fold of a data set, the same for every method."""
    sequence = np.random.SeedSequence([seed, zlib.crc32(name.encode()), repeat, fold])
    return int(sequence.generate_state(1)[0] >> 1)
