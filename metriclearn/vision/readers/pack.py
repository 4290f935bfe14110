"""Features that a user already has, as .mat (up to version 7) or .npz files.

Two layouts are known:

- KISSME's VIPeR pack: ``ux``, features × 1264 images, and ``idxa``, ``idxb``, the columns of ``ux``
  (from 1) of the images from cameras A and B; entry i of both is the same person.
- Labelled images, such as LADF's hierarchical Gaussian features for CAVIAR4REID: ``X``, images ×
  features (or transposed), ``person``, a number per image, and optionally ``camera``.

Only plain numeric arrays are read: nothing is unpickled, and cells, structures, objects and
functions are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...datasets import DatasetError

NUMBERS = "biuf"  # kinds of plain numeric arrays


@dataclass(frozen=True, eq=False)
class Pack:
    """Features of persons' images."""

    X: np.ndarray  # images × features
    person: np.ndarray
    camera: np.ndarray


def read_kissme_pack(path: str | Path, *, n_persons: int = 632) -> Pack:
    """KISSME's VIPeR features; person i is entry i of ``idxa`` and ``idxb``."""
    arrays = read_numbers(path, ("ux", "idxa", "idxb"))
    ux = _finite(arrays["ux"], path, "ux")
    a, b = (_integers(arrays[key], path, key) - 1 for key in ("idxa", "idxb"))
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
    return Pack(
        X=ux.T[columns],
        person=np.tile(np.arange(n_persons), 2),
        camera=np.repeat([0, 1], n_persons),
    )


def read_labelled_pack(path: str | Path, *, n_images: int, n_persons: int) -> Pack:
    """Features with the person, and maybe the camera, of each image."""
    arrays = read_numbers(path, ("X", "person"), optional=("camera",))
    X = _finite(arrays["X"], path, "X")
    person = _integers(arrays["person"], path, "person")
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
        camera = _integers(arrays["camera"], path, "camera")
        if len(camera) != n_images:
            raise DatasetError(f"{path}: camera has {len(camera)} entries for {n_images} images")
    return Pack(X=X if X.shape[0] == n_images else X.T, person=person, camera=camera)


def read_numbers(
    path: str | Path, keys: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """The numeric arrays ``keys`` of a .mat or .npz file, and those of ``optional`` it has."""
    path = Path(path)
    wanted = (*keys, *optional)
    try:
        with open(path, "rb") as file:
            is_zip = file.read(2) == b"PK"
        found = _from_npz(path, wanted) if is_zip else _from_mat(path, wanted)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror or error}") from error
    if absent := [key for key in keys if key not in found]:
        raise DatasetError(f"{path}: expected arrays {', '.join(keys)}; there is no {absent[0]}")
    for key, array in found.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in NUMBERS:
            raise DatasetError(
                f"{path}: {key} must be a plain array of real numbers, it is "
                f"{getattr(array, 'dtype', type(array).__name__)}; refused"
            )
    return found


def _from_npz(path: Path, keys: Sequence[str]) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {key: archive[key] for key in keys if key in archive.files}
    except Exception as error:  # hostile bytes can make the library fail in any way
        text = " ".join(str(error).split())
        raise DatasetError(f"{path}: not an npz of plain arrays ({text}); refused") from error


def _from_mat(path: Path, keys: Sequence[str]) -> dict[str, np.ndarray]:
    from scipy.io import loadmat
    from scipy.sparse import issparse

    try:
        values = loadmat(path, variable_names=list(keys), appendmat=False)
    except NotImplementedError:
        raise DatasetError(
            f"{path}: a .mat file of version 7.3; in Matlab save it with -v7, or give an .npz"
        ) from None
    except Exception as error:  # hostile bytes can make the library fail in any way
        text = " ".join(str(error).split())
        raise DatasetError(f"{path}: not a .mat file that can be read ({text})") from error
    found = {key: values[key] for key in keys if key in values}
    return {key: value.toarray() if issparse(value) else value for key, value in found.items()}


def _finite(array: np.ndarray, path: str | Path, key: str) -> np.ndarray:
    if array.ndim != 2 or not array.size:
        raise DatasetError(f"{path}: {key} must be a matrix, it has shape {array.shape}")
    if not np.isfinite(array).all():
        raise DatasetError(f"{path}: {key} has values that are NaN or infinite")
    return array


def _integers(array: np.ndarray, path: str | Path, key: str) -> np.ndarray:
    values = array.ravel()
    if not np.isfinite(values).all() or not (values == np.round(values)).all():
        raise DatasetError(f"{path}: {key} must hold whole numbers")
    return values.astype(np.int64)
