"""The landmark file of LFW: nine points in each face, in the 250 × 250 frame of the images.

A csv, gzipped or not, with the heading ``name,x1,y1,…,x9,y9`` and one line per image; the name is
that of the image file without its ending. The points are, as seen in the image from left to right,
the corners of the eyes (right outer, right inner, left inner, left outer), the right nostril, the
tip of the nose, the left nostril, and the corners of the mouth (right, left).
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from ..parsing.text import read_text, real

N_LANDMARKS = 9
FRAME = 250.0  # width and height that the coordinates refer to
HEADING = ["name", *(f"{axis}{i}" for i in range(1, N_LANDMARKS + 1) for axis in "xy")]

# Rounded means over LFW's faces, for funneled images without a landmark file.
MEAN_LANDMARKS = np.array(
    [
        (92, 116),
        (113, 116),
        (136, 115),
        (157, 114),
        (113, 140),
        (125, 144),
        (138, 140),
        (106, 159),
        (145, 159),
    ],
    dtype=float,
)


def read(path: str | Path, names: tuple[str, ...] | None = None) -> FileData:
    """The points of each image, all of ``names`` among them."""
    points = read_landmarks(path)
    require_landmarks(points, names or (), path)
    return FileData(by_image=points)


def read_landmarks(path: str | Path) -> dict[str, np.ndarray]:
    """Points (9 × 2, x then y) by the name of the image."""
    rows = csv.reader(io.StringIO(read_text(path)))
    heading = next(rows, None)
    if heading != HEADING:
        raise DatasetError(f"{path}: expected the heading {','.join(HEADING)}, got {heading}")
    points: dict[str, np.ndarray] = {}
    for number, cells in enumerate(rows, 2):
        if not cells:
            continue
        where = f"{path}: line {number}"
        if len(cells) != len(HEADING):
            raise DatasetError(f"{where}: expected {len(HEADING)} cells, got {len(cells)}")
        if cells[0] in points:
            raise DatasetError(f"{where}: {cells[0]} is there twice")
        try:
            values = np.array([real(cell) for cell in cells[1:]])
        except ValueError as error:
            raise DatasetError(f"{where}: a coordinate is no number ({error})") from None
        if not ((values >= 0) & (values <= FRAME)).all():  # NaN fails as well
            raise DatasetError(f"{where}: coordinates must lie in 0 … {FRAME:g}")
        points[cells[0]] = values.reshape(N_LANDMARKS, 2)
    if not points:
        raise DatasetError(f"{path}: no landmarks in it")
    return points


def require_landmarks(
    points: Mapping[str, np.ndarray], names: tuple[str, ...], path: str | Path
) -> None:
    """``DatasetError`` if an image has no landmarks."""
    if absent := [name for name in names if name not in points]:
        raise DatasetError(
            f"{path}: no landmarks for {len(absent)} of {len(names)} images, the first is "
            f"{absent[0]}; get a complete copy"
        )
