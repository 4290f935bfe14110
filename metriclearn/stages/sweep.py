"""Train one method on one data set for several values of one setting, for a figure.

    metriclearn sweep item=figure6 dataset=semeion method=pcml

``item`` is a figure of the experiment with a ``key`` such as method.C or protocol.pca and its
``values``. Nothing is tuned; the folds are those of one repetition. Writes rows and times as
``metriclearn train`` does, with the columns ``key`` and ``value``.
"""

import copy

from ..evaluation.classification import Classification
from ..evaluation.engine import Result
from ..experiment.compose import hydra_main
from ..experiment.config import check
from ..experiment.items import figure_item
from ..experiment.methods import check_types
from ..files.columns import CLASSIFICATION
from ..files.errors import PipelineError
from ..files.job import write_job
from .train import item_out, load_one, run_job


def sweep(config):
    """Run the folds for each value of the item's key and write the rows."""
    item = figure_item(config, "sweep")
    base = load_one(config)
    rows, times = [], []
    for value in item["values"]:
        changed = with_value(config, item["key"], value)
        arrays = {"X": base.X, "y": base.y}
        result = run_job(changed, Classification(changed, base.facts, arrays, base.folds_of))
        mark = {"key": item["key"], "value": value}
        rows += [{**row, **mark} for row in result.rows]
        times += [{**row, **mark} for row in result.times]
        if rows[0]["status"] == "unavailable":
            break
    columns = CLASSIFICATION.with_columns("key", "value")
    out = config["out"] or item_out(config)
    write_job(out, columns, Result(rows, times, []), config["protocol"]["threads"])
    print(
        f"{config['item']} {config['method']['name']}: {len(item['values'])} values of "
        f"{item['key']} on {base.name}",
        flush=True,
    )
    return rows


def with_value(config, key, value):
    """A copy of the configuration with one setting changed and nothing tuned."""
    changed = copy.deepcopy(config)
    changed["tuning"]["kind"] = "none"
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
