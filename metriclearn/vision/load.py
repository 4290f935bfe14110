"""``load_features``: the features of an image set by name, checked and ready to use."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..datasets.download import DownloadOptions
from .featureset import FeatureSet
from .files import FaceImages, FaceScores, Request, get_files
from .readers.images import ImageStore
from .readers.landmarks import MEAN_LANDMARKS
from .readers.pack import Pack
from .readers.persons import PersonImages
from .simulated import simulate
from .spec import load_image_spec

Describe = Callable[[str, np.ndarray], np.ndarray]  # name and image -> its features


def load_features(
    name: str,
    feature: str | None = None,
    *,
    root: bool = True,
    source: str | None = None,
    options: DownloadOptions | None = None,
    quiet: bool = False,
) -> FeatureSet:
    """Features of image set ``name``: the first one of its yaml file if none is named.

    The files come from the cache, the mirror folder or the public download, the first that has
    them; ``source`` restricts it to one of ``cache``, ``mirror``, ``public``. ``root`` takes
    RootSIFT for SIFT. Features are extracted anew at each call, with a progress bar on stderr
    unless ``quiet``: LFW takes minutes, so ``metriclearn extract`` keeps them in a file
    for ``FeatureSet.load``.
    """
    spec = load_image_spec(name)
    feature = spec.feature(feature)
    if spec.simulated:
        return simulate(spec, feature)
    found = get_files(Request(spec, feature, source, options))

    def describe(store: ImageStore, names: Sequence[str], take: Describe) -> np.ndarray:
        return describe_images(store, names, take, "" if quiet else f"{name} {feature}")

    if isinstance(found, FaceImages):
        take = _sift(found, root)
        where = "the mean positions" if found.landmarks is None else "the landmarks"
        origin = f"{found.store.path.name}, {'RootSIFT' if root else 'SIFT'} at {where}"
        X, labels = describe(found.store, found.names, take), _pair_labels(found)
    elif isinstance(found, FaceScores):
        origin = spec.files["attributes"].name
        if found.n_absent:
            origin += f", zeros for {found.n_absent} images that are not in it"
        X, labels = found.X, _pair_labels(found)
    elif isinstance(found, PersonImages):
        origin = found.store.path.name
        X, labels = describe(found.store, found.names, _of_person(feature)), _person_labels(found)
    else:
        origin = spec.files[feature].name
        X, labels = found.X, _person_labels(found)
    return FeatureSet(
        name=spec.name,
        title=spec.title,
        feature=feature,
        task=spec.task,
        X=X,
        source=origin,
        **labels,
    )


def describe_images(
    store: ImageStore, names: Sequence[str], take: Describe, title: str
) -> np.ndarray:
    """``take(name, image)`` as row i for ``names[i]``; a progress bar if there is a title."""
    from tqdm import tqdm

    row = {name: i for i, name in enumerate(names)}
    X = np.empty((0, 0), dtype=np.float32)
    for name, image in tqdm(
        store.read(names),
        total=len(names),
        desc=title,
        unit="image",
        file=sys.stderr,
        disable=not title,
        mininterval=0.5 if sys.stderr.isatty() else 20.0,  # a log stays short
    ):
        values = take(name, image)
        if not len(X):
            X = np.zeros((len(names), len(values)), dtype=np.float32)
        X[row[name]] = values
    return X


def _sift(faces: FaceImages, root: bool) -> Describe:
    from .features.sift import make_sift, sift_at

    extractor, landmarks = make_sift(), faces.landmarks

    def take(name: str, image: np.ndarray) -> np.ndarray:
        points = MEAN_LANDMARKS if landmarks is None else landmarks[name]
        return sift_at(image, points, root=root, sift=extractor)

    return take


def _of_person(feature: str) -> Describe:
    from .features.gaussian import gaussian_feature
    from .features.histograms import histogram_feature

    take = {"histogram": histogram_feature, "gaussian": gaussian_feature}[feature]
    return lambda name, image: take(image)


def _pair_labels(found: FaceImages | FaceScores) -> dict[str, Any]:
    pairs = found.pairs
    return {"pairs": pairs.pairs, "same": pairs.same, "fold": pairs.fold}


def _person_labels(found: PersonImages | Pack) -> dict[str, Any]:
    return {"person": found.person, "camera": found.camera}
