"""The features of an image set: the result of an extraction and the input of every protocol.

Row i of ``X`` is image i. A verification set comes with labelled pairs of rows in folds; a
re-identification set with the person and the camera of each row. Nothing here is fitted to data:
PCA, whitening and scaling belong to the training part of a fold.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..datasets import DatasetError, DatasetUnavailable

VERIFICATION = "verification"
REIDENTIFICATION = "reidentification"
ARRAYS = {
    VERIFICATION: ("pairs", "same", "fold"),
    REIDENTIFICATION: ("person", "camera"),
}
TASKS = tuple(ARRAYS)


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureSet:
    """Features of n images with the labels of their task, checked on creation.

    Arrays are given as anything array-like and kept read-only in the types below. The content
    hash is computed from the arrays, and compared with ``content_hash`` if that is given.
    """

    name: str
    title: str
    feature: str
    task: str  # "verification" or "reidentification"
    X: np.ndarray  # n_images × d, float32
    source: str
    simulated: bool = False
    content_hash: str = ""
    pairs: np.ndarray | None = None  # P × 2, int64 rows of X
    same: np.ndarray | None = None  # P, bool: one person in both images
    fold: np.ndarray | None = None  # P, int64, 0 … n_folds − 1
    person: np.ndarray | None = None  # n_images, int64
    camera: np.ndarray | None = None  # n_images, int64

    def __post_init__(self) -> None:
        self._expect(self.task in TASKS, f"task is one of {TASKS}, got {self.task!r}")
        types = {
            "X": np.float32,
            "pairs": np.int64,
            "same": np.bool_,
            "fold": np.int64,
            "person": np.int64,
            "camera": np.int64,
        }
        wanted = ("X", *ARRAYS[self.task])
        for key, dtype in types.items():
            value = getattr(self, key)
            if key not in wanted:
                self._expect(value is None, f"{key} does not belong in a {self.task} set")
                continue
            self._expect(value is not None, f"a {self.task} set needs {key}")
            array = self._converted(key, value, dtype)
            array.flags.writeable = False
            object.__setattr__(self, key, array)
        self._check_features()
        self._check_pairs() if self.task == VERIFICATION else self._check_persons()
        found = self._hash()
        self._expect(
            self.content_hash in ("", found),
            f"content hash {found[:12]}…, expected {self.content_hash[:12]}…; extract it again",
        )
        object.__setattr__(self, "content_hash", found)

    def __repr__(self) -> str:
        n, d = self.X.shape
        if self.pairs is not None:
            parts = f"{len(self.pairs)} pairs in {self.n_folds} folds"
        else:
            counts = [len(np.unique(getattr(self, key))) for key in ("person", "camera")]
            parts = f"{counts[0]} persons, {counts[1]} cameras"
        return f"<FeatureSet {self.name}-{self.feature}: {n} × {d}, {parts}>"

    @property
    def n_folds(self) -> int:
        """Folds of a verification set."""
        return 0 if self.fold is None else int(self.fold.max()) + 1

    def facts(self) -> dict:
        """The facts that are saved with the arrays."""
        return {
            "name": self.name,
            "title": self.title,
            "feature": self.feature,
            "task": self.task,
            "source": self.source,
            "simulated": self.simulated,
            "status": "ok",
            "message": "",
            "content_hash": self.content_hash,
            "n_images": len(self.X),
            "n_features": self.X.shape[1],
        }

    def save(self, path: str | Path) -> None:
        """Write facts and arrays as one npz, the same bytes for the same content."""
        from ..files.store import write_arrays

        arrays = {key: getattr(self, key) for key in ("X", *ARRAYS[self.task])}
        write_arrays(path, self.facts(), **arrays)

    @classmethod
    def load(cls, path: str | Path) -> "FeatureSet":
        """Read what ``save`` wrote; ``DatasetUnavailable`` if it is of an unavailable set."""
        from ..files.store import load_arrays

        facts, arrays = load_arrays(path)
        if isinstance(facts, dict) and facts.get("status") not in (None, "ok"):
            raise DatasetUnavailable(facts.get("message") or f"{path}: no features in it")
        keys = ("name", "title", "feature", "task", "source", "simulated", "content_hash")
        try:
            chosen = {key: arrays[key] for key in ("X", *ARRAYS[facts["task"]])}
            return cls(**{key: facts[key] for key in keys}, **chosen)
        except DatasetError as error:
            raise DatasetError(f"{path}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetError(
                f"{path}: not the file of a feature set ({error}); delete it and extract again"
            ) from error

    def _expect(self, condition: bool, message: str) -> None:
        if not condition:
            raise DatasetError(f"{self.name}-{self.feature}: {message}")

    def _converted(self, key: str, value: object, dtype: type) -> np.ndarray:
        """A copy with the right type; labels must have it already."""
        array = np.asarray(value)
        if key == "X":
            self._expect(
                np.issubdtype(array.dtype, np.number) and not np.iscomplexobj(array),
                f"X must hold real numbers, got {array.dtype}",
            )
        elif key == "same":
            self._expect(array.dtype == np.bool_, f"same must be boolean, got {array.dtype}")
        else:
            self._expect(
                np.issubdtype(array.dtype, np.integer), f"{key} must be integer, got {array.dtype}"
            )
        return np.array(array, dtype=dtype, order="C")

    def _check_features(self) -> None:
        self._expect(
            self.X.ndim == 2 and min(self.X.shape) > 0,
            f"X must be images × features, neither empty, got shape {self.X.shape}",
        )
        finite = np.isfinite(self.X).all(axis=1)
        self._expect(
            bool(finite.all()),
            f"{(~finite).sum()} of {len(finite)} images have a feature that is NaN or infinite, "
            f"the first is image {int(np.argmin(finite))}",
        )

    def _check_pairs(self) -> None:
        pairs, fold, same, n = self.pairs, self.fold, self.same, len(self.X)
        assert pairs is not None and fold is not None and same is not None
        self._expect(
            pairs.ndim == 2 and pairs.shape[1:] == (2,) and len(pairs) > 0,
            f"pairs must be P × 2 with P > 0, got shape {pairs.shape}",
        )
        for key in ("same", "fold"):
            shape = getattr(self, key).shape
            self._expect(shape == (len(pairs),), f"{key} has shape {shape} for {len(pairs)} pairs")
        self._expect(
            0 <= pairs.min() and pairs.max() < n,
            f"pairs name rows {pairs.min()} … {pairs.max()}, X has rows 0 … {n - 1}",
        )
        itself = (pairs[:, 0] == pairs[:, 1]).sum()
        self._expect(itself == 0, f"{itself} pairs are an image with itself")
        used = np.unique(fold)
        self._expect(
            len(used) >= 2 and np.array_equal(used, np.arange(len(used))),
            f"folds must be numbered 0, 1, …, at least two, got {used.tolist()[:12]}",
        )
        for number in used:
            kinds = np.unique(same[fold == number])
            self._expect(len(kinds) == 2, f"fold {number} needs same and different pairs")

    def _check_persons(self) -> None:
        person, n = self.person, len(self.X)
        assert person is not None
        for key in ("person", "camera"):
            shape = getattr(self, key).shape
            self._expect(shape == (n,), f"{key} has shape {shape} for {n} images")
        persons, counts = np.unique(person, return_counts=True)
        self._expect(
            len(persons) >= 2 and counts.min() >= 2,
            f"at least 2 persons with 2 images each are needed, got {len(persons)} persons, the "
            f"fewest images {counts.min()} (person {persons[counts.argmin()]})",
        )

    def _hash(self) -> str:
        """sha256 of the identity and the arrays, little-endian."""
        digest = hashlib.sha256()
        head = [1, self.name, self.feature, self.task, self.simulated]
        digest.update(json.dumps(head).encode())
        for key in ("X", *ARRAYS[self.task]):
            array = getattr(self, key)
            digest.update(json.dumps([key, array.shape, array.dtype.kind]).encode())
            digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
        return digest.hexdigest()


def save_unavailable(path: str | Path, spec, feature: str, message: str) -> dict:
    """Write the file of an unavailable set: facts with the reason, no arrays."""
    from ..files.store import write_arrays

    facts = {
        "name": spec.name,
        "title": spec.title,
        "feature": feature,
        "task": spec.task,
        "source": "",
        "simulated": spec.simulated,
        "status": "unavailable",
        "message": message,
        "content_hash": "",
        "n_images": 0,
        "n_features": 0,
    }
    write_arrays(path, facts)
    return facts
