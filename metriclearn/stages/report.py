"""Put all tables and figures of a run on one page that opens anywhere.

    metriclearn report --experiment paper

With --results and --figures, the page of any folder of this layout.
"""

from ..experiment.commands import item_command
from ..files.errors import guard
from ..presentation.page.page import report_html, write_report
from .cli import add_run, make_parser, run_of


def make_report(run, results=None, figures=None, out=None, title=None):
    """Write results/<run>/report.html, or the page of other folders."""
    out = out or run.places.report()
    results = results or run.places.results("")
    figures = figures or run.places.figures()
    banner = run.experiment["banner"]
    write_report(title or report_title(run), results, figures, out, item_command(run), banner)
    print(out)
    return out


def published_page(run, published):
    """The text of the page of the published results.

    The same files give the same text, but for the chart library: see ``without_bundle``.
    """
    return report_html(
        report_title(run),
        published.results,
        published.figures,
        published.page,
        item_command(run),
    )


def report_title(run):
    """The title of the page: only the paper's own experiment reproduces it."""
    suffix = ", reproduced" if run.name == "paper" else f": run {run.name}"
    return f"Iterated SVMs for distance metric learning{suffix}"


def main():
    parser = make_parser("report", __doc__)
    add_run(parser)
    parser.add_argument("--results", help="folder with tables/ (default: results/<run>)")
    parser.add_argument("--figures", help="folder with the figures (default: figures/<run>)")
    parser.add_argument("--out", help="the page (default: results/<run>/report.html)")
    parser.add_argument("--title", help="its title")
    options = parser.parse_args()
    guard(
        lambda: make_report(
            run_of(options), options.results, options.figures, options.out, options.title
        )
    )
