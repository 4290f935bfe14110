"""Images of persons with their labels, before features are taken."""

from dataclasses import dataclass

import numpy as np

from .images import ImageStore


@dataclass(frozen=True, eq=False)
class PersonImages:
    """Names in the store, with the person and the camera of each."""

    store: ImageStore
    names: tuple[str, ...]
    person: np.ndarray
    camera: np.ndarray
