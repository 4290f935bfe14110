"""Tables and figures as the page's template takes them."""

import json

from ...analysis.verdict import RULE
from ..missing import table_missing
from ..render import MINUS
from .cells import view_table
from .folder import FIGURE_ENDS, TABLE_ENDS, has_content, relative
from .prose import inline

DENSE = ("errors", "matching")  # kinds of tables with many compared values, in small print
FIXED = ("errors",)  # of these, those whose columns share the width, so that all are seen
# Kinds of tables that are always folded, under a heading of their own.
FOLDED = (
    "headline",
    "average_ranks",
    "statistics",
    "pairwise",
    "pairwise_images",
    "variants",
    "stopping",
)


def table_part(item, results, out, command):
    """A table; ``results`` is the folder of its rows."""
    table = item.content
    view = view_table(table)
    missing = [*table_missing(table), *[(what, reason) for what, reason in table.left_out]]
    cells = table.cells()
    return {
        **_frame(item, TABLE_ENDS, out, command),
        "view": view,
        "empty": any(cell.missing for cell in cells) and all(cell.value is None for cell in cells),
        "dense": table.kind in DENSE,
        "fixed": table.kind in FIXED,
        "folded": table.folded or table.kind in FOLDED,
        "notes": {note: i for i, note in enumerate(table.notes(), start=1)},
        "remarks": [inline(text) for text in table.remarks if not _only_printed(text)],
        "left_out": table.left_out,
        "missing": missing,
        "reasons": by_reason(missing),
        "rows": _json(cell_rows(view)) if any(cell.behind for cell in view.cells()) else None,
        "sources": source_links(table.sources, results, out),
    }


def cell_rows(view):
    """{address: what is behind a cell}: its name, then each edition with its value and its rows."""
    return {
        cell.anchor: {
            "name": cell.name,
            "paper": cell.paper_text,
            "editions": [_edition(one) for one in [cell, *cell.others]],
        }
        for cell in view.cells()
        if cell.behind
    }


def _edition(cell):
    value = " ".join(text for text in (cell.text, cell.spread) if text)
    said = {"name": cell.edition or "ours", "value": value, "verdict": cell.meaning}
    return {**said, **cell.behind}


def source_links(names, results, out):
    """(file, relative address) of the files of rows that are there, packed or not."""
    found = []
    for name in names:
        places = [path for path in (results / f"{name}.gz", results / name) if has_content(path)]
        found += [(path.name, relative(path, out)) for path in places[:1]]
    return found


def figure_part(item, out, command):
    """A figure."""
    figure = item.content
    return {
        **_frame(item, FIGURE_ENDS, out, command),
        "panels": [(panel.title, _json(panel.spec)) for panel in figure.panels],
        "picture": item.picture() if figure.picture else None,
        "empty": not figure.panels and not figure.picture,
        "missing": figure.missing,
        "reasons": by_reason(figure.missing),
    }


def by_reason(missing):
    """``[(reason, [what is missing for it, …]), …]``."""
    found = {}
    for what, reason in missing:
        found.setdefault(reason, []).append(what)
    return list(found.items())


def _frame(item, ends, out, command):
    """What tables and figures have in common."""
    return {
        "id": item.name,
        "kind": item.content.kind,
        "label": item.label,
        "caption": item.caption,
        "download": item.download(),
        "links": item.links(ends, out),
        "command": command.format(item=item.name),
    }


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


def _only_printed(remark):
    """Whether a remark has no place below a table of the page: the rule stands once on the page,
    and a missing value is said in words."""
    return remark == RULE or remark.startswith(f"{MINUS}: ")


def _json(value):
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
