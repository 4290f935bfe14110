"""What the data tests share: an isolated cache, a toy data set and a server on loopback."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from metriclearn.datasets._content import content_hash
from metriclearn.datasets._download import DownloadOptions
from metriclearn.datasets._spec import DatasetSpec, spec_from_dict

MIRROR = os.environ.get("METRICLEARN_MIRROR")  # before the isolation below removes it

TOY_TEXT = b"1,2,0.5,a\n4,5,0.25,b\n7,8,1e-3,a\n10,11,-3,c\n"
TOY_X = np.array([[1, 2, 0.5], [4, 5, 0.25], [7, 8, 1e-3], [10, 11, -3]])
TOY_Y = np.array([0, 1, 0, 2])
TOY_HASH = content_hash(TOY_X, TOY_Y, ["a", "b", "c"])

Answer = Callable[["Handler", int], None]


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the user's cache or mirror, or reaches beyond loopback."""
    monkeypatch.setenv("METRICLEARN_CACHE", str(tmp_path / "cache"))
    for name in ("METRICLEARN_MIRROR", "METRICLEARN_DATA", "METRICLEARN_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    connect = socket.socket.connect

    def loopback_only(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            assert address[0] in ("127.0.0.1", "::1", "localhost"), f"network used: {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", loopback_only)


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mirror folder the tests were started with."""
    if not MIRROR:
        pytest.skip("METRICLEARN_MIRROR is not set: no mirror to compare with")
    path = Path(MIRROR).resolve()
    monkeypatch.setenv("METRICLEARN_MIRROR", str(path))
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


class Handler(BaseHTTPRequestHandler):
    """Answers as scripted: bytes are served with Range support, functions do what they like."""

    protocol_version = "HTTP/1.1"
    server: "Loopback"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        with self.server.lock:
            self.server.seen.append((path, dict(self.headers)))
            count = sum(1 for p, _ in self.server.seen if p == path)
        answer = self.server.routes.get(path)
        try:
            if answer is None:
                self.reply(404, b"not here")
            elif isinstance(answer, bytes):
                self.reply_file(answer)
            else:
                answer(self, count)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_HEAD = do_GET

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def reply_file(self, body: bytes, etag: str = '"v1"') -> None:
        """A file as a good server gives it: ETag, Range and If-Range honoured."""
        wanted = self.headers.get("Range", "")
        if wanted and self.headers.get("If-Range") == etag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            rest = body[start:]
            where = f"bytes {start}-{len(body) - 1}/{len(body)}"
            self.reply(206, rest, ETag=etag, Content_Range=where)
        else:
            self.reply(200, body, ETag=etag)

    def reply_cut(self, body: bytes, keep: int, etag: str | None = '"v1"') -> None:
        """Promise the whole body, send ``keep`` bytes, hang up."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(body[:keep])
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


class Loopback(ThreadingHTTPServer):
    """A scripted server; ``release`` frees handlers that hang on purpose."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.routes: dict[str, bytes | Answer] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.lock = threading.Lock()
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def count(self, path: str) -> int:
        return sum(1 for seen, _ in self.seen if seen == path)


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    thread = threading.Thread(target=loopback.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield loopback
    loopback.release.set()
    loopback.shutdown()
    loopback.server_close()
    thread.join(5)


@dataclass
class Patience:
    """Download options that never sleep, and the pauses that were asked for."""

    pauses: list[float] = field(default_factory=list)

    def options(self, **changes: object) -> DownloadOptions:
        settings = {"connect_timeout": 2.0, "read_timeout": 2.0, "sleep": self.pauses.append}
        return DownloadOptions(**{**settings, **changes})


@pytest.fixture
def patience() -> Patience:
    return Patience()


def make_toy(**changes: object) -> DatasetSpec:
    facts = {
        "name": "toy",
        "title": "Toy",
        "group": "uci",
        "n_samples": 4,
        "n_features": 3,
        "classes": ["a", "b", "c"],
        "class_counts": [2, 1, 1],
        "content_hash": TOY_HASH,
        "folder": "toy",
        "files": ["toy.data"],
        "reader": {"kind": "delimited"},
        "page": "https://example.org/toy",
        "donors": "nobody",
        "licence": "CC0",
        "citation": "none",
    }
    return spec_from_dict({**facts, **changes}, "toy.yaml")


@pytest.fixture
def toy() -> Callable[..., DatasetSpec]:
    """Makes the spec of a data set of four rows, with changes."""
    return make_toy


@pytest.fixture
def toy_text() -> bytes:
    """The file of the toy data set."""
    return TOY_TEXT
