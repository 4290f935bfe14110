"""The files behind each feature of an image set: got, read and checked, before any extraction."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..datasets import DatasetError
from ..datasets.download import DownloadOptions
from .obtain import obtain
from .readers.attributes import read_attributes
from .readers.caviar import read_caviar
from .readers.images import ImageStore
from .readers.landmarks import read_landmarks, require_landmarks
from .readers.pack import Pack, read_kissme_pack, read_labelled_pack
from .readers.pairs import PairList, image_name, read_lfw_pairs, read_pubfig_pairs
from .readers.persons import PersonImages
from .readers.viper import read_viper
from .spec import ImageSpec, load_image_spec

# LFW's attribute file has 13,143 of the 13,233 images.
LFW_WITHOUT_ATTRIBUTES = 90


@dataclass(frozen=True)
class Request:
    """A feature of an image set, and where to look for its files."""

    spec: ImageSpec
    feature: str
    source: str | None = None
    options: DownloadOptions | None = None

    def get(self, role: str, read: Callable[[Path], Any]) -> Any:
        return obtain(self.spec, role, read, source=self.source, options=self.options)


@dataclass(frozen=True, eq=False)
class FaceImages:
    """LFW: the pairs, the images they name (row i of the features is ``names[i]``), landmarks."""

    pairs: PairList
    names: tuple[str, ...]
    store: ImageStore
    landmarks: dict[str, np.ndarray] | None


@dataclass(frozen=True, eq=False)
class FaceScores:
    """The pairs and the attribute scores of the images they name."""

    pairs: PairList
    X: np.ndarray
    n_absent: int


def lfw_faces(request: Request) -> FaceImages:
    pairs = request.get("pairs", read_lfw_pairs)
    names = tuple(image_name(image) for image in pairs.images)

    def images(path: Path) -> ImageStore:
        store = ImageStore(path, lambda member: member.stem)
        store.require(names, "that pairs.txt names")
        return store

    def landmarks(path: Path) -> dict[str, np.ndarray]:
        points = read_landmarks(path)
        require_landmarks(points, names, path)
        return points

    return FaceImages(
        pairs, names, request.get("images", images), request.get("landmarks", landmarks)
    )


def lfw_scores(request: Request) -> FaceScores:
    return _scores(request, request.get("pairs", read_lfw_pairs), LFW_WITHOUT_ATTRIBUTES)


def pubfig_scores(request: Request) -> FaceScores:
    return _scores(request, request.get("pairs", read_pubfig_pairs), 0)


def _scores(request: Request, pairs: PairList, max_absent: int) -> FaceScores:
    def scores(path: Path) -> tuple[np.ndarray, int]:
        return read_attributes(path).of(pairs.images, max_absent=max_absent)

    return FaceScores(pairs, *request.get("attributes", scores))


def viper_images(request: Request) -> PersonImages:
    return request.get("images", read_viper)


def caviar_images(request: Request) -> PersonImages:
    return request.get("images", read_caviar)


def kissme_pack(request: Request) -> Pack:
    return request.get("kissme", read_kissme_pack)


def ladf_pack(request: Request) -> Pack:
    return request.get("ladf", lambda path: read_labelled_pack(path, n_images=1220, n_persons=72))


FILES: dict[tuple[str, str], Callable[[Request], Any]] = {
    ("lfw", "sift"): lfw_faces,
    ("lfw", "attribute"): lfw_scores,
    ("pubfig", "attribute"): pubfig_scores,
    ("viper", "histogram"): viper_images,
    ("viper", "kissme"): kissme_pack,
    ("caviar4reid", "gaussian"): caviar_images,
    ("caviar4reid", "histogram"): caviar_images,
    ("caviar4reid", "ladf"): ladf_pack,
}


def get_files(request: Request) -> Any:
    """What the feature is made from; ``DatasetUnavailable`` if a file is not to be had."""
    spec, feature = request.spec, request.feature
    if spec.simulated:
        return None
    if (parts := spec.combines(feature)) != (feature,):
        raise DatasetError(
            f"{feature} of {spec.name} combines the scores of {' and '.join(parts)} and has no "
            "features of its own; extract these"
        )
    if (spec.name, feature) not in FILES:
        raise DatasetError(
            f"conf/images/{spec.name}.yaml names the feature {feature}, but "
            "metriclearn/vision/files.py does not know its files"
        )
    return FILES[spec.name, feature](request)


def fetch_features(
    name: str,
    feature: str | None = None,
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
) -> None:
    """Make the files of a feature available and check them; nothing is extracted."""
    spec = load_image_spec(name)
    for part in spec.combines(spec.feature(feature)):
        get_files(Request(spec, part, source, options))
