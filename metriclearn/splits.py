"""Stage 3: who trains and who tests; saved, seeded, shared by all methods.

    python -m metriclearn.splits data=results/data/sonar.npz out=results/paper/splits/sonar.npz

Where the paper fixes the split there is one fold; elsewhere ``protocol.repeats`` runs of
stratified ``protocol.folds``-fold cross-validation.
"""

import zlib

import numpy as np

from .pipeline.compose import hydra_main
from .pipeline.errors import PipelineError
from .pipeline.store import load_arrays, write_arrays
from .prepare import read_prepared


def split(data, out, protocol):
    """Write the splits of a prepared data set; ``protocol`` is that group of the config."""
    facts, arrays = read_prepared(data)
    fold_of = make_splits(facts, arrays, protocol)
    write_arrays(out, {"dataset": facts["name"], "content_hash": facts["content_hash"],
                       "seed": protocol["seed"]}, fold_of=fold_of)  # fmt: skip
    repeats, n = fold_of.shape
    print(f"{facts['name']}: {repeats} × {fold_of.max(initial=-1) + 1} folds of {n} samples")
    return fold_of


def make_splits(facts, arrays, protocol):
    """fold_of[repeat, sample]: the fold in which the sample tests, -1 where it only trains."""
    y, folds = arrays["y"], protocol["folds"]
    if "train" in arrays:
        fold_of = np.full((1, len(y)), -1, dtype=np.int16)
        fold_of[0, arrays["test"]] = 0
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


def read_split(path):
    """fold_of of a file of splits, with its facts."""
    facts, arrays = load_arrays(path)
    return facts, arrays["fold_of"]


def main():
    def work(config):
        for key in ("data", "out"):
            if config[key] is None:
                raise PipelineError(f"{key} is missing: give {key}=PATH")
        split(config["data"], config["out"], config["protocol"])

    hydra_main(work)


if __name__ == "__main__":
    main()
