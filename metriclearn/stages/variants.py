"""Train the variants of an ablation table on one data set, all methods, in one job.

    metriclearn variants ablation_k sonar --experiment paper

It makes what neither the run's own training jobs nor an earlier table have. Writes rows and times
as ``metriclearn train`` does; the column ``experiment`` names the variant. The data and their
splits are those of the run: snakemake makes them first.
"""

from ..evaluation.engine import Result
from ..experiment.items import find_item
from ..files.columns import CLASSIFICATION
from ..files.errors import PipelineError, guard
from ..files.job import write_job
from ._describe import Done, line
from .cli import add_run, make_parser, run_of
from .train import load_protocol, run_job


def variants(run, name, dataset):
    """Run the folds of all fits of the table's job and write their rows."""
    item = find_item(run.experiment, "tables", name)
    if item["kind"] != "variants":
        raise PipelineError(f"{name} is of the kind {item['kind']}, not variants")
    if dataset not in item["datasets"]:
        known = ", ".join(item["datasets"])
        raise PipelineError(f"{name} has no data set {dataset!r}; it has {known}")
    out = run.ablations.variants_rows(name, dataset)
    made = Result([], [], [])
    for variant, method in run.ablations.own_fits(name, dataset):
        config = job_config_of(run, variant, dataset, method, item["repeats"])
        result = run_job(config, load_protocol(config))
        made.rows.extend(result.rows)
        made.times.extend(result.times)
        head = f"{variant.name} {dataset} {method}"
        print(line(Done(head, "", result, ("error",), out)), flush=True)
    write_job(out, CLASSIFICATION, made, run.protocol["threads"])
    return made


def job_config_of(run, variant, dataset, method, count):
    """The configuration of one fit, on the data of the run, and on its splits if they fit."""
    same = variant.split_settings() == run.split_settings()
    last = min(count, variant.repeats(dataset, method)) - 1
    return {
        **variant.job_settings(dataset, method),
        "repeat": f"0-{last}",
        "data": run.places.data(dataset),
        "split": run.places.split(dataset) if same else None,
    }


def main():
    parser = make_parser("variants", __doc__)
    parser.add_argument("item", help="a table of the kind variants, e.g. ablation_k")
    parser.add_argument("dataset", help="one of its data sets")
    add_run(parser)
    options = parser.parse_args()
    guard(lambda: variants(run_of(options), options.item, options.dataset))
