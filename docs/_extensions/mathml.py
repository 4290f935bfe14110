"""Equations as MathML, which browsers draw themselves: no script, no font, no network.

``\\tag{4}`` in a displayed equation is its number in the paper.
"""

import re
from html import escape

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.util import logging

log = logging.getLogger(__name__)
TAG = re.compile(r"\s*\\tag\{([^}]+)\}\s*")


def convert(node, block):
    try:
        return latex2mathml.tex2mathml(TAG.sub("", node.astext()), as_block=block)
    except MathError as error:
        log.warning("an equation cannot be drawn: %s", error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def visit_inline(self, node):
    self.body.append(convert(node, block=False))
    raise nodes.SkipNode


def visit_displayed(self, node):
    numbers = "".join(f'<span class="number">({n})</span>' for n in TAG.findall(node.astext()))
    self.body.append(f'<div class="equation">{convert(node, block=True)}{numbers}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
