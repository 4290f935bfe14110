"""Any bytes at all, given to any reader: a DatasetError or a PipelineError, and nothing else.

What comes is random, random behind the right first bytes, or a real file with some bytes changed
or its end cut off. Nothing may be unpickled: a pickle that would leave a trace is among them.
"""

import bz2
import gzip
import io
import pickle
import tarfile
import zipfile

import numpy as np
import pytest
import scipy.io
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metriclearn.datasets import DatasetError, list_datasets, load_dataset, load_spec
from metriclearn.datasets.archive import extract
from metriclearn.datasets.content import to_content, verify
from metriclearn.datasets.readers import read_files
from metriclearn.files.errors import PipelineError
from metriclearn.files.store import load_arrays
from metriclearn.vision.featureset import FeatureSet
from metriclearn.vision.parsing.images import decode
from metriclearn.vision.readers import (
    attributes,
    caviar4reid,
    kissme,
    labelled_features,
    landmarks,
    lfw_pairs,
    named_images,
    pubfig_pairs,
    viper,
)

TRACE = []


class Loud:
    """Unpickling it leaves a trace."""

    def __reduce__(self):
        return TRACE.append, ("unpickled",)


def _npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _mat(**arrays):
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, arrays)
    return buffer.getvalue()


def _zip(names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, b"BM" + b"\0" * 60)
    return buffer.getvalue()


def _tar(names):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 20
            archive.addfile(info, io.BytesIO(b"\xff\xd8" + b"\0" * 18))
    return buffer.getvalue()


TEXT = b"2\t1\nAnna\t1\t2\nAnna\t1\tBert\t1\nBert\t1\t2\nBert\t2\tAnna\t3\n"
NAMES = ["VIPeR/cam_a/000_45.bmp", "VIPeR/cam_b/000_90.bmp", "0001001.jpg", "../../0001002.jpg"]
SEEDS = [
    b"",
    TEXT,
    b"# x\n#\tperson\timagenum\ta\nAnna\t1\t0.5\n",
    b"name,x1,y1\nA_0001,1,2\n",
    b"1,2,a\n3,4,b\n5,x,a\n",
    b"1 1:0.5 2:1e999\n-1 2:nan\n",
    gzip.compress(TEXT),
    bz2.compress(TEXT),
    gzip.compress(b"\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff" + b"\0" * 40),
    _zip(NAMES[:3]),
    _zip(NAMES),
    _tar(NAMES[:3]),
    _tar(NAMES),
    _npz(X=np.ones((3, 2)), person=np.arange(3)),
    _npz(facts=np.array('{"task": 1}')),
    _npz(X=np.array([Loud()], dtype=object)),
    pickle.dumps(Loud()),
    _mat(ux=np.ones((4, 6)), idxa=np.arange(3), idxb=np.arange(3)),
    _mat(X=np.ones((3, 2)), person=np.array([{"a": 1}], dtype=object)),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
]


@st.composite
def files(draw):
    """Bytes near one of the seeds."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 4))):
        if data:
            data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    return bytes(data) + draw(st.binary(max_size=40))


def table(name):
    spec = load_spec(name)

    def read(path):
        verify(to_content(read_files(dict.fromkeys(spec.files, path), spec), spec, "x"), spec, "x")

    return read


FORMATS = {load_spec(name).reader["kind"]: name for name in list_datasets(variants=True)}
READERS = {
    **{kind: table(name) for kind, name in sorted(FORMATS.items())},
    "user file": lambda path: load_dataset(str(path.with_suffix(".csv"))),
    "archive": lambda path: extract(path, path.parent / "out"),
    "lfw pairs": lambda path: lfw_pairs.read(path, n_folds=2, n_each=1),
    "pubfig pairs": lambda path: pubfig_pairs.read(path, n_folds=2, n_each=1),
    "attributes": lambda path: attributes.read(path, n_scores=1),
    "landmarks": landmarks.read,
    "images": named_images.read,
    "viper": lambda path: viper.read(path, n_persons=1),
    "caviar": lambda path: caviar4reid.read(path, n_images=1220, n_persons=72),
    "kissme pack": lambda path: kissme.read(path, n_persons=3),
    "labelled pack": lambda path: labelled_features.read(path, n_images=3, n_persons=3),
    "image": lambda path: decode(path.read_bytes(), "x"),
    "features": FeatureSet.load,
    "arrays": load_arrays,
}


@pytest.mark.parametrize("kind", READERS)
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=files())
def test_any_bytes(kind, tmp_path, data):
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    for end in ("data", "csv", "npz", "mat", "zip"):
        (work / f"file.{end}").write_bytes(data)
    end = {
        "features": "npz",
        "arrays": "npz",
        "kissme pack": "mat",
        "labelled pack": "mat",
        "images": "zip",
        "viper": "zip",
        "caviar": "zip",
    }.get(kind, "data")
    try:
        READERS[kind](work / f"file.{end}")
    except (DatasetError, PipelineError) as error:
        assert "\n" not in str(error) and len(str(error)) < 2000
    assert TRACE == []
    assert [path.name for path in tmp_path.iterdir()] == ["work"]  # nothing climbed out
