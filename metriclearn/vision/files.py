"""The files of a feature: fetched, read and checked, before anything is computed from images."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from ..datasets import DatasetError, DatasetUnavailable
from ..datasets.download import DownloadOptions
from ..datasets.fetch import SOURCES, FetchSpec, fetch
from .filedata import FileData
from .registry import READERS, check_call, load_module
from .spec import ImageSpec, load_image_spec

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class FeatureFiles:
    """What the files of a feature hold together."""

    data: FileData
    inputs: Mapping[str, Mapping[str, Any] | None]  # role -> data by image; None: file missing
    source: str  # the file with the images or the features


def fetch_features(
    name: str,
    feature: str | None = None,
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
) -> None:
    """Make the files of a feature available and check them; nothing is extracted."""
    spec = load_image_spec(name)
    if spec.simulated:
        return
    for part in spec.combines(spec.feature(feature)):
        read_files(spec, part, source=source, options=options)


def read_files(
    spec: ImageSpec,
    feature: str,
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
) -> FeatureFiles:
    """Read the files of a feature in order; ``DatasetUnavailable`` if one is unavailable."""
    if (parts := spec.combines(feature)) != (feature,):
        raise DatasetError(
            f"{feature} of {spec.name} combines the scores of {' and '.join(parts)} and has no "
            "features of its own; extract these"
        )
    merged, origin = FileData(), ""
    inputs: dict[str, Mapping[str, Any] | None] = {}
    for role in spec.roles(feature):
        found = read_file(spec, role, merged.names, source=source, options=options)
        if found is None:
            inputs[role] = None
            continue
        if found.by_image is not None:
            inputs[role] = found.by_image
        if found.images is not None:
            origin = found.images.path.name
        if found.X is not None:
            origin = ", ".join(filter(None, [spec.files[role].name, found.note]))
        values = {field.name: getattr(found, field.name) for field in fields(found)}
        merged = replace(merged, **{key: v for key, v in values.items() if v is not None})
    where = f"conf/images/{spec.name}.yaml: feature {feature}"
    if merged.X is None and (merged.images is None or spec.extractor(feature) is None):
        raise DatasetError(
            f"{where}: its files hold no features; add a file with images and name an extractor"
        )
    if merged.X is not None and spec.extractor(feature) is not None:
        raise DatasetError(f"{where}: its files hold the features, it needs no extractor")
    return FeatureFiles(merged, inputs, origin)


def read_file(
    spec: ImageSpec,
    role: str,
    names: tuple[str, ...] | None = None,
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
) -> FileData | None:
    """The content of one file; None for an optional file that no source has."""
    settings = dict(spec.files[role].reader)
    kind = settings.pop("kind")
    read = load_module(READERS, kind).read
    where = f"conf/images/{spec.name}.yaml: files: {role}: reader {kind}"
    check_call(read, where, Path(), names, **settings)
    return obtain(
        spec, role, lambda path: read(path, names, **settings), source=source, options=options
    )


def obtain(
    spec: ImageSpec,
    role: str,
    read: Callable[[Path], T],
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
) -> T | None:
    """The result of ``read`` for the file with this role, from the first source that has it.

    None for an optional file that no source has. ``read`` takes the path and raises
    ``DatasetError`` for a file with wrong content. ``source`` restricts the search to ``cache``,
    ``mirror`` or ``public``.
    """
    file = spec.files[role]
    wanted = FetchSpec(
        name=f"{spec.name} ({role})",
        folder=spec.folder,
        files=(file.name,),
        page=file.page,
        public=file.locations,
        sha256={file.name: file.sha256} if file.sha256 else {},
        also=file.also,
        check=file.check,
    )

    def read_path(paths: Mapping[str, Path]) -> T:
        return read(paths[file.name])

    sources = SOURCES if source is None else (source,)
    try:
        fetched = fetch(wanted, read_path, sources=sources, options=options)
    except DatasetUnavailable as error:
        if file.optional and error.absent:
            return None
        raise
    if fetched.source == "public":  # the file was moved to the cache after it was read
        fetched = fetch(wanted, read_path, sources=("cache",))
    return fetched.value
