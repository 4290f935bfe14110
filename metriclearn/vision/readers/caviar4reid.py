"""CAVIAR4REID: images ``IIIICCC.jpg``, person then image, in a zip or tar archive or a folder.

Of the 72 persons 50 were seen by two cameras and 22 by one, in ten images each: images 1 to 10 of a
person count as camera 0, later ones as camera 1.
"""

import re
from pathlib import Path, PurePosixPath

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from ..parsing.images import ImageStore

FILE = re.compile(r"(\d{4})(\d{3})$")
IMAGES_PER_CAMERA = 10


def read(path: str | Path, names: object = None, *, n_images: int, n_persons: int) -> FileData:
    """The images with their persons and cameras."""
    store = ImageStore(path, _name)
    person = np.array([int(name[:4]) for name in store.names], dtype=np.int64)
    number = np.array([int(name[4:]) for name in store.names], dtype=np.int64)
    found = len(person), len(np.unique(person))
    if found != (n_images, n_persons):
        raise DatasetError(
            f"{path}: expected {n_images} images IIIICCC.jpg of {n_persons} persons, got "
            f"{found[0]} of {found[1]}"
        )
    camera = np.clip((number - 1) // IMAGES_PER_CAMERA, 0, 1)
    return FileData(names=store.names, images=store, labels={"person": person, "camera": camera})


def _name(path: PurePosixPath) -> str | None:
    return path.stem if FILE.match(path.stem) else None
