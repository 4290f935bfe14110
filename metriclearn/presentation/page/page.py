"""Put the page together and write it."""

import json
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from ...analysis.verdict import RULE
from ...files.errors import PipelineError
from ...files.store import write_text
from ..figure import FigureData
from ..missing import table_missing
from ..render import MINUS
from ..table import Table
from .assets import asset, scripts
from .bundle import bundle
from .cells import MARKS, view_table
from .environment import lines, read_environment
from .folder import FIGURE_ENDS, TABLE_ENDS, read_items
from .prose import inline, to_html

COMMAND = "snakemake --cores 8 {item}"


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
    tables = [_table(item, out, command) for item in read_items(results / "tables", Table)]
    figures = [_figure(item, out, command) for item in read_items(figures_folder, FigureData)]
    if not tables and not figures:
        raise PipelineError(
            f"no tables in {results / 'tables'} and no figures in {figures_folder}; "
            "make them first: snakemake --cores 8"
        )
    findings = results / "findings.md"
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(asset("page.html"))
    return template.render(
        title=title,
        banner=banner,
        findings=to_html(findings.read_text("utf-8")) if findings.is_file() else None,
        contents=families(tables + figures),
        tables=tables,
        figures=figures,
        glance=at_a_glance(tables),
        rule=RULE,
        marks=MARKS,
        missing=by_reason(tables + figures),
        environment=lines(read_environment(results)),
        style=asset("style.css"),
        script=scripts(),
        bundle=bundle() if any(figure["panels"] for figure in figures) else None,
    )


def families(items):
    """``[(word, [(item, rest of its label), …]), …]``: items whose labels begin alike together.

    An item alone in its family has no word of its own: ``(None, [(item, label)])``.
    """
    groups = {}
    for item in items:
        groups.setdefault(item["label"].split(" ")[0], []).append(item)
    return [
        (word, [(item, item["label"].removeprefix(f"{word} ")) for item in members])
        if len(members) > 1
        else (None, [(members[0], members[0]["label"])])
        for word, members in groups.items()
    ]


def at_a_glance(tables):
    """(table, counts of verdicts) of the tables that have some."""
    return [(table, table["view"].counts()) for table in tables if table["view"].judged]


def by_reason(items):
    """Reasons with what is missing for each: ``[(reason, [(item, [what, …]), …]), …]``."""
    found = {}
    for item in items:
        for what, reason in item["missing"]:
            found.setdefault(reason, {}).setdefault((item["id"], item["label"]), []).append(what)
    return [(reason, list(parts.items())) for reason, parts in found.items()]


def _frame(item, ends, out, command):
    """What tables and figures have in common."""
    return {
        "id": item.name,
        "label": item.label,
        "caption": item.caption,
        "download": item.download(),
        "links": item.links(ends, out),
        "command": command.format(item=item.name),
    }


def _table(item, out, command):
    table = item.content
    return {
        **_frame(item, TABLE_ENDS, out, command),
        "view": view_table(table),
        "notes": {note: i for i, note in enumerate(table.notes(), start=1)},
        "remarks": [inline(text) for text in table.remarks if not _only_printed(text)],
        "missing": table_missing(table),
    }


def _only_printed(remark):
    """Whether a remark has no place below a table of the page: the rule stands once on the page,
    and a missing value is said in words."""
    return remark == RULE or remark.startswith(f"{MINUS}: ")


def _figure(item, out, command):
    figure = item.content
    return {
        **_frame(item, FIGURE_ENDS, out, command),
        "panels": [(panel.title, _json(panel.spec)) for panel in figure.panels],
        "picture": item.picture() if figure.picture else None,
        "missing": figure.missing,
    }


def _json(value):
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
