"""Faces and persons: one image set and feature, one method, the folds of its protocol inside.

    metriclearn match images=lfw feature=sift method=pcml matching.preprocess=whiten_unit
    metriclearn match -m images=viper method=kissme,pcml,ncml matching.negatives=1,20

Writes a row per fold to ``out`` (…rows.csv), their times beside it (…times.csv) and the curves
(…curve.csv: ROC at fixed false positive rates, or CMC at ranks). Rows and curves are the same on
every run; times and provenance are not, so they lie apart.
"""

from pathlib import Path

from ..datasets import DatasetUnavailable
from ..experiment.compose import hydra_main
from ..experiment.match_config import MATCHING, match_id
from ..files.columns import CURVE_COLUMNS, MATCH_ROW_COLUMNS, MATCH_TIME_COLUMNS, STATUSES
from ..files.errors import PipelineError, one_line
from ..files.store import write_rows


def match(config):
    """Run one job and write its files; returns rows, times and curve points."""
    from ..files.provenance import COLUMNS, provenance

    identity = {
        "experiment": config["run"],
        "images": config["images"]["name"],
        "feature": config["feature"],
        "method": config["method"]["name"],
        "preprocess": config["matching"]["preprocess"],
        "config": match_id(config),
    }
    try:
        sets = load_sets(config)
    except DatasetUnavailable as error:
        hole = {**identity, "fold": 0, "data_hash": ""}
        rows = [{**hole, "status": "unavailable", "message": one_line(error)}]
        times, curve = [{**identity, "fold": 0}], []
    else:
        from ..evaluation.match_jobs import run_job  # not for a hole, which is over at once

        identity["data_hash"] = "+".join(features.content_hash for features in sets)
        identity["simulated"] = sets[0].simulated
        rows, times, curve = run_job(config, sets, identity=identity)
    origin = provenance(config["matching"]["threads"])
    out = Path(config["out"] or default_out(config))
    time_columns = MATCH_TIME_COLUMNS + COLUMNS
    write_rows(beside(out, "times"), time_columns, [{**t, **origin} for t in times])
    write_rows(beside(out, "curve"), CURVE_COLUMNS, curve)
    write_rows(out, MATCH_ROW_COLUMNS, rows)
    return rows, times, curve


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


def beside(out, kind):
    """lfw.rows.csv -> lfw.times.csv, lfw.curve.csv"""
    return Path(out).with_name(Path(out).name.replace(".rows.csv", f".{kind}.csv"))


def describe(config, rows, times):
    """One line for the terminal."""
    head = (
        f"{config['images']['name']} {config['feature']} {config['method']['name']} "
        f"{config['matching']['preprocess']}"
    )
    good = [row for row in rows if row["status"] == "ok"]
    parts = []
    if good:
        measures = [
            key for key in ("accuracy", "auc", "rank1", "rank10", "rank25") if key in good[0]
        ]
        means = [f"{key} {100 * sum(r[key] for r in good) / len(good):.2f} %" for key in measures]
        parts.append(f"{', '.join(means)} in {len(good)} folds")
    for status in STATUSES[1:]:
        those = [row for row in rows if row["status"] == status]
        if those:
            parts.append(f"{len(those)} {status} ({those[0]['message']})")
    spent = {k: sum(t.get(f"{k}_s") or 0.0 for t in times) for k in ("tune", "fit")}
    return f"{head}: {', '.join(parts)}, fit {spent['fit']:.1f} s, tuning {spent['tune']:.1f} s"


def main():
    def work(config):
        rows, times, _ = match(config)
        print(describe(config, rows, times), flush=True)
        if config["out"] is None:
            print(f"  -> {default_out(config)}", flush=True)

    hydra_main(work, __doc__, MATCHING)
