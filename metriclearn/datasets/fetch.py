"""Get the files of a data set from the cache, the mirror or the public download.

``fetch`` knows nothing about tables: it takes file names, locations and a ``read`` function that
turns paths into a value or raises ``DatasetError``, so it also serves image sets. Downloaded files
stay in ``<cache>/<folder>/.incoming`` until ``read`` accepts them; only then do they get the names
under which the cache is read.
"""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote, urlsplit

from ..files import resources
from ..files.atomic import move_into_place, one_writer
from .archive import extract, remove_folder
from .download import DownloadOptions, download, print_status
from .errors import DatasetError, DatasetUnavailable
from .spec import Location

T = TypeVar("T")
Read = Callable[[Mapping[str, Path]], T]
SOURCES = ("cache", "mirror", "public")
NETWORK = ("public", "openml")
INCOMING = ".incoming"


@dataclass(frozen=True)
class FetchSpec:
    """What to get and from where."""

    name: str
    folder: str
    files: tuple[str, ...]
    page: str
    public: tuple[Location, ...] = ()
    sha256: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = 4 << 30  # for one file or one unpacked archive
    also: tuple[str, ...] = ()  # files or folders accepted in place of files[0]
    check: str = ""  # what ``read`` expects, for a user who gets the files by hand


@dataclass(frozen=True)
class Fetched(Generic[T]):
    """The value that ``read`` returned, and the source of the files."""

    value: T
    source: str


class NotHere(DatasetError):
    """A source does not have the files; the next one may."""


def fetch(
    spec: FetchSpec,
    read: Read[T],
    *,
    sources: Sequence[str] = SOURCES,
    cache: Path | None = None,
    mirror: Path | None = None,
    options: DownloadOptions | None = None,
    further: Mapping[str, Callable[[], T]] | None = None,
    quiet: bool = False,
) -> Fetched[T]:
    """Try the sources in order; ``further`` adds sources to the three built-in ones."""
    cache = cache or resources.cache_dir()
    mirror = mirror or resources.mirror_dir()
    ways: dict[str, Callable[[], T]] = {
        "cache": lambda: _from_cache(spec, read, cache),
        "mirror": lambda: _from_mirror(spec, read, mirror),
        "public": lambda: _from_public(
            spec, read, cache, options or DownloadOptions(), recheck="cache" in sources
        ),
        **(further or {}),
    }
    if unknown := [source for source in sources if source not in ways]:
        raise DatasetError(f"unknown source {unknown[0]!r}; sources are {', '.join(ways)}")
    reasons, absent = [], True
    for source in sources:
        try:
            if source in NETWORK and resources.offline():
                raise NotHere(f"not tried, {resources.OFFLINE_VARIABLE} is set")
            return Fetched(ways[source](), source)
        except NotHere as error:
            if str(error):  # a source that does not apply is not mentioned
                reasons.append(f"{source}: {error}")
        except DatasetError as error:
            absent = False
            reasons.append(f"{source}: {error}")
            if not quiet:
                print_status(f"{spec.name}: {reasons[-1]}")
    raise _unavailable(spec, cache, reasons, absent)


def _unavailable(
    spec: FetchSpec, cache: Path, reasons: Sequence[str], absent: bool
) -> DatasetUnavailable:
    """The error, with instructions to get the data set by hand."""
    place = cache / spec.folder
    files = " or ".join([", ".join(spec.files), *spec.also])
    check = f"; it must hold {spec.check}" if spec.check else ""
    return DatasetUnavailable(
        f"data set {spec.name} is unavailable ({'; '.join(reasons)}); download it from "
        f"{spec.page}, put {files} into {resources.shown(place)}/ and run again{check}",
        absent=absent,
    )


def _checked(paths: Mapping[str, Path], spec: FetchSpec, read: Read[T]) -> T:
    """Compare the sha256 of files that have one configured, then read."""
    for name, expected in spec.sha256.items():
        try:
            with open(paths[name], "rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise DatasetError(f"{paths[name]}: cannot be read: {error.strerror}") from error
        if found != expected:
            raise DatasetError(
                f"{paths[name]}: sha256 {found[:12]}…, expected {expected[:12]}…; get a fresh copy"
            )
    return read(paths)


def _paths(folder: Path, spec: FetchSpec) -> dict[str, Path]:
    paths = {name: folder / name for name in spec.files}
    first = spec.files[0]
    if not paths[first].is_file():
        there = [folder / name for name in spec.also if (folder / name).exists()]
        if there:
            return {**paths, first: there[0]}
    if absent := [path for path in paths.values() if not path.is_file()]:
        raise NotHere(f"no {resources.shown(absent[0])}")
    return paths


def _from_cache(spec: FetchSpec, read: Read[T], cache: Path) -> T:
    paths = _paths(cache / spec.folder, spec)
    try:
        return _checked(paths, spec, read)
    except DatasetError as error:
        for path in paths.values():  # kept for inspection, no longer read
            if path.exists():
                path.replace(path.with_name(path.name + ".rejected"))
        raise DatasetError(f"{error} (set aside as *.rejected)") from error


def _from_mirror(spec: FetchSpec, read: Read[T], mirror: Path | None) -> T:
    if mirror is None:
        raise NotHere(f"{resources.MIRROR_VARIABLE} is not set")
    return _checked(_paths(mirror / spec.folder, spec), spec, read)


def _from_public(
    spec: FetchSpec, read: Read[T], cache: Path, options: DownloadOptions, recheck: bool
) -> T:
    if not spec.public:
        raise NotHere("no public download is known")
    folder = cache / spec.folder
    try:
        with one_writer(folder):
            if recheck:  # another process may have fetched it while this one waited for the lock
                try:
                    return _from_cache(spec, read, cache)
                except DatasetError:
                    pass
            reasons = []
            for location in spec.public:
                try:
                    return _from_location(spec, read, folder, location, options)
                except DatasetError as error:
                    reasons.append(str(error))
            raise DatasetError("; ".join(reasons))
    except OSError as error:
        raise DatasetError(
            f"{folder}: cannot write ({error.strerror or error}); free space or set "
            f"{resources.CACHE_VARIABLE} to another folder"
        ) from error


def _from_location(
    spec: FetchSpec, read: Read[T], folder: Path, location: Location, options: DownloadOptions
) -> T:
    incoming = folder / INCOMING
    remove_folder(incoming)  # a run that was killed may have left it
    try:
        paths = _collect(spec, incoming, location, options)
        try:
            value = _checked(paths, spec, read)
        except DatasetError as error:
            text = str(error).replace(f"{incoming}{os.sep}", "")
            raise DatasetError(f"{location.url}: wrong content: {text}") from error
        for name, path in paths.items():
            move_into_place(path, folder / name)
        return value
    finally:
        remove_folder(incoming)


def _collect(
    spec: FetchSpec, incoming: Path, location: Location, options: DownloadOptions
) -> dict[str, Path]:
    incoming.mkdir(parents=True, exist_ok=True)
    if location.kind == "archive":
        archive = incoming / (Path(urlsplit(location.url).path).name + ".archive")
        download(location.url, archive, options)
        extract(archive, incoming, only=spec.files, max_bytes=spec.max_bytes)
    elif location.kind == "file":
        download(location.url, incoming / spec.files[0], options)
    else:
        for name in spec.files:
            download(location.url.rstrip("/") + "/" + quote(name), incoming / name, options)
    return {name: incoming / name for name in spec.files}
