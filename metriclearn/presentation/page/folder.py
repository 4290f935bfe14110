"""What lies in a folder of results: the items, their files, captions and remarks."""

import base64
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from ...files.store import read_rows

TABLE_ENDS = ("md", "tex")  # the csv is in the page itself
FIGURE_ENDS = ("svg", "pdf", "png")


@dataclass
class Item:
    """A table or a figure as it lies on disk; ``rows`` are those of its csv."""

    name: str
    path: Path  # of the csv
    rows: list[dict[str, str]]
    markdown: str = ""  # of a table
    caption: str = ""
    remarks: list[str] = field(default_factory=list)  # Markdown

    @property
    def label(self):
        """Table 3 for table3, Faces roc for faces_roc."""
        words = re.sub(r"(?<=[a-z])(?=\d)", " ", self.name.replace("_", " "))
        return words[:1].upper() + words[1:]

    @property
    def columns(self):
        return list(self.rows[0]) if self.rows else []

    def beside(self, end):
        return self.path.with_suffix(f".{end}")

    def links(self, ends, page):
        """(end, relative address) of the item's files that exist, as seen from the page."""
        found = [(end, self.beside(end)) for end in ends]
        return [(end, relative(path, page)) for end, path in found if path.is_file()]

    def download(self):
        """The csv itself as an address, so that the page needs no file beside it."""
        data = base64.b64encode(self.path.read_bytes()).decode("ascii")
        return f"data:text/csv;charset=utf-8;base64,{data}"


def relative(path, page):
    here = os.path.relpath(path, Path(page).parent)
    return quote(Path(here).as_posix())


def read_tables(results):
    items = read_items(Path(results) / "tables")
    for item in items:
        if item.beside("md").is_file():
            item.markdown = item.beside("md").read_text(encoding="utf-8")
            item.caption, item.remarks = caption_and_remarks(item.markdown)
    return items


def read_items(folder):
    """The items of a folder by their csv files, table2 before table10."""
    paths = sorted(Path(folder).glob("*.csv"), key=lambda path: natural(path.stem))
    return [Item(path.stem, path, read_rows(path)) for path in paths]


def natural(name):
    """A key: the short form, the numbered items by name and number, single ones, families."""
    parts = re.fullmatch(r"([a-z]+)(\d+)", name)
    if parts:
        return 1, parts[1], int(parts[2]), ""
    return 0 if name == "headline" else 3 if "_" in name else 2, name, 0, name


def caption_and_remarks(markdown):
    """The bold first line of a table's Markdown, and the paragraphs after it and its footnotes."""
    blocks = [block.strip() for block in re.split(r"\n\s*\n", markdown) if block.strip()]
    caption = ""
    if blocks and (bold := re.fullmatch(r"\*\*(.+)\*\*", blocks[0], re.DOTALL)):
        caption = bold[1]
        blocks = blocks[1:]
    return caption, [b for b in blocks if not b.startswith(("|", "<sup>"))]
