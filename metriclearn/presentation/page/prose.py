"""Markdown as HTML; markup in it is shown as text, never obeyed."""

from markdown_it import MarkdownIt

FIRST_LEVEL = 3  # findings stand under a heading of the second level


def _parser():
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def to_html(text):
    """A text with headings, lists, tables and links."""
    parser = _parser()
    tokens = parser.parse(text)
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    lift = FIRST_LEVEL - min(levels, default=FIRST_LEVEL)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + lift)}"
    html = parser.renderer.render(tokens, parser.options, {})
    return html.replace("<table>", '<div class="scroll"><table>').replace(
        "</table>", "</table></div>"
    )


def inline(text):
    """One paragraph, without the paragraph's own tag."""
    return _parser().renderInline(text)
