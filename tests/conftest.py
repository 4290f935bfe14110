"""What several parts share: isolation, the mirror, a server on loopback, files, a small clone.

In the clone, which has its own data, real workflows run in seconds.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

MIRROR = os.environ.get("METRICLEARN_MIRROR")  # before the isolation below removes it
ROOT = Path(__file__).resolve().parents[1]

TINY = """\
# @package _global_
defaults:
  - override /tuning: none
  - override /matching: quick
experiment:
  name: tiny
  datasets: [./toy.csv]
  methods: [euclidean, pcml, patient]
  repeats_per_job: 1
  tables:
    table3: {kind: errors, group: own, paper: null}
    faces:
      kind: matching
      images: tiny_faces
      features: [attribute]
      methods: [kissme, pcml]
      preprocess: [whiten]
      measures: [accuracy]
  figures:
    faces_roc: {kind: curves, table: faces}
protocol: {repeats: 2, folds: 3, timeout: null}
"""

# Without faces and with one repetition, for tests that need many runs.
SMALL = """\
# @package _global_
defaults:
  - override /tuning: none
experiment:
  name: small
  datasets: [./toy.csv]
  methods: [euclidean, patient]
  tables:
    table3: {kind: errors, group: own, paper: null}
protocol: {repeats: 1, folds: 3, timeout: null}
"""

FACES = """\
name: tiny_faces
title: Tiny simulated faces
task: verification
features: {attribute: {pca: 4}}
simulate: {n_folds: 3, n_each: 30, n_features: 6, persons_per_fold: 4, images_per_person: 20}
"""

# Identity, but it stops for ever in the middle of a job while a file named "block" is there.
PATIENT = """\
import signal
import time
from pathlib import Path

import numpy as np
from metriclearn.estimators.base import MetricLearner


class Patient(MetricLearner):
    def fit(self, X, y):
        if Path("block").exists():
            print("patient waits", flush=True)
            while True:  # not signal.pause(), which misses a signal that comes just before it
                time.sleep(0.1)
        self.n_features_in_ = X.shape[1]
        self.components_ = np.eye(X.shape[1])
        return self
"""

PATIENT_YAML = """\
name: patient
title: Patient
estimator: metriclearn.estimators.patient.Patient
tune: {}
"""


def write_csv(path, n=30, seed=0):
    """Two classes in three features, the label last."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        values = rng.normal(size=3) + 2.0 * (i % 2)
        lines.append(",".join(f"{value:.4f}" for value in values) + f",{'ab'[i % 2]}")
    Path(path).write_text("\n".join(lines) + "\n")
    return str(path)


def make_clone(folder):
    for name in ("conf", "metriclearn", "profiles", "rules"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("Snakefile", "environment.yml"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / "data").mkdir()
    (folder / "conf/experiment/tiny.yaml").write_text(TINY)
    (folder / "conf/experiment/small.yaml").write_text(SMALL)
    (folder / "conf/images/tiny_faces.yaml").write_text(FACES)
    (folder / "conf/method/patient.yaml").write_text(PATIENT_YAML)
    (folder / "metriclearn/estimators/patient.py").write_text(PATIENT)
    write_csv(folder / "toy.csv")
    return folder


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith("METRICLEARN_")}
    return {**env, "METRICLEARN_OFFLINE": "1"}


def command(*arguments):
    return [sys.executable, "-m", "snakemake", *arguments]


def snakemake(folder, *arguments, experiment="tiny"):
    """Run the workflow of a clone; returns the finished process with its text."""
    config = ["--config", f"experiment={experiment}"] if "--config" not in arguments else []
    return subprocess.run(
        command(*arguments, *config),
        cwd=folder,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def module(folder, name, *arguments):
    """Run ``python -m metriclearn.<name>``."""
    return subprocess.run(
        [sys.executable, "-m", "metriclearn", name, *arguments],
        cwd=folder,
        text=True,
        env={**environment(), "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )


def job_counts(text):
    """{rule: count} of the table of jobs that snakemake prints."""
    _, found, rest = text.partition("Job stats:")
    if not found:
        return {}
    lines = rest.strip().splitlines()[2:]
    counts = {}
    for line in lines:
        words = line.split()
        if len(words) != 2 or not words[1].isdigit():
            break
        counts[words[0]] = int(words[1])
    counts.pop("total", None)
    return counts


@pytest.fixture(scope="session")
def kit():
    """The functions above, for the tests."""
    return SimpleNamespace(
        root=ROOT,
        write_csv=write_csv,
        make_clone=make_clone,
        environment=environment,
        command=command,
        snakemake=snakemake,
        module=module,
        job_counts=job_counts,
    )


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A clone in which the tiny experiment has run on two cores."""
    folder = make_clone(tmp_path_factory.mktemp("finished"))
    done = snakemake(folder, "--cores", "2")
    assert done.returncode == 0, done.stdout
    return folder, done.stdout


@pytest.fixture(autouse=True)
def isolated(tmp_path, monkeypatch):
    """No test sees the user's cache or mirror, or reaches beyond loopback."""
    monkeypatch.setenv("METRICLEARN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METRICLEARN_OFFLINE", "1")
    for name in ("METRICLEARN_MIRROR", "METRICLEARN_DATA"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    connect = socket.socket.connect

    def loopback_only(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            assert address[0] in ("127.0.0.1", "::1", "localhost"), f"network used: {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", loopback_only)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The cache folder of the test."""
    return tmp_path / "cache"


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


Answer = Callable[["Handler", int], None]


class Handler(BaseHTTPRequestHandler):
    """Answers as scripted: bytes are served as a file, functions do what they like."""

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

    def reply_file(self, body: bytes) -> None:
        """A file as a good server gives it."""
        self.reply(200, body, ETag='"v1"')

    def reply_cut(self, body: bytes, keep: int) -> None:
        """Promise the whole body, send ``keep`` bytes, hang up."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
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

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is expected; anything else is printed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

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
