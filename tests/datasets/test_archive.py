"""Unpacking: what is asked for, inside the folder, and nothing else."""

import io
import tarfile
import zipfile

import pytest

from metriclearn.datasets import DatasetError
from metriclearn.datasets.archive import extract


def make_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def make_tar(path, *members, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, change in members:
            info = tarfile.TarInfo(name)
            data = change if isinstance(change, bytes) else b""
            info.size = len(data)
            if not isinstance(change, bytes):
                for key, value in change.items():
                    setattr(info, key, value)
            archive.addfile(info, io.BytesIO(data))
    return path


def everything(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_zip_and_tar_unpack_alike(tmp_path):
    members = {"a/one.txt": b"1", "two.txt": b"22"}
    zipped = make_zip(tmp_path / "x.zip", members)
    tarred = make_tar(tmp_path / "x.tgz", *members.items())
    for archive in (zipped, tarred):
        folder = tmp_path / archive.suffix[1:]
        extract(archive, folder)
        assert everything(folder) == ["a/one.txt", "two.txt"]
        assert (folder / "a/one.txt").read_bytes() == b"1"


def test_only_the_wanted_files_without_their_folders(tmp_path):
    archive = make_zip(tmp_path / "x.zip", {"a/b/want": b"deep", "a/want": b"yes", "other": b"no"})
    extract(archive, tmp_path / "out", only=["want"])
    assert everything(tmp_path / "out") == ["want"]
    assert (tmp_path / "out/want").read_bytes() == b"yes"  # the one nearest the top
    with pytest.raises(DatasetError, match="expected a member 'gone', it has a/b/want, a/want"):
        extract(archive, tmp_path / "out2", only=["want", "gone"])
    assert everything(tmp_path / "out2") == []


HOSTILE = ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:\\evil", "C:/evil"]


@pytest.mark.parametrize("name", HOSTILE)
def test_members_that_point_outside_are_refused(tmp_path, name):
    good = b"good"
    for archive in (
        make_zip(tmp_path / "x.zip", {"good": good, name: b"evil"}),
        make_tar(tmp_path / "x.tgz", ("good", good), (name, b"evil")),
    ):
        for only in (None, ["good"]):  # even if the hostile member is not asked for
            with pytest.raises(DatasetError, match="points outside the folder; refused"):
                extract(archive, tmp_path / "deep" / "out", only=only)
            assert everything(tmp_path / "deep") == []
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_in_a_tar_are_refused(tmp_path, kind):
    archive = make_tar(tmp_path / "x.tar", ("x", {"type": kind, "linkname": "/etc"}), mode="w")
    with pytest.raises(DatasetError, match="is a link or a device"):
        extract(archive, tmp_path / "out")


def test_symlink_in_a_zip_is_refused(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc")
    with pytest.raises(DatasetError, match="is a link or a device"):
        extract(path, tmp_path / "out")


def test_bombs_are_refused(tmp_path):
    zeros = bytes(8 << 20)
    for archive in (
        make_zip(tmp_path / "x.zip", {"a": b"1", "zeros": zeros}),
        make_tar(tmp_path / "x.tgz", ("a", b"1"), ("zeros", zeros)),
    ):
        with pytest.raises(DatasetError, match="it has more; refused"):
            extract(archive, tmp_path / "out", max_bytes=1 << 20)
    many = make_zip(tmp_path / "many.zip", {str(i): b"" for i in range(50)})
    with pytest.raises(DatasetError, match="at most 10 members"):
        extract(many, tmp_path / "out", max_members=10)
    assert everything(tmp_path / "out") == []


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path):
    path = make_zip(tmp_path / "x.zip", {"zeros": bytes(4 << 20)})
    data = bytearray(path.read_bytes())
    true = (4 << 20).to_bytes(4, "little")
    data = data.replace(true, (10).to_bytes(4, "little"))
    path.write_bytes(data)
    with pytest.raises(DatasetError):
        extract(path, tmp_path / "out", max_bytes=1 << 20)
    assert everything(tmp_path / "out") == []


@pytest.mark.parametrize("data", [b"", b"not an archive", b"PK\x03\x04" + b"junk" * 30])
def test_other_files_are_refused(tmp_path, data):
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    with pytest.raises(DatasetError, match="expected a zip or tar archive|damaged archive"):
        extract(path, tmp_path / "out")


def test_damaged_and_truncated_archives_leave_nothing(tmp_path):
    body = bytes(range(256)) * 500
    zipped = bytearray(make_zip(tmp_path / "x.zip", {"a": body}).read_bytes())
    zipped[60] ^= 0xFF
    (tmp_path / "x.zip").write_bytes(zipped)
    tarred = make_tar(tmp_path / "x.tgz", ("a", body * 20)).read_bytes()
    (tmp_path / "x.tgz").write_bytes(tarred[: len(tarred) // 2])
    for name in ("x.zip", "x.tgz"):
        with pytest.raises(DatasetError, match="archive"):
            extract(tmp_path / name, tmp_path / "out")
        assert everything(tmp_path / "out") == []
