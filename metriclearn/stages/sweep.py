"""Stage 4b: one method on one data set for several values of one setting, in one job.

    metriclearn sweep item=figure3 dataset=spectf_heart method=pcml

``item`` is a figure of the experiment with a ``key`` such as method.C or protocol.pca and its
``values``. Nothing is tuned; the folds are those of one repetition. Writes rows and times as
``metriclearn train`` does, with the columns ``key`` and ``value``.
"""

import copy
from pathlib import Path

from ..experiment.compose import hydra_main
from ..experiment.config import check
from ..experiment.identity import config_id
from ..experiment.items import figure_item
from ..experiment.methods import check_types
from ..files.columns import ROW_COLUMNS, TIME_COLUMNS
from ..files.errors import PipelineError
from ..files.store import write_rows
from .train import item_out, load_one, times_path


def sweep(config):
    """Run the folds for each value of the item's key and write the rows."""
    from ..evaluation.folds import run_folds
    from ..files.provenance import COLUMNS, provenance

    item = figure_item(config, "sweep")
    rows, times = [], []
    facts, arrays, repeat, fold_of = load_one(config)
    for value in item["values"]:
        changed = with_value(config, item["key"], value)
        identity = {
            "experiment": config["run"],
            "dataset": facts["name"],
            "method": config["method"]["name"],
            "repeat": repeat,
            "config": config_id(changed),
        }
        done, spent = run_folds(changed, facts, arrays, fold_of, identity=identity)
        mark = {"key": item["key"], "value": value}
        rows += [{**row, **mark} for row in done]
        times += [{**row, **mark} for row in spent]
        if done[0]["status"] == "unavailable":
            break
    origin = provenance(config["protocol"]["threads"])
    out = Path(config["out"] or item_out(config))
    extra = ["key", "value"]
    write_rows(times_path(out), TIME_COLUMNS + extra + COLUMNS, [{**t, **origin} for t in times])
    write_rows(out, ROW_COLUMNS + extra, rows)
    print(
        f"{config['item']} {config['method']['name']}: {len(item['values'])} values of "
        f"{item['key']} on {facts['name']}",
        flush=True,
    )
    return rows


def with_value(config, key, value):
    """A copy of the configuration with one setting changed and nothing tuned."""
    changed = copy.deepcopy(config)
    changed["tuning"] = {"kind": "none", "folds": 0, "test_size": 0.0, "max_samples": None}
    group, _, name = key.partition(".")
    if group not in ("method", "protocol", "pairs") or name not in changed[group]:
        raise PipelineError(
            f"figure key {key!r} must be a setting of method, protocol or pairs, e.g. method.C"
        )
    changed[group][name] = value
    check_types(changed["method"])
    return check(changed)


def main():
    hydra_main(sweep, __doc__)
