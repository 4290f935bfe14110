"""The attribute files of LFW and PubFig: 73 real scores per image, or a projection of them.

``lfw_attributes.txt`` and ``pubfig_attributes.txt`` begin with comment lines; the last of them is
the heading, ``#<tab>person<tab>imagenum<tab>Male<tab>…``. Then one line per image: person, number
of the image, the scores, separated by tabs. A score is positive where the attribute is seen.

``lfw_attributes_30d.csv`` has the same columns with commas and no comments: its heading is the
first line, ``person,imagenum,a1,…``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from ..parsing.pairs import canonical_person, image_name
from ..parsing.text import counting, read_text, real

MAX_BYTES = 512 << 20


@dataclass(frozen=True, eq=False)
class Attributes:
    """Scores by image; ``path`` is named in errors."""

    path: str
    names: tuple[str, ...]
    rows: dict[str, int]  # by the image's name
    scores: np.ndarray  # images × attributes

    def of(self, images: Sequence[str], *, max_absent: int = 0) -> tuple[np.ndarray, int]:
        """The scores of ``images`` and how many have none; these get zeros, the neutral score."""
        absent = [image for image in images if image not in self.rows]
        if len(absent) > max_absent:
            persons = {name.rpartition("_")[0] for name in self.rows}
            kind = "image" if absent[0].rpartition("_")[0] in persons else "person"
            raise DatasetError(
                f"{self.path}: no scores for {len(absent)} of {len(images)} images, at most "
                f"{max_absent} may be without; the first is {absent[0]}, an unknown "
                f"{kind}; get the file that belongs to the pairs"
            )
        X = np.zeros((len(images), self.scores.shape[1]))
        for i, image in enumerate(images):
            if image in self.rows:
                X[i] = self.scores[self.rows[image]]
        return X, len(absent)


def read(
    path: str | Path,
    names: tuple[str, ...] | None = None,
    *,
    n_scores: int,
    max_absent: int = 0,
    commas: bool = False,
) -> FileData:
    """The scores of the images; of ``names``, ``max_absent`` may be without and get zeros."""
    attributes = read_attributes(path, n_scores=n_scores, commas=commas)
    images = tuple(attributes.rows) if names is None else names
    X, n_absent = attributes.of(images, max_absent=max_absent)
    note = f"zeros for {n_absent} images that are not in it" if n_absent else ""
    return FileData(names=images, X=X, note=note)


def read_attributes(path: str | Path, *, n_scores: int, commas: bool = False) -> Attributes:
    """All the scores of an attribute file, with ``commas`` of a csv without comments."""
    lines = read_text(path, MAX_BYTES).splitlines()
    separator, mark = (",", "") if commas else ("\t", "# ")
    n_above = 1 if commas else _n_comments(lines)
    if not lines or n_above < 1:
        raise DatasetError(
            f"{path}: expected a heading that starts with {mark.strip() or 'person'!r}"
        )
    heading = [cell.strip() for cell in lines[n_above - 1].lstrip("#").strip().split(separator)]
    if heading[:2] != ["person", "imagenum"] or len(heading) != 2 + n_scores:
        raise DatasetError(
            f"{path}: expected the heading {mark}person, imagenum and {n_scores} attributes, got "
            f"{heading[:3]} … with {len(heading)} columns"
        )
    rows: dict[str, int] = {}
    scores = []
    for number, line in enumerate(lines[n_above:], n_above + 1):
        if not line.strip():
            continue
        image, values = _row(line.split(separator), n_scores, f"{path}: line {number}")
        if image in rows:
            raise DatasetError(f"{path}: line {number}: {image} is there twice")
        rows[image] = len(scores)
        scores.append(values)
    if not rows:
        raise DatasetError(f"{path}: no scores in it; get a complete copy")
    return Attributes(str(path), tuple(heading[2:]), rows, np.array(scores))


def _n_comments(lines: list[str]) -> int:
    return next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))


def _row(cells: list[str], n_scores: int, where: str) -> tuple[str, np.ndarray]:
    if len(cells) != 2 + n_scores:
        raise DatasetError(f"{where}: expected {2 + n_scores} cells, got {len(cells)}")
    number = counting(cells[1])
    if number is None:
        raise DatasetError(f"{where}: expected the number of an image, got {cells[1]!r}")
    try:
        values = np.array([real(cell) for cell in cells[2:]])
    except ValueError as error:
        raise DatasetError(f"{where}: a score is no number ({error})") from None
    if not np.isfinite(values).all():
        bad = cells[2 + int(np.argmin(np.isfinite(values)))].strip()
        raise DatasetError(f"{where}: a score is not finite ({bad})")
    return image_name((canonical_person(cells[0]), number)), values
