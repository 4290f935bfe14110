"""Simulated image sets, so that every protocol runs at full size without the real ones.

An image is x = A z + q B u: z ~ N(0, I) belongs to the person, u ~ N(0, I) and the quality q, log-
normal, to the image. A and B have different spectra along different directions: persons differ
mostly in a few directions, images of one person in many others that mix all features (pose, light).
So Euclidean distances are dominated by directions with little information about the person, and a
metric with small weights for them is clearly better. Re-identification adds a gain and a shift for
the second camera.

These sets are never part of the paper's tables; their titles say that they are simulated.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ..datasets import DatasetError
from .featureset import REIDENTIFICATION, VERIFICATION, FeatureSet
from .spec import ImageSpec

SEED = 20150219
# Ratio of the variation between images to that between persons, chosen so that the Euclidean
# distance is about as good as the paper reports for PubFig and CAVIAR4REID.
FACE_NOISE = 0.43
PERSON_NOISE = 0.85
CAMERA_SHIFT = 0.3


def simulate(spec: ImageSpec, feature: str) -> FeatureSet:
    """The set that a yaml file of conf/images describes by its ``simulate``."""
    make: Any = {VERIFICATION: simulated_faces, REIDENTIFICATION: simulated_persons}[spec.task]
    try:
        made = make(**(spec.simulate or {}))
    except TypeError as error:
        raise DatasetError(f"conf/images/{spec.name}.yaml: simulate: {error}") from error
    return replace(made, name=spec.name, title=spec.title, feature=feature, content_hash="")


def simulated_faces(
    *,
    n_folds: int = 10,
    n_each: int = 1000,
    n_features: int = 73,
    persons_per_fold: int = 14,
    images_per_person: int = 150,
    seed: int = SEED,
) -> FeatureSet:
    """A verification set of PubFig's size: 10 × (1000 + 1000) pairs of 73 real scores.

    The folds have different persons, as PubFig's have. Pairs are distinct.
    """
    possible = persons_per_fold * images_per_person * (images_per_person - 1) // 2
    if min(n_folds, persons_per_fold, images_per_person) < 2 or n_each > possible // 2:
        raise DatasetError(
            f"simulated_faces: {n_each} distinct pairs of a kind need more than "
            f"{persons_per_fold} persons with {images_per_person} images in {n_folds} folds"
        )
    rng = np.random.default_rng(seed)
    n_persons = n_folds * persons_per_fold
    person = np.repeat(np.arange(n_persons), images_per_person)
    X = _images(rng, person, n_features, noise=FACE_NOISE)
    chosen, same = [], []
    for fold in range(n_folds):
        first = fold * persons_per_fold * images_per_person
        size = persons_per_fold * images_per_person
        for kind in (True, False):
            found = _distinct_pairs(rng, person[first : first + size], n_each, kind)
            chosen.append(found + first)
            same.append(np.full(n_each, kind))
    used, pairs = np.unique(np.concatenate(chosen), return_inverse=True)
    return FeatureSet(
        name="simulated_faces",
        title="Simulated faces (not real data)",
        feature="attribute",
        task=VERIFICATION,
        X=X[used],
        source=f"simulated, seed {seed}",
        simulated=True,
        pairs=pairs.reshape(-1, 2),
        same=np.concatenate(same),
        fold=np.repeat(np.arange(n_folds), 2 * n_each),
    )


def simulated_persons(
    *,
    n_images: int = 1220,
    n_persons: int = 72,
    n_features: int = 120,
    seed: int = SEED,
) -> FeatureSet:
    """A re-identification set of CAVIAR4REID's size: 1,220 images of 72 persons, two cameras.

    Persons have unequal numbers of images, at least two in each camera.
    """
    if n_persons < 2 or n_images < 4 * n_persons:
        raise DatasetError(
            f"simulated_persons: at least 2 persons with 4 images each are needed, got {n_images} "
            f"images of {n_persons}"
        )
    rng = np.random.default_rng(seed)
    extra = rng.multinomial(n_images - 4 * n_persons, rng.dirichlet(np.full(n_persons, 4.0)))
    person = np.repeat(np.arange(n_persons), 4 + extra)
    camera = np.concatenate(
        [np.concatenate([[0, 0, 1, 1], rng.integers(0, 2, size=more)]) for more in extra]
    )
    X = _images(rng, person, n_features, noise=PERSON_NOISE)
    gain = np.exp(0.1 * rng.normal(size=n_features))
    shift = CAMERA_SHIFT * X.std(axis=0) * rng.normal(size=n_features)
    X = np.where(camera[:, None] == 1, gain * X + shift, X)
    return FeatureSet(
        name="simulated_persons",
        title="Simulated persons (not real data)",
        feature="histogram",
        task=REIDENTIFICATION,
        X=X,
        source=f"simulated, seed {seed}",
        simulated=True,
        person=person,
        camera=camera,
    )


def _images(rng, person: np.ndarray, d: int, *, noise: float) -> np.ndarray:
    """x = A z + q B u for each entry of ``person``, the person's z shared."""
    rank = np.arange(1, d + 1)
    A = _directions(rng, d) * rank**-0.8
    B = _directions(rng, d) * (noise * rank**-0.3)
    z = rng.normal(size=(person.max() + 1, d))
    u = rng.normal(size=(len(person), d))
    q = np.exp(0.3 * rng.normal(size=(len(person), 1)))
    return z[person] @ A.T + q * (u @ B.T)


def _directions(rng, d: int) -> np.ndarray:
    """A random orthogonal matrix."""
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def _distinct_pairs(rng, person: np.ndarray, n: int, same: bool) -> np.ndarray:
    """``n`` distinct pairs i < j of positions, of the same or of different persons."""
    chosen: dict[tuple[int, int], None] = {}
    while len(chosen) < n:
        i, j = np.sort(rng.integers(0, len(person), size=(2, 4 * n)), axis=0)
        keep = (i < j) & ((person[i] == person[j]) == same)
        chosen.update(dict.fromkeys(zip(i[keep].tolist(), j[keep].tolist())))
    return np.array(list(chosen)[:n], dtype=np.int64)
