"""Train one method on one data set: tune, fit and score the folds of one or more repetitions.

    metriclearn train dataset=sonar method=pcml method.C=0.1 pairs.k=2
    metriclearn train dataset=sonar method=pcml repeat=0-4
    metriclearn train -m method.C=0.01,0.1,1 pairs.k=1,2,3
    metriclearn train dataset=file dataset.path=./mine.csv dataset.label=kind method=pcml

A file of your own (docs/own_data.md) is csv, with commas, semicolons, tabs or blanks, or parquet:

    dataset.label=NAME          the label, or its number from 1; without it the column named label,
                                class or target, else the last one
    dataset.missing=median      missing cells are refused, or filled with the median of the training
                                part of each fold, or their rows are left out (drop)
    dataset.categorical=onehot  columns of words are refused, or become columns of 0 and 1
    dataset.drop=[NAME,NUMBER]  columns to leave out, such as an index

Writes a row per fold to ``out`` (…rows.csv) and their times beside it (…times.csv). Rows are the
same on every run; times and provenance are not, so they have a file of their own.
"""

from pathlib import Path

from ..datasets.prepared import prepared, read_prepared
from ..datasets.userfile import OPTIONS
from ..evaluation.classification import Classification
from ..evaluation.engine import run
from ..evaluation.splits import make_splits, read_split
from ..experiment.compose import hydra_main
from ..experiment.config import repetitions
from ..experiment.identity import config_id, job_columns
from ..files.columns import CLASSIFICATION
from ..files.errors import PipelineError
from ..files.job import write_job
from ._by_hand import ByHand
from ._describe import Done, line


def train(config, protocol=None):
    """Run the folds of one job and write its files; returns its ``Result``."""
    result = run_job(config, protocol or load_protocol(config))
    out = config["out"] or default_out(config)
    write_job(out, CLASSIFICATION, result, config["protocol"]["threads"])
    return result


def run_job(config, protocol):
    """The folds of a classification job."""
    return run(protocol, {**job_columns(config), "data_hash": protocol.facts["content_hash"]})


def load_protocol(config):
    """The protocol on the data set and its splits, from files or made in memory."""
    dataset = config["dataset"]
    if config["data"] is not None:
        facts, arrays = read_prepared(config["data"])
        if facts["name"] != dataset["name"]:
            raise PipelineError(f"{config['data']} holds {facts['name']}, not {dataset['name']}")
    else:
        facts, arrays = prepared(note_of(dataset))
    if config["split"] is not None:
        folds_of = read_split(config["split"])[1]
    else:
        folds_of = make_splits(facts, arrays, config["protocol"])
    wanted = repetitions(config["repeat"])
    if wanted[-1] >= len(folds_of):
        raise PipelineError(
            f"repeat is {config['repeat']}, but {facts['name']} has {len(folds_of)} repetitions, "
            "numbered from 0"
        )
    facts["pca"] = dataset.get("pca", facts["pca"])
    if config["protocol"]["scale"] == "together":
        from ..evaluation.scaling import scaled_together

        arrays["X"] = scaled_together(arrays["X"], facts)
    return Classification(config, facts, arrays, {repeat: folds_of[repeat] for repeat in wanted})


def note_of(dataset):
    """What a fetch note would say of the data set of a job that has none."""
    if "path" not in dataset:
        return {"dataset": dataset["name"], "status": "ok"}
    reading = {key: value for key, value in dataset.items() if key in OPTIONS}
    return {"dataset": Path(dataset["path"]), "status": "ok", "reading": reading}


def load_one(config):
    """The same for a job that takes one repetition."""
    if len(repetitions(config["repeat"])) > 1:
        raise PipelineError(f"repeat must be one number here, got {config['repeat']!r}")
    return load_protocol(config)


def default_out(config):
    """The place of a job that was run by hand: named by its configuration."""
    folder = f"{config['dataset']['name']}/{config['method']['name']}/{config_id(config)}"
    return f"results/jobs/{folder}/repeat{config['repeat']}.rows.csv"


def item_out(config):
    """The place of a figure's job that was run by hand."""
    return f"results/jobs/{config['item']}/{config['method']['name']}.rows.csv"


def describe(config, protocol, result):
    """What there is to say about a job."""
    head = f"{config['dataset']['name']} {config['method']['name']} repeat {config['repeat']}"
    facts = protocol.facts
    data = (
        f"{facts['n_samples']} samples × {facts['n_features']} features, "
        f"{facts['n_classes']} classes"
    )
    if facts.get("layout"):
        data += f"\n{config['dataset']['path']}: {facts['layout']}"
    return Done(head, data, result, ("error",), config["out"] or default_out(config))


def main():
    by_hand = ByHand()

    def work(config):
        protocol = load_protocol(config)
        done = describe(config, protocol, train(config, protocol))
        if config["data"] is None:
            by_hand.show(done)
        else:  # a job of the workflow, whose rows say what failed
            print(line(done), flush=True)

    hydra_main(work, __doc__, end=by_hand.end)
