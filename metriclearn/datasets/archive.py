"""Reading untrusted zip and tar archives.

``extract`` unpacks, ``reading`` reads members in place. An archive is refused as a whole if it has
members with absolute paths or ``..``, links, devices, or more members or unpacked bytes than
expected. Sizes are counted while unpacking, since the sizes stated in an archive are untrusted.
"""

import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from .errors import DatasetError

CHUNK = 1 << 20
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError)


@dataclass(frozen=True)
class Member:
    """One regular file inside an archive."""

    path: PurePosixPath
    handle: object  # zipfile.ZipInfo or tarfile.TarInfo


def extract(
    archive: Path,
    folder: Path,
    *,
    only: Collection[str] | None = None,
    max_bytes: int = 4 << 30,
    max_members: int = 100_000,
) -> list[Path]:
    """Unpack into ``folder`` and return the paths.

    With ``only`` (file names without folders) just these are unpacked, directly into ``folder``;
    it is an error if one of them is missing. On any error the written files are removed.
    """
    written: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with _damage_reported(archive), _opened(archive) as opened:
            members = _members(archive, opened, max_members, max_bytes)
            left = max_bytes
            for member, target in _targets(archive, members, only, folder):
                target.parent.mkdir(parents=True, exist_ok=True)
                written.append(target)
                left -= _copy(archive, opened, member, target, left)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written


@dataclass(frozen=True)
class Reader:
    """An open archive whose members have all been checked."""

    archive: Path
    opened: zipfile.ZipFile | tarfile.TarFile
    members: list[Member]

    def read(self, member: Member, max_bytes: int = 64 << 20) -> bytes:
        """The bytes of one member, which must not be more than ``max_bytes``."""
        with _stream(self.opened, member) as source:
            data = source.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise _too_large(self.archive, member)
        return data


@contextmanager
def reading(
    archive: Path, *, max_bytes: int = 4 << 30, max_members: int = 100_000
) -> Iterator[Reader]:
    """Read members in place, with the checks of ``extract``; damage is a ``DatasetError``."""
    with _damage_reported(archive), _opened(archive) as opened:
        yield Reader(archive, opened, _members(archive, opened, max_members, max_bytes))


@contextmanager
def _damage_reported(archive: Path) -> Iterator[None]:
    try:
        yield
    except (*DAMAGED, RuntimeError, NotImplementedError, UnicodeError) as error:
        raise DatasetError(f"{archive}: damaged archive ({error}); get a fresh copy") from error


@contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            yield opened
        return
    try:
        tar = tarfile.open(archive)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise DatasetError(f"{archive}: expected a zip or tar archive") from error
    with tar:
        yield tar


def _members(
    archive: Path, opened: zipfile.ZipFile | tarfile.TarFile, max_members: int, max_bytes: int
) -> list[Member]:
    """The regular files, after a check of every member (wanted or not)."""
    infos: list = []
    total = 0
    for info in opened.infolist() if isinstance(opened, zipfile.ZipFile) else opened:
        infos.append(info)
        # Check the stated size at once: reading on would decompress an oversized tar.
        total += info.file_size if isinstance(info, zipfile.ZipInfo) else info.size
        if len(infos) > max_members or total > max_bytes:
            raise DatasetError(
                f"{archive}: expected at most {max_members:,} members and {max_bytes:,} bytes "
                "unpacked, it has more; refused"
            )
    found = []
    for info in infos:
        is_zip = isinstance(info, zipfile.ZipInfo)
        name = info.filename if is_zip else info.name
        if is_zip:
            mode = info.external_attr >> 16
            is_folder = info.is_dir()
            is_file = not is_folder and (stat.S_IFMT(mode) in (0, stat.S_IFREG))
        else:
            is_folder, is_file = info.isdir(), info.isreg()
        path = PurePosixPath(name.replace("\\", "/"))
        outside = path.is_absolute() or ".." in path.parts or "\0" in name
        if outside or not path.parts or ":" in path.parts[0]:
            raise DatasetError(
                f"{archive}: member {name!r} points outside the folder; refused, do not use it"
            )
        if is_file:
            found.append(Member(path, info))
        elif not is_folder:
            raise DatasetError(
                f"{archive}: member {name!r} is a link or a device, only files are unpacked; "
                "refused, do not use it"
            )
    return found


def _targets(
    archive: Path, members: list[Member], only: Collection[str] | None, folder: Path
) -> list[tuple[Member, Path]]:
    if only is None:
        return [(member, folder / member.path) for member in members]
    chosen = []
    for name in only:
        same = sorted(
            (m for m in members if m.path.name == name), key=lambda m: (len(m.path.parts), m.path)
        )
        if not same:
            there = ", ".join(str(m.path) for m in members[:8])
            raise DatasetError(f"{archive}: expected a member {name!r}, it has {there or 'none'}")
        chosen.append((same[0], folder / name))
    return chosen


def _copy(
    archive: Path,
    opened: zipfile.ZipFile | tarfile.TarFile,
    member: Member,
    target: Path,
    left: int,
) -> int:
    size = 0
    with _stream(opened, member) as source, open(target, "wb") as out:
        while chunk := source.read(CHUNK):
            size += len(chunk)
            if size > left:
                raise _too_large(archive, member)
            out.write(chunk)
    return size


def _stream(opened: zipfile.ZipFile | tarfile.TarFile, member: Member) -> IO[bytes]:
    if isinstance(opened, zipfile.ZipFile):
        return opened.open(member.handle)  # type: ignore[arg-type]
    return opened.extractfile(member.handle)  # type: ignore[arg-type,return-value]


def _too_large(archive: Path, member: Member) -> DatasetError:
    return DatasetError(f"{archive}: unpacks to more bytes than expected ({member.path}); refused")


def remove_folder(folder: Path) -> None:
    """Delete a folder of temporary files, if it exists."""
    shutil.rmtree(folder, ignore_errors=True)
