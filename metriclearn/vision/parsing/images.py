"""Images by name, from a zip or tar archive read in place, or from a folder."""

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np

from ...datasets import DatasetError
from ...datasets.archive import reading
from .opencv import opencv

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp")
MAX_IMAGE_BYTES = 16 << 20

NameOf = Callable[[PurePosixPath], str | None]
Load = Callable[[], bytes]
Entry = tuple[PurePosixPath, Load]  # a file's path inside the store, and how to read it


class ImageStore:
    """The images of an archive or a folder, under names that ``name_of`` takes from their paths.

    ``name_of`` takes the path of each image file inside the store and returns its name, or None
    for a file that is not part of the set. Names must be unique.
    """

    def __init__(self, path: str | Path, name_of: NameOf) -> None:
        self.path = Path(path)
        self._name_of = name_of
        with self._entries() as entries:
            self.names = tuple(sorted(self._named(entries)))

    def require(self, names: Collection[str], what: str) -> None:
        """``DatasetError`` if an image is missing; ``what`` describes the images in the message."""
        absent = sorted(set(names) - set(self.names))
        if absent:
            raise DatasetError(
                f"{self.path}: {len(absent)} of the {len(set(names))} images {what} are not in it, "
                f"the first is {absent[0]}; it has {len(self.names)} images; get a complete copy"
            )

    def read(self, names: Collection[str]) -> Iterator[tuple[str, np.ndarray]]:
        """(name, image) for each of ``names``, in the order of the store, BGR uint8."""
        self.require(names, "requested")
        wanted = set(names)
        with self._entries() as entries:
            for name, load in self._named(entries).items():
                if name in wanted:
                    yield name, decode(load(), f"{self.path}: {name}")

    def _entries(self) -> AbstractContextManager[list[Entry]]:
        return _in_folder(self.path) if self.path.is_dir() else _in_archive(self.path)

    def _named(self, entries: list[Entry]) -> dict[str, Load]:
        found: dict[str, Load] = {}
        for path, load in entries:
            hidden = path.name.startswith(".") or "__MACOSX" in path.parts
            if hidden or path.suffix.lower() not in ENDINGS:
                continue
            name = self._name_of(path)
            if name is None:
                continue
            if name in found:
                raise DatasetError(f"{self.path}: image {name} is in it twice; get a fresh copy")
            found[name] = load
        return found


@contextmanager
def _in_folder(root: Path) -> Iterator[list[Entry]]:
    """The files below a folder; links are not followed."""
    files = sorted(p for p in root.rglob("*") if p.is_file() and not p.is_symlink())
    yield [(PurePosixPath(p.relative_to(root).as_posix()), partial(_read_file, p)) for p in files]


@contextmanager
def _in_archive(path: Path) -> Iterator[list[Entry]]:
    """The files of an archive, which stays open in the context."""
    with reading(path) as reader:
        yield [
            (member.path, partial(reader.read, member, MAX_IMAGE_BYTES))
            for member in reader.members
        ]


def _read_file(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_IMAGE_BYTES:
            raise DatasetError(f"{path}: larger than an image should be; refused")
        return path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error


def decode(data: bytes, where: str) -> np.ndarray:
    """An encoded image as height × width × 3, BGR uint8."""
    cv2 = opencv()
    image = None
    if data:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise DatasetError(f"{where}: not an image that can be read; get a fresh copy")
    return image
