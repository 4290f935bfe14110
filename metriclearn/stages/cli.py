"""Command lines of the stages that are no Hydra jobs."""

import argparse

from ..experiment.run import Run
from ..files.errors import guard


def make_parser(stage, text):
    """A parser whose --help begins with the stage's own words."""
    return argparse.ArgumentParser(
        prog=f"metriclearn {stage}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_run(parser):
    """The options that name a run."""
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    parser.add_argument(
        "--overrides",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="what the run changes, as for metriclearn train",
    )


def run_of(options):
    """The run that the options name."""
    return Run(options.experiment, options.overrides)


def run_command(stage, text, work):
    """Call ``work(run, item)`` as the command line of tables or figures says."""
    parser = make_parser(stage, text)
    parser.add_argument("item", help="e.g. table3 or figure1")
    add_run(parser)
    options = parser.parse_args()
    guard(lambda: work(run_of(options), options.item))
