"""Score every candidate of a method's grid on the test parts, as the paper seems to have done.

    metriclearn grid dataset=sonar method=pcml repeat=0-9

Features are scaled together with the test samples, pairs are the nearest. Writes a row per fold
and candidate to ``out`` (…rows.csv) and the times of the folds beside it (…times.csv). Tables show
the candidate with the lowest mean test error beside the parameters chosen on training parts.
"""

from ..evaluation.candidates import run_grid
from ..experiment.compose import hydra_main
from ..experiment.identity import job_columns
from ..experiment.paper_protocol import as_the_paper
from ..files.columns import GRID
from ..files.job import write_job
from .train import default_out, load_protocol


def grid(config):
    """Run the folds of one job and write its files; returns its ``Result``."""
    config = as_the_paper(config)
    protocol = load_protocol(config)
    head = {**job_columns(config), "data_hash": protocol.facts["content_hash"]}
    result = run_grid(protocol, head)
    out = config["out"] or default_out(config)
    write_job(out, GRID, result, config["protocol"]["threads"])
    good = sum(row["status"] == "ok" for row in result.rows)
    seconds = sum(row.get("tune_s") or 0.0 for row in result.times)
    print(
        f"{protocol.name} {config['method']['name']} repeat {config['repeat']}: {good} of "
        f"{len(result.rows)} candidates and folds scored, {seconds:.1f} s -> {out}",
        flush=True,
    )
    return result


def main():
    hydra_main(grid, __doc__)
