"""Getting the files of an image set: each from the cache, the mirror or its public download."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ..datasets import DatasetUnavailable
from ..datasets.download import DownloadOptions
from ..datasets.fetch import SOURCES, FetchSpec, fetch
from .spec import ImageSpec

T = TypeVar("T")


def obtain(
    spec: ImageSpec,
    role: str,
    read: Callable[[Path], T],
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
) -> T | None:
    """What ``read`` makes of the file with this role; None for an optional file nobody has.

    ``read`` is given the path and raises ``DatasetError`` for a file that is not what it should
    be. ``source`` restricts the search to ``cache``, ``mirror`` or ``public``.
    """
    file = spec.files[role]
    wanted = FetchSpec(
        name=f"{spec.name} ({role})",
        folder=spec.folder,
        files=(file.name,),
        page=file.page,
        public=file.locations,
        # Bytes are pinned where they come from elsewhere in one version only.
        sha256={file.name: file.sha256} if file.sha256 else {},
        also=file.also,
        check=file.check,
    )

    def read_file(paths):
        return read(paths[file.name])

    sources = SOURCES if source is None else (source,)
    try:
        fetched = fetch(wanted, read_file, sources=sources, options=options)
    except DatasetUnavailable as error:
        if file.optional and error.absent:
            return None
        raise
    if fetched.source == "public":  # it has moved to the cache since it was read
        fetched = fetch(wanted, read_file, sources=("cache",))
    return fetched.value
