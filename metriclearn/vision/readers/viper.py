"""VIPeR: ``VIPeR.v1.0.zip``, or the folder it unpacks to.

Members are ``cam_a/NNN_angle.bmp`` and ``cam_b/NNN_angle.bmp``; NNN is the person, with one image
in each folder.
"""

import re
from pathlib import Path, PurePosixPath

import numpy as np

from ...datasets import DatasetError
from ..filedata import FileData
from ..parsing.images import ImageStore

CAMERAS = {"cam_a": 0, "cam_b": 1}
FILE = re.compile(r"(\d{3,})_(\d{1,3})$")


def read(path: str | Path, names: object = None, *, n_persons: int) -> FileData:
    """The images with their persons; camera 0 is cam_a (gallery), camera 1 is cam_b (probe)."""
    store = ImageStore(path, _name)
    persons: dict[int, set[str]] = {0: set(), 1: set()}
    for name in store.names:
        folder, number = name.split("/")
        persons[CAMERAS[folder]].add(number)
    if persons[0] != persons[1]:
        alone = sorted(persons[0] ^ persons[1])
        raise DatasetError(
            f"{path}: person {alone[0]} has an image from one camera only ({len(alone)} such "
            "persons); get a complete copy"
        )
    if len(persons[0]) != n_persons:
        raise DatasetError(
            f"{path}: expected {n_persons} persons in cam_a and cam_b, got {len(persons[0])}"
        )
    person = np.array([int(name.split("/")[1]) for name in store.names])
    camera = np.array([CAMERAS[name.split("/")[0]] for name in store.names])
    return FileData(names=store.names, images=store, labels={"person": person, "camera": camera})


def _name(path: PurePosixPath) -> str | None:
    folder, match = path.parent.name, FILE.match(path.stem)
    return f"{folder}/{match[1]}" if folder in CAMERAS and match else None
