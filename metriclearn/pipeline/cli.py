"""Command lines of the stages that are no Hydra jobs."""

import argparse

from .errors import guard


def make_parser(module, text):
    return argparse.ArgumentParser(
        prog=f"python -m metriclearn.{module}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run_command(module, text, work, item=False):
    """Call ``work(run)``, or with ``item`` ``work(run, name)``, as the command line says."""
    parser = make_parser(module, text)
    if item:
        parser.add_argument("item", help="e.g. table3 or figure1; for collect, a group of data")
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    parser.add_argument("--overrides", nargs="*", default=[], metavar="KEY=VALUE",
                        help="what the run changes, as for metriclearn.train")  # fmt: skip
    options = parser.parse_args()

    def start():
        from .plan import Run

        run = Run(options.experiment, options.overrides)
        return work(run, options.item) if item else work(run)

    return guard(start)
