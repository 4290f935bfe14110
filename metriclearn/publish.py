"""Keep a finished run's results in git, or check those that are kept.

    python -m metriclearn.publish --experiment paper
    python -m metriclearn.publish --check

Publishing copies the tables, the compressed rows and the provenance of a run to results/published
and its figures to figures/published. The check makes every table again from the published rows and
names those that differ.
"""

import tempfile

from .pipeline.cli import make_parser
from .pipeline.errors import PipelineError, guard
from .pipeline.plan import Run
from .pipeline.publication import RESULTS, copy_results, drifted
from .pipeline.run_facts import run_facts
from .pipeline.store import write_json


def publish(run):
    """Copy the results of a finished run to where git keeps them."""
    files = copy_results(run)
    write_json(RESULTS / "provenance.json", run_facts(run))
    print(f"{len(files)} files of the run {run.name} published; commit results/ and figures/")


def check(run, root="."):
    """Fail if a published table is not exactly what the published rows give."""
    with tempfile.TemporaryDirectory() as scratch:
        wrong = drifted(run, root, scratch)
    if wrong:
        raise PipelineError(f"not what the published rows give: {', '.join(wrong)}")
    print("every published table and curve is what the published rows give")


def main():
    parser = make_parser("publish", __doc__)
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    options = parser.parse_args()
    guard(lambda: (check if options.check else publish)(Run(options.experiment)))


if __name__ == "__main__":
    main()
