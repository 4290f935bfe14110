"""Draw who trains and who tests: saved, seeded, shared by all methods.

    metriclearn split data=results/data/sonar.npz out=results/paper/splits/sonar.npz

Where the paper fixes the split there is one fold; elsewhere ``protocol.repeats`` runs of
stratified ``protocol.folds``-fold cross-validation.
"""

from ..datasets.prepared import read_prepared
from ..evaluation.splits import make_splits
from ..experiment.compose import hydra_main
from ..files.errors import PipelineError
from ..files.store import write_arrays


def split(data, out, protocol):
    """Write the splits of a prepared data set; ``protocol`` is that group of the config."""
    facts, arrays = read_prepared(data)
    fold_of = make_splits(facts, arrays, protocol)
    write_arrays(
        out,
        {"dataset": facts["name"], "content_hash": facts["content_hash"], "seed": protocol["seed"]},
        fold_of=fold_of,
    )
    repeats, n = fold_of.shape
    print(f"{facts['name']}: {repeats} × {fold_of.max(initial=-1) + 1} folds of {n} samples")
    return fold_of


def main():
    def work(config):
        for key in ("data", "out"):
            if config[key] is None:
                raise PipelineError(f"{key} is missing: give {key}=PATH")
        split(config["data"], config["out"], config["protocol"])

    hydra_main(work, __doc__)
