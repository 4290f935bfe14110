"""What a reader returns for one file of an image set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .parsing.images import ImageStore


@dataclass(frozen=True, eq=False, kw_only=True)
class FileData:
    """The content of one file; a reader sets the fields that its format has."""

    names: tuple[str, ...] | None = None  # the images, in the order of the rows
    labels: Mapping[str, Any] | None = None  # arrays of the task, see ``FeatureSet``
    X: np.ndarray | None = None  # features, one row per image
    images: "ImageStore | None" = None
    by_image: Mapping[str, Any] | None = None  # input of an extractor, by the image's name
    note: str = ""  # added to the source of the features
