"""Features with the person of each image, a .mat (up to version 7) or .npz file.

``X``, images × features (or transposed), ``person``, a number per image, and optionally ``camera``:
such as LADF's hierarchical Gaussian features for CAVIAR4REID.
"""

from pathlib import Path

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from ..parsing.arrays import as_finite, as_integers, read_numbers


def read(path: str | Path, names: object = None, *, n_images: int, n_persons: int) -> FileData:
    """The features with their persons and cameras; camera 0 if the file has none."""
    arrays = read_numbers(path, ("X", "person"), optional=("camera",))
    X = as_finite(arrays["X"], path, "X")
    person = as_integers(arrays["person"], path, "person")
    found = len(person), len(np.unique(person))
    if found != (n_images, n_persons):
        raise DatasetError(
            f"{path}: expected {n_images} entries of {n_persons} persons in person, got "
            f"{found[0]} of {found[1]}"
        )
    if n_images not in X.shape:
        raise DatasetError(f"{path}: X must have {n_images} rows or columns, it is {X.shape}")
    camera = np.zeros(n_images, dtype=np.int64)
    if "camera" in arrays:
        camera = as_integers(arrays["camera"], path, "camera")
        if len(camera) != n_images:
            raise DatasetError(f"{path}: camera has {len(camera)} entries for {n_images} images")
    X = X if X.shape[0] == n_images else X.T
    return FileData(X=X, labels={"person": person, "camera": camera})
