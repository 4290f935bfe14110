"""Stage 4: one data set, one method, one repetition or a few with their folds; trained and scored.

    metriclearn train dataset=sonar method=pcml method.C=0.1 pairs.k=2
    metriclearn train dataset=sonar method=pcml repeat=0-4
    metriclearn train -m method.C=0.01,0.1,1 pairs.k=1,2,3

Writes a row per fold to ``out`` (…rows.csv) and their times beside it (…times.csv). Rows are the
same on every run; times and provenance are not, so they lie apart.
"""

from pathlib import Path

from ..datasets.prepared import prepared, read_prepared
from ..evaluation.splits import make_splits, read_split
from ..experiment.compose import hydra_main
from ..experiment.config import repetitions
from ..experiment.identity import config_id, job_config
from ..files.columns import ROW_COLUMNS, STATUSES, TIME_COLUMNS
from ..files.errors import PipelineError
from ..files.store import write_rows


def train(config):
    """Run the folds of one job and write its rows; returns them with the times."""
    from ..evaluation.folds import run_folds
    from ..files.provenance import COLUMNS, provenance

    facts, arrays, folds_of = load_inputs(config)
    rows, times = [], []
    for repeat, fold_of in folds_of.items():
        identity = {
            "experiment": config["run"],
            "dataset": facts["name"],
            "method": config["method"]["name"],
            "repeat": repeat,
            "config": config_id(config),
        }
        done, spent = run_folds(config, facts, arrays, fold_of, identity=identity, warm=bool(rows))
        rows += done
        times += spent
    origin = provenance(config["protocol"]["threads"])
    out = Path(config["out"] or default_out(config))
    write_rows(times_path(out), TIME_COLUMNS + COLUMNS, [{**t, **origin} for t in times])
    write_rows(out, ROW_COLUMNS, rows)
    return rows, times


def load_inputs(config):
    """The data set and {repetition: its split}, from files or made in memory."""
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

        arrays["X"] = scaled_together(arrays["X"])
    return facts, arrays, {repeat: folds_of[repeat] for repeat in wanted}


def load_one(config):
    """The data set, one repetition and its split, for a job that takes no more than one."""
    facts, arrays, folds_of = load_inputs(config)
    if len(folds_of) > 1:
        raise PipelineError(f"repeat must be one number here, got {config['repeat']!r}")
    return facts, arrays, *next(iter(folds_of.items()))


def default_out(config):
    """The place of a job that was run by hand: named by its configuration."""
    folder = f"{config['dataset']['name']}/{config['method']['name']}/{config_id(config)}"
    return f"results/jobs/{folder}/repeat{config['repeat']}.rows.csv"


def item_out(config):
    """The place of a figure's job that was run by hand."""
    return f"results/jobs/{config['item']}/{config['method']['name']}.rows.csv"


def times_path(out):
    """repeat0-4.rows.csv -> repeat0-4.times.csv"""
    return Path(out).with_name(Path(out).name.replace(".rows.csv", ".times.csv"))


def describe(config, rows, times):
    """One line for the terminal."""
    head = f"{config['dataset']['name']} {config['method']['name']} repeat {config['repeat']}"
    good = [row for row in rows if row["status"] == "ok"]
    spent = sum(t.get(key) or 0.0 for t in times for key in ("tune_s", "fit_s", "predict_s"))
    parts = []
    if good:
        error = 100 * sum(row["wrong"] for row in good) / sum(row["n_test"] for row in good)
        parts.append(f"error {error:.2f} % in {len(good)} folds")
    for status in STATUSES[1:]:
        those = [row for row in rows if row["status"] == status]
        if those:
            parts.append(f"{len(those)} {status} ({those[0]['message']})")
    return f"{head}: {', '.join(parts)}, {spent:.1f} s"


def main():
    def work(config):
        rows, times = train(config)
        settings = {key: value for key, value in job_config(config)["method"].items()}
        print(describe(config, rows, times), flush=True)
        if config["out"] is None:
            print(f"  {settings}\n  -> {default_out(config)}", flush=True)

    hydra_main(work, __doc__)
