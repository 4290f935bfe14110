"""The command line of the stages that gather results of a whole run."""

import argparse

from .errors import guard
from .plan import Run


def run_command(module, text, work, item=False):
    """Parse ``[ITEM] [--experiment NAME] [--overrides …]`` and call ``work(run[, item])``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m metriclearn.{module}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if item:
        parser.add_argument("item", help="e.g. table3, figure1 or, for collect, a group of data sets")
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    parser.add_argument("--overrides", nargs="*", default=[], metavar="KEY=VALUE",
                        help="what the run changes, as for metriclearn.train")  # fmt: skip
    options = parser.parse_args()

    def start():
        run = Run(options.experiment, options.overrides)
        return work(run, options.item) if item else work(run)

    return guard(start)
