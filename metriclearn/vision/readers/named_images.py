"""Images in a zip or tar archive or a folder, named by their file name without its ending."""

from pathlib import Path

from ..filedata import FileData
from ..parsing.images import ImageStore


def read(path: str | Path, names: tuple[str, ...] | None = None) -> FileData:
    """The images, all of ``names`` among them."""
    store = ImageStore(path, lambda member: member.stem)
    if names is None:
        return FileData(names=store.names, images=store)
    store.require(names, "that the pairs name")
    return FileData(images=store)
