"""Put the page together and write it."""

from pathlib import Path

from jinja2 import Environment, StrictUndefined

from ...analysis.verdict import RULE
from ...files.errors import PipelineError
from ...files.store import write_text
from ..figure import FigureData
from ..table import Table
from .assets import asset, scripts
from .bundle import bundle
from .cells import MARKS
from .environment import lines, read_environment
from .folder import read_items
from .parts import FOLDED, families, figure_part, table_part
from .prose import to_html
from .reasons import Reasons
from .verdict import names, verdict

COMMAND = "snakemake --cores 8 {item}"
LEAD, RANKS = "agreement", "ranks"  # kinds of figures that stand before the tables


def write_report(title, results_folder, figures_folder, out, command=COMMAND, banner=None):
    """Write the page ``out`` from a folder of tables and one of figures.

    ``command`` is what makes an item again; ``banner`` says what the run is not good for. The same
    files and the same version of the chart library give the same bytes.
    """
    html = report_html(title, results_folder, figures_folder, out, command, banner)
    write_text(out, html)
    return html


def report_html(title, results_folder, figures_folder, out, command=COMMAND, banner=None):
    """The text of the page."""
    results = Path(results_folder)
    saved = read_items(results / "tables", Table)
    tables = [table_part(item, results, out, command) for item in saved]
    figures = [figure_part(item, out, command) for item in read_items(figures_folder, FigureData)]
    if not tables and not figures:
        raise PipelineError(
            f"no tables in {results / 'tables'} and no figures in {figures_folder}; "
            "make them first: snakemake --cores 8"
        )
    reasons = Reasons(tables + figures)
    findings = results / "findings.md"
    named = [table for table in tables if table["kind"] not in FOLDED]
    drawn = [figure for figure in figures if figure["kind"] not in (LEAD, RANKS)]
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["reason"] = reasons.phrase
    return environment.from_string(asset("page.html")).render(
        title=title,
        banner=banner,
        verdict=verdict(saved),
        without=without_results(named + drawn),
        lead=[figure for figure in figures if figure["kind"] == LEAD],
        ranks=[figure for figure in figures if figure["kind"] == RANKS],
        findings=to_html(findings.read_text("utf-8")) if findings.is_file() else None,
        contents=families(named + drawn),
        tables=[table for table in tables if not table["folded"]],
        folded=[table for table in tables if table["folded"]],
        figures=drawn,
        glance=at_a_glance(named),
        rule=RULE,
        marks=MARKS,
        missing=reasons.listed(),
        environment=lines(read_environment(results)),
        style=asset("style.css"),
        script=scripts(),
        bundle=bundle() if any(figure["panels"] for figure in figures) else None,
    )


def without_results(items):
    """The labels of what has no result at all, and of what lacks some, as in a sentence."""
    nothing = [item["label"] for item in items if item["missing"] and item["empty"]]
    some = [item["label"] for item in items if item["missing"] and not item["empty"]]
    return names(nothing), names(some)


def at_a_glance(tables):
    """(table, counts of verdicts) of the tables that have some."""
    return [(table, table["view"].counts()) for table in tables if table["view"].judged]
