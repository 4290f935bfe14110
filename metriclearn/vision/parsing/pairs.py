"""Pair lists: images of persons, in labelled pairs that belong to folds."""

from pathlib import Path

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from .text import counting, read_text

Image = tuple[str, int]  # person with underscores for spaces, number of the image from 1


def image_name(image: Image) -> str:
    """``("Aaron_Eckhart", 1)`` as LFW names its file: ``Aaron_Eckhart_0001``."""
    person, number = image
    return f"{person}_{number:04d}"


def canonical_person(name: str) -> str:
    """One spelling for a person whose name is written with spaces or with underscores."""
    return "_".join(name.replace("_", " ").split())


class PairLines:
    """The lines of a pair file, taken one by one; errors name the line."""

    def __init__(self, path: str | Path, comments: bool = False) -> None:
        self.path = path
        self.rows = [
            (number, line)
            for number, line in enumerate(read_text(path).splitlines(), 1)
            if line.strip() and not (comments and line.startswith("#"))
        ]
        self.at = 0

    def error(self, message: str) -> DatasetError:
        number = self.rows[self.at - 1][0] if 0 < self.at <= len(self.rows) else 0
        return DatasetError(f"{self.path}: line {number}: {message}")

    def next(self) -> list[str]:
        if self.at == len(self.rows):
            raise DatasetError(
                f"{self.path}: ends after {self.at} lines, more pairs were expected; "
                "get a complete copy"
            )
        self.at += 1
        return [cell.strip() for cell in self.rows[self.at - 1][1].split("\t")]

    def numbers(self) -> list[int]:
        cells = self.next()
        try:
            return [int(cell) for cell in cells]
        except ValueError:
            raise self.error(f"expected counts, got {cells}") from None

    def pair(self, n_cells: int) -> tuple[Image, Image]:
        cells = self.next()
        if len(cells) != n_cells or not all(cells):
            raise self.error(f"expected {n_cells} cells separated by tabs, got {cells}")
        if n_cells == 3:
            cells = [cells[0], cells[1], cells[0], cells[2]]
        return self._image(*cells[:2]), self._image(*cells[2:])

    def _image(self, person: str, number: str) -> Image:
        counted = counting(number)
        if counted is None:
            raise self.error(f"expected the number of an image, got {number!r}")
        return canonical_person(person), counted

    def finish(self) -> None:
        if self.at != len(self.rows):
            number, line = self.rows[self.at]
            raise DatasetError(
                f"{self.path}: line {number}: {len(self.rows) - self.at} lines more than its "
                f"header counts, the first is {line!r}"
            )


def pair_data(rows: list[tuple[Image, Image, bool, int]], path: str | Path) -> FileData:
    """Names and labels from rows (image, image, same person, fold), each pair checked."""
    seen: dict[frozenset[Image], int] = {}
    for i, (a, b, same, _) in enumerate(rows):
        names = f"{image_name(a)} and {image_name(b)}"
        if a == b:
            raise DatasetError(f"{path}: pair {i + 1} is {image_name(a)} with itself")
        if same != (a[0] == b[0]):
            kind = "the same person" if same else "different persons"
            raise DatasetError(f"{path}: pair {i + 1}, {names}, should show {kind}")
        first = seen.setdefault(frozenset((a, b)), i)
        if first != i:
            raise DatasetError(f"{path}: pairs {first + 1} and {i + 1} are both {names}")
    images = tuple(sorted({image for a, b, _, _ in rows for image in (a, b)}))
    position = {image: i for i, image in enumerate(images)}
    return FileData(
        names=tuple(image_name(image) for image in images),
        labels={
            "pairs": np.array([(position[a], position[b]) for a, b, _, _ in rows], dtype=np.int64),
            "same": np.array([same for _, _, same, _ in rows], dtype=bool),
            "fold": np.array([fold for _, _, _, fold in rows], dtype=np.int64),
        },
    )
