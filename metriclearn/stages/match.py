"""Train one method on faces or persons: one image set and feature, all folds of its protocol.

    metriclearn match images=lfw feature=sift method=pcml matching.preprocess=whiten_unit
    metriclearn match -m images=viper method=kissme,pcml,ncml matching.negatives=1,20
    metriclearn match images=viper method=pcml matching.preprocess=plain+whiten+chosen

Several preprocessings in one job share the PCA of a fold, and chosen the parameters of the others.
Writes a row per fold to ``out`` (…rows.csv), their times beside it (…times.csv) and the curves
(…curve.csv: ROC at fixed false positive rates, or CMC at ranks). Rows and curves are the same on
every run; times and provenance are not, so they have a file of their own.
"""

from ..datasets import DatasetUnavailable
from ..evaluation.engine import Result, missing, run
from ..experiment.compose import hydra_main
from ..experiment.config import preprocessings
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
    result, shared = Result([], [], []), {}
    try:
        sets = load_sets(config)
    except DatasetUnavailable as error:
        reason = {"status": "unavailable", "message": one_line(error)}
        for one in by_preprocessing(config):
            result = result.joined(missing([{"fold": 0}], match_columns(one), reason))
    else:
        data = "+".join(features.content_hash for features in sets)
        for one in by_preprocessing(config):
            identity = match_columns(one)
            identity.update(data_hash=data, simulated=sets[0].simulated)
            result = result.joined(run(make_protocol(one, sets, shared), identity))
    out = config["out"] or default_out(config)
    write_job(out, MATCHING, result, config["matching"]["threads"])
    return result


def by_preprocessing(config):
    """The configuration of each preprocessing of a job: rows are named as if it were alone."""
    for kind in preprocessings(config["matching"]["preprocess"]):
        yield {**config, "matching": {**config["matching"], "preprocess": kind}}


def make_protocol(config, sets, shared=None):
    """The protocol of the image set's task; imported here, as a job without data needs none."""
    if sets[0].task == "verification":
        from ..evaluation.verification import Verification

        return Verification(config, sets, shared)
    from ..evaluation.reidentification import Reidentification

    return Reidentification(config, sets, shared)


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
    """What there is to say about each preprocessing of a job."""
    names = (config["images"]["name"], config["feature"], config["method"]["name"])
    simulated = ", simulated" if result.rows[0].get("simulated") else ""
    data = f"{config['images']['task']}{simulated}"
    out = config["out"] or default_out(config)
    for kind in preprocessings(config["matching"]["preprocess"]):
        own = Result(*([row for row in part if row["preprocess"] == kind] for part in result))
        yield Done(" ".join([*names, kind]), data, own, MEASURES, out)


def main():
    by_hand = ByHand()

    def work(config):
        for done in describe(config, match(config)):
            if config["data"] is None:
                by_hand.show(done)
            else:  # a job of the workflow, whose rows say what failed
                print(line(done), flush=True)

    hydra_main(work, __doc__, matching_job, end=by_hand.end)
