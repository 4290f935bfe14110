"""Numeric arrays of .mat (up to version 7) and .npz files.

Only plain numeric arrays are read: nothing is unpickled, and cells, structures, objects and
functions are refused.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...datasets import DatasetError

NUMBERS = "biuf"  # kinds of plain numeric arrays


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
    except Exception as error:  # damaged bytes can make the library fail in any way
        text = " ".join(str(error).split())
        raise DatasetError(f"{path}: not an npz of plain arrays ({text}); refused") from error


def _from_mat(path: Path, keys: Sequence[str]) -> dict[str, np.ndarray]:
    from scipy.io import loadmat
    from scipy.sparse import issparse

    try:
        values = loadmat(path, variable_names=list(keys), appendmat=False)
    except NotImplementedError:
        raise DatasetError(
            f"{path}: a .mat file of version 7.3; in Matlab save it with -v7, or provide an .npz"
        ) from None
    except Exception as error:  # damaged bytes can make the library fail in any way
        text = " ".join(str(error).split())
        raise DatasetError(f"{path}: not a .mat file that can be read ({text})") from error
    found = {key: values[key] for key in keys if key in values}
    return {key: value.toarray() if issparse(value) else value for key, value in found.items()}


def as_finite(array: np.ndarray, path: str | Path, key: str) -> np.ndarray:
    """The array if it is a matrix of finite numbers."""
    if array.ndim != 2 or not array.size:
        raise DatasetError(f"{path}: {key} must be a matrix, it has shape {array.shape}")
    if not np.isfinite(array).all():
        raise DatasetError(f"{path}: {key} has values that are NaN or infinite")
    return array


def as_integers(array: np.ndarray, path: str | Path, key: str) -> np.ndarray:
    """The entries as integers, if they are whole numbers."""
    values = array.ravel()
    if not np.isfinite(values).all() or not (values == np.round(values)).all():
        raise DatasetError(f"{path}: {key} must hold whole numbers")
    return values.astype(np.int64)
