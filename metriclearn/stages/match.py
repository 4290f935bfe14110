"""Train one method on faces or persons: one image set and feature, all folds of its protocol.

    metriclearn match images=lfw feature=sift method=pcml matching.preprocess=whiten_unit
    metriclearn match -m images=viper method=kissme,pcml,ncml matching.negatives=1,20

Writes a row per fold to ``out`` (…rows.csv), their times beside it (…times.csv) and the curves
(…curve.csv: ROC at fixed false positive rates, or CMC at ranks). Rows and curves are the same on
every run; times and provenance are not, so they have a file of their own.
"""

from ..datasets import DatasetUnavailable
from ..evaluation.engine import missing, run
from ..experiment.compose import hydra_main
from ..experiment.identity import match_columns, match_id
from ..experiment.matching import matching_job
from ..files.columns import MATCHING
from ..files.errors import PipelineError, one_line
from ..files.job import write_job
from ._by_hand import ByHand
from ._describe import Done, line

MEASURES = ("accuracy", "auc", "rank1", "rank10", "rank25")


def match(config):
    """Run one job and write its files; returns its ``Result``."""
    identity = match_columns(config)
    try:
        sets = load_sets(config)
    except DatasetUnavailable as error:
        reason = {"status": "unavailable", "message": one_line(error)}
        result = missing([{"fold": 0}], identity, reason)
    else:
        identity["data_hash"] = "+".join(features.content_hash for features in sets)
        identity["simulated"] = sets[0].simulated
        result = run(make_protocol(config, sets), identity)
    out = config["out"] or default_out(config)
    write_job(out, MATCHING, result, config["matching"]["threads"])
    return result


def make_protocol(config, sets):
    """The protocol of the image set's task; imported here, as a job without data needs none."""
    if sets[0].task == "verification":
        from ..evaluation.verification import Verification

        return Verification(config, sets)
    from ..evaluation.reidentification import Reidentification

    return Reidentification(config, sets)


def load_sets(config):
    """The features of the job: from files, or by name from the cache and the sources behind it."""
    from ..vision import FeatureSet

    facts, data = config["images"], config["data"]
    if data is None:
        from ..vision import load_features

        return [load_features(facts["name"], part) for part in facts["parts"]]
    paths = [data] if isinstance(data, str) else list(data)
    if len(paths) != len(facts["parts"]):
        raise PipelineError(
            f"data must be {len(facts['parts'])} files, of {', '.join(facts['parts'])}; "
            f"got {len(paths)}"
        )
    sets = [FeatureSet.load(path) for path in paths]
    for path, part, features in zip(paths, facts["parts"], sets, strict=True):
        if (features.name, features.feature) != (facts["name"], part):
            raise PipelineError(
                f"{path} holds {features.name} {features.feature}, not {facts['name']} {part}"
            )
    return sets


def default_out(config):
    """The place of a job that was run by hand: named by its configuration."""
    name = f"{config['images']['name']}-{config['feature']}"
    return f"results/jobs/{name}/{config['method']['name']}/{match_id(config)}.rows.csv"


def describe(config, result):
    """What there is to say about a job."""
    names = (config["images"]["name"], config["feature"], config["method"]["name"])
    head = " ".join([*names, config["matching"]["preprocess"]])
    simulated = ", simulated" if result.rows[0].get("simulated") else ""
    data = f"{config['images']['task']}{simulated}"
    return Done(head, data, result, MEASURES, config["out"] or default_out(config))


def main():
    by_hand = ByHand()

    def work(config):
        done = describe(config, match(config))
        if config["data"] is None:
            by_hand.show(done)
        else:  # a job of the workflow, whose rows say what failed
            print(line(done), flush=True)

    hydra_main(work, __doc__, matching_job, end=by_hand.end)
