"""What the vision tests share: an isolated cache, and small files in the published formats."""

import io
import os
import socket
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

MIRROR = os.environ.get("METRICLEARN_MIRROR")  # before the isolation below removes it


@pytest.fixture(autouse=True)
def isolated(tmp_path, monkeypatch):
    """No test sees the user's cache or mirror, or reaches the network."""
    monkeypatch.setenv("METRICLEARN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METRICLEARN_OFFLINE", "1")
    for name in ("METRICLEARN_MIRROR", "METRICLEARN_DATA"):
        monkeypatch.delenv(name, raising=False)

    connect = socket.socket.connect

    def refuse(self, address):
        assert self.family not in (socket.AF_INET, socket.AF_INET6), f"network used: {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def mirror(monkeypatch):
    """The mirror folder the tests were started with."""
    if not MIRROR:
        pytest.skip("METRICLEARN_MIRROR is not set: no mirror to compare with")
    path = Path(MIRROR).resolve()
    monkeypatch.setenv("METRICLEARN_MIRROR", str(path))
    return path


@pytest.fixture
def put(tmp_path):
    """Writes a text or bytes file and gives its path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def picture():
    """Makes an encoded image of random blobs."""
    cv2 = pytest.importorskip("cv2")

    def encoded(seed=0, width=48, height=128, ending=".png"):
        noise = np.random.default_rng(seed).uniform(0, 255, size=(height, width, 3))
        smooth = cv2.GaussianBlur(noise, (0, 0), 4)
        image = cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
        return cv2.imencode(ending, image)[1].tobytes()

    return encoded


@pytest.fixture
def pack(tmp_path):
    """Packs {member: bytes} into a folder, a zip, a tar or a tgz, and gives the path."""

    def write(name, members):
        path = tmp_path / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w") as archive:
                for member, data in members.items():
                    archive.writestr(member, data)
        elif name.endswith((".tar", ".tgz")):
            with tarfile.open(path, "w:gz" if name.endswith(".tgz") else "w") as archive:
                for member, data in members.items():
                    info = tarfile.TarInfo(member)
                    info.size = len(data)
                    archive.addfile(info, io.BytesIO(data))
        else:
            for member, data in members.items():
                target = path / member
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        return path

    return write
