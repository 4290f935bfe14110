"""The command line of the stages that gather a run's results: tables, figures, collect."""

from .cli import make_parser
from .errors import guard
from .plan import Run


def run_command(module, text, work):
    """Call ``work(run, item)`` as the command line says."""
    parser = make_parser(module, text)
    parser.add_argument("item", help="e.g. table3 or figure1; for collect, a group of data")
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    parser.add_argument("--overrides", nargs="*", default=[], metavar="KEY=VALUE",
                        help="what the run changes, as for metriclearn.train")  # fmt: skip
    options = parser.parse_args()
    return guard(lambda: work(Run(options.experiment, options.overrides), options.item))
