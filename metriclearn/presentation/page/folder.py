"""What lies in a folder of results: the saved tables and figures, and the files beside them."""

import base64
import gzip
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ...files.errors import PipelineError
from ...files.store import read_json
from ..figure import FigureData
from ..table import Table

TABLE_ENDS = ("md", "tex")  # the csv is in the page itself
FIGURE_ENDS = ("svg", "pdf", "png")


@dataclass
class Item:
    """A table or a figure, and where it lies."""

    path: Path  # of the json
    content: Table | FigureData

    @property
    def name(self):
        return self.path.stem

    @property
    def label(self):
        """Table 3 for table3, Table 9, text for table9_text, Faces roc for faces_roc."""
        name = re.sub(r"(?<=\d)_(?=[a-z])", ", ", self.name)
        words = re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))
        return words[:1].upper() + words[1:]

    @property
    def caption(self):
        """The label stands before the caption already."""
        caption = self.content.caption
        if caption.startswith(self.label):
            caption = caption.partition(": ")[2]
        return caption.removesuffix(".")

    def links(self, ends, page):
        """(end, relative address) of the item's files that exist, as seen from the page."""
        found = [(end, self.path.with_suffix(f".{end}")) for end in ends]
        return [(end, relative(path, page)) for end, path in found if has_content(path)]

    def download(self):
        """The csv, compressed, as an address, so that the page needs no file beside it."""
        return data_address(self.path.with_suffix(".csv"), "application/gzip", pack=True)

    def picture(self):
        """The SVG as an image: it cannot disturb the page, whatever is in it."""
        return data_address(self.path.with_suffix(".svg"), "image/svg+xml")


def has_content(path):
    """Whether a file is there; the picture of a figure without data is empty."""
    return path.is_file() and path.stat().st_size > 0


def data_address(path, kind, *, pack=False):
    """A file as an address; None without the file."""
    if not path.is_file():
        return None
    content = gzip.compress(path.read_bytes(), 9, mtime=0) if pack else path.read_bytes()
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def relative(path, page):
    return quote(Path(os.path.relpath(path, Path(page).parent)).as_posix())


def read_items(folder, kind):
    """The saved tables or figures of a folder (``kind`` is the class), table2 before table10."""
    paths = sorted(Path(folder).glob("*.json"), key=lambda path: natural(path.stem))
    return [Item(path, _read(path, kind)) for path in paths]


def _read(path, kind):
    try:
        return kind.from_dict(read_json(path))
    except (TypeError, KeyError, ValueError) as error:
        raise PipelineError(
            f"{path}: not a saved {kind.__name__} ({error!r}); delete it and run again"
        ) from error


def natural(name):
    """A key: the short form, the numbered items by name and number, single ones, families."""
    parts = re.fullmatch(r"([a-z]+)(\d+)((?:_.*)?)", name)
    if parts:
        return 1, parts[1], int(parts[2]), parts[3]
    return 0 if name == "headline" else 3 if "_" in name else 2, name, 0, name
