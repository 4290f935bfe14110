"""KISSME's features for VIPeR, a .mat (up to version 7) or .npz file.

``ux``, features × 1264 images, and ``idxa``, ``idxb``, the columns of ``ux`` (from 1) of the images
from cameras A and B; entry i of both is the same person.
"""

from pathlib import Path

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from ..parsing.arrays import as_finite, as_integers, read_numbers


def read(path: str | Path, names: object = None, *, n_persons: int) -> FileData:
    """The features; person i is entry i of ``idxa`` and ``idxb``."""
    arrays = read_numbers(path, ("ux", "idxa", "idxb"))
    ux = as_finite(arrays["ux"], path, "ux")
    a, b = (as_integers(arrays[key], path, key) - 1 for key in ("idxa", "idxb"))
    columns = np.concatenate([a, b])
    n_images = 2 * n_persons
    if len(a) != n_persons or len(b) != n_persons or ux.shape[1] != n_images:
        raise DatasetError(
            f"{path}: expected ux with {n_images} columns, idxa and idxb with {n_persons} entries, "
            f"got {ux.shape[1]}, {len(a)} and {len(b)}"
        )
    if not np.array_equal(np.sort(columns), np.arange(n_images)):
        raise DatasetError(
            f"{path}: idxa and idxb must name each of the columns 1 … {n_images} of ux once"
        )
    person, camera = np.tile(np.arange(n_persons), 2), np.repeat([0, 1], n_persons)
    return FileData(X=ux.T[columns], labels={"person": person, "camera": camera})
