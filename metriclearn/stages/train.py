"""Train one method on one data set: tune, fit and score the folds of one or more repetitions.

    metriclearn train dataset=sonar method=pcml method.C=0.1 pairs.k=2
    metriclearn train dataset=sonar method=pcml repeat=0-4
    metriclearn train -m method.C=0.01,0.1,1 pairs.k=1,2,3

Writes a row per fold to ``out`` (…rows.csv) and their times beside it (…times.csv). Rows are the
same on every run; times and provenance are not, so they have a file of their own.
"""

from ..datasets.prepared import prepared, read_prepared
from ..evaluation.classification import Classification
from ..evaluation.engine import run
from ..evaluation.splits import make_splits, read_split
from ..experiment.compose import hydra_main
from ..experiment.config import repetitions
from ..experiment.identity import config_id, job_columns, job_config
from ..files.columns import CLASSIFICATION
from ..files.errors import PipelineError
from ..files.job import write_job
from ._describe import describe


def train(config):
    """Run the folds of one job and write its files; returns its ``Result``."""
    result = run_job(config, load_protocol(config))
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
        note = {"dataset": dataset.get("path") or dataset["name"], "status": "ok"}
        facts, arrays = prepared(note)
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


def main():
    def work(config):
        result = train(config)
        head = f"{config['dataset']['name']} {config['method']['name']} repeat {config['repeat']}"
        print(describe(head, result, ("error",)), flush=True)
        if config["out"] is None:
            print(f"  {job_config(config)['method']}\n  -> {default_out(config)}", flush=True)

    hydra_main(work, __doc__)
