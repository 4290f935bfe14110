"""Atomic writes (a file is either complete or absent) and a lock for one writer at a time."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: no lock; content checks still detect a mixed-up file
    fcntl = None  # type: ignore[assignment]


def sync(path: Path) -> None:
    """Flush a file or folder to the disk, so that a rename after it survives a crash."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # folders cannot be opened on Windows
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def move_into_place(finished: Path, target: Path) -> None:
    """Rename a finished file to its final name in one step."""
    sync(finished)
    os.replace(finished, target)
    sync(target.parent)


def write_atomically(target: Path, data: bytes) -> None:
    """Write ``data`` under a temporary name beside ``target``, then rename."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)  # mkstemp makes private files; a cache may be shared by a group
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        move_into_place(Path(name), target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the operating system releases it if the process dies."""
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    with open(folder / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
