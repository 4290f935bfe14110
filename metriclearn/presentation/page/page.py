"""Put the page together and write it."""

import base64
import json
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from ...files.errors import PipelineError
from ...files.store import write_text
from ..figures.draw import COLOURS
from ..render import BRACKETS, MINUS
from .assets import ASSETS, asset
from .environment import lines, read_environment
from .folder import FIGURE_ENDS, TABLE_ENDS, read_items, read_tables
from .grids import make_grid, plain_grid
from .holes import figure_holes, table_holes
from .panels import make_panels
from .printed import printed_grid
from .prose import inline, plain, to_html
from .svg import colour_class, draw_panel

HOLE_MARK = f" {MINUS} marks a hole."  # in the Markdown; on the page a hole says so itself
COMMAND = "snakemake --cores 8 {item}"


def write_report(title, results_folder, figures_folder, out, names=None, command=COMMAND):
    """Write the page ``out`` from a folder of tables and one of figures.

    ``names`` maps methods, data sets and image sets to their titles; ``command`` is what makes an
    item again. The same files give the same bytes.
    """
    html = report_html(title, results_folder, figures_folder, out, names or {}, command)
    write_text(out, html)
    return html


def report_html(title, results_folder, figures_folder, out, names, command):
    """The text of the page."""
    results = Path(results_folder)
    tables = [_table(item, out, names, command) for item in read_tables(results)]
    figures = [_figure(item, out, names, command) for item in read_items(figures_folder)]
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
        findings=to_html(findings.read_text("utf-8")) if findings.is_file() else None,
        contents=families(tables + figures),
        tables=tables,
        figures=figures,
        glance=[(t, t["grid"].counts()) for t in tables if t["grid"].compares],
        holes=_holes(tables, figures),
        environment=lines(read_environment(results)),
        colours={colour_class(method): colour for method, colour in COLOURS.items()},
        style=asset("style.css"),
        script="".join(asset(name) for name in ASSETS if name.endswith(".js")),
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


def _frame(item, ends, out, command):
    """What tables and figures have in common."""
    return {
        "id": item.name,
        "label": item.label,
        "download": item.download(),
        "links": item.links(ends, out),
        "command": command.format(item=item.name),
    }


def _table(item, out, names, command):
    grid = make_grid(item, names) or printed_grid(item.markdown) or plain_grid(item)
    return {
        **_frame(item, TABLE_ENDS, out, command),
        "caption": _without_label(plain(item.caption), item.label),
        "grid": grid,
        "notes": grid.notes(),
        "remarks": [
            inline(text.replace(HOLE_MARK, ""))
            for text in item.remarks
            if not text.startswith(BRACKETS)
        ],
        "judged": any(cell.verdict for cell in grid.cells()),
        "ranked": grid.compares and any(cell.best for cell in grid.cells()),
        "differs": any(cell.change for cell in grid.cells()),
        "holes": table_holes(grid),
    }


def _without_label(caption, label):
    """The label stands before the caption already."""
    return caption.removeprefix(label).lstrip(": ").removesuffix(".")


def _figure(item, out, names, command):
    caption, panels = make_panels(item, names)
    frame = _frame(item, FIGURE_ENDS, out, command)
    parts = []
    for i, panel in enumerate(panels, start=1):
        kind = "Bars" if panel.groups else "Lines"
        words = (
            f"{kind} of {', '.join(series.name for series in panel.series)}; "
            f"{panel.y_label} against {panel.x_label or 'data set'}. "
            "The values are in the csv file; arrow keys read them one by one."
        )
        name = ": ".join(filter(None, [f"{item.label}, {caption}", panel.title]))
        svg, readout = draw_panel(panel, f"{item.name}-{i}", (name, words))
        legend = [(colour_class(s.key), s.name, s.dashed) for s in panel.series]
        # As on the chart, the foremost series are the last ones drawn.
        order = reversed(legend) if any(s.dashed and not s.marked for s in panel.series) else legend
        parts.append(
            {
                "id": f"{item.name}-{i}",
                "title": panel.title,
                "svg": svg,
                "readout": _json(readout),
                "legend": list(order),
                "wide": bool(panel.groups),
            }
        )
    return {
        **frame,
        "caption": caption,
        "panels": parts,
        "picture": None if caption else _picture(item),
        "holes": figure_holes(item, names),
    }


def _picture(item):
    """The figure's own SVG as an image: it cannot disturb the page, whatever is in it."""
    path = item.beside("svg")
    if not path.is_file():
        return None
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def _holes(tables, figures):
    """Reasons with what is missing for each: ``[(reason, [(item, [what, …]), …]), …]``."""
    found = {}
    for item in [*tables, *figures]:
        for reason, what in item["holes"]:
            found.setdefault(reason, {}).setdefault((item["id"], item["label"]), []).append(what)
    return [(reason, list(items.items())) for reason, items in found.items()]


def _json(value):
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
