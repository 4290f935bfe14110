"""Readers: one content from every format, and a clear refusal of anything else."""

import bz2
import gzip
import lzma
import struct
import time
import tracemalloc

import numpy as np
import pytest

from metriclearn.datasets import DatasetError, load_spec
from metriclearn.datasets.arff import read_arff
from metriclearn.datasets.content import to_content, verify
from metriclearn.datasets.readers import read_files, read_shipped
from metriclearn.datasets.text import read_bounded


def read(spec, folder, **files):
    """Write files (name with _ for .) and read them with the spec's reader."""
    paths = {}
    for name, data in zip(spec.files, files.values(), strict=True):
        paths[name] = folder / name
        paths[name].write_bytes(data)
    return read_files(paths, spec)


FORMATS = {
    "csv": ({"kind": "delimited"}, b"1,2,0.5,a\n4,5,0.25,b\n7,8,1e-3,a\n10,11,-3,c\n"),
    "csv crlf and blanks": (
        {"kind": "delimited"},
        b"\xef\xbb\xbf1, 2, 0.50, a\r\n 4,5,.25,b\r\n\r\n7,8,0.001,a\r\n10,11,-3.0,c\r\n\r\n",
    ),
    "label first, name dropped, heading": (
        {"kind": "delimited", "label": 0, "drop": [2], "skip_lines": 1},
        b"class,u,name,v,w\na,1,r1,2,0.5\nb,4,r2,5,0.25\na,7,r3,8,0.001\nc,10,r4,11,-3\n",
    ),
    "blanks": (
        {"kind": "delimited", "delimiter": " "},
        b" 1.0  2.0 0.5 a\n4 5 0.25 b\n7 8 0.001 a\n10 11 -3 c\n",
    ),
    "svmlight": (
        {"kind": "svmlight", "labels": {"1": "a", "2": "b", "3": "c"}},
        b"1 1:1 2:2 3:0.5\n2 1:4 2:5 3:0.25\n1 1:7 2:8 3:0.001\n3 1:10 2:11 3:-3\n",
    ),
    "one hot": (
        {"kind": "one_hot"},
        b"1 2 0.5 1 0 0 \r\n4 5 0.25 0 1 0 \r\n7 8 0.001 1 0 0\r\n10 11 -3 0 0 1\r\n",
    ),
}


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_same_content(toy, tmp_path, form, squeeze):
    reader, data = FORMATS[form]
    spec = toy(reader=reader)
    table = read(spec, tmp_path, file=squeeze(data))
    verify(to_content(table, spec, "here"), spec, "here")


def test_arff_has_the_same_content(toy, tmp_path):
    text = """% comment
@RELATION toy
@ATTRIBUTE 'first one' REAL
@ATTRIBUTE second numeric
@attribute third real
@attribute class {'a', 'b', 'c'}

@DATA
1,2,0.5,'a'
% comment
4,5,0.25,b
7,8,1e-3,a
10,11,-3,c
"""
    (tmp_path / "toy.arff").write_text(text)
    columns, table = read_arff(tmp_path / "toy.arff", "class", 10_000)
    assert columns == ["first one", "second", "third"]
    spec = toy()
    verify(to_content(table, spec, "here"), spec, "here")


def test_xls_of_the_original_layout(toy, tmp_path, monkeypatch):
    """Sheet, heading, sums below the table: through a stand-in for xlrd's workbook."""
    rows = [
        ["", "", "", "", ""],
        ["no", "u", "v", "w", "CLASS"],
        [1.0, 1.0, 2.0, 0.5, "a"],
        [2.0, 4.0, 5.0, 0.25, "b "],
        [3.0, 7.0, 8.0, 0.001, "a"],
        [4.0, 10.0, 11.0, -3.0, "c"],
        ["", "", "", "", ""],
        ["", 22.0, 26.0, "", ""],
    ]

    class Sheet:
        nrows = len(rows)
        row_values = staticmethod(lambda i: rows[i])

    class Book:
        sheet_by_name = staticmethod({"Data": Sheet()}.__getitem__)

    xlrd = pytest.importorskip("xlrd", reason="xlrd, which reads .xls, is not installed")
    monkeypatch.setattr(xlrd, "open_workbook", lambda **_: Book())
    options = {"kind": "xls", "sheet": "Data", "heading": 1, "first": "u", "last": "w"}
    spec = toy(reader={**options, "label": "CLASS"})
    table = read(spec, tmp_path, file=b"stand-in")
    verify(to_content(table, spec, "here"), spec, "here")
    with pytest.raises(DatasetError, match="expected columns 'u' … 'nowhere' and 'CLASS' in row 2"):
        read(toy(reader={**options, "label": "CLASS", "last": "nowhere"}), tmp_path, file=b"")
    rows[3][2] = "five"
    with pytest.raises(DatasetError, match="row 4: expected numbers, got 'five'"):
        read(spec, tmp_path, file=b"stand-in")


def idx(*shape: int, body: bytes) -> bytes:
    return struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape) + body


@pytest.fixture
def images(toy):
    return toy(
        n_samples=3,
        n_features=4,
        classes=["0", "1"],
        class_counts=[2, 1],
        files=["a-images", "a-labels", "b-images", "b-labels"],
        reader={"kind": "idx"},
    )


def test_idx_joins_train_and_test(images, tmp_path):
    table = read(
        images,
        tmp_path,
        a=gzip.compress(idx(2, 2, 2, body=bytes(range(8)))),
        b=idx(2, body=b"\x00\x01"),
        c=idx(1, 2, 2, body=bytes([255, 0, 0, 9])),
        d=idx(1, body=b"\x00"),
    )
    np.testing.assert_array_equal(table.X, [[0, 1, 2, 3], [4, 5, 6, 7], [255, 0, 0, 9]])
    assert table.labels == ["0", "1", "0"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected an IDX file of bytes"),
        (b"PK\x03\x04", "expected an IDX file of bytes"),
        (b"\x00\x00\x08\x03\x00", "header is cut short"),
        (idx(2**32 - 1, 2**32 - 1, 2**32 - 1, body=b"xx"), "header states"),
        (idx(0, 2, 2, body=b"x"), "header states"),
        (idx(2, 2, 2, body=b"1234567"), "= 8 bytes, 7 follow"),
        (idx(2, 2, 2, body=bytes(10_000)), "at most"),
    ],
)
def test_idx_with_a_false_header(images, tmp_path, data, message):
    with pytest.raises(DatasetError, match=message):
        read(images, tmp_path, a=data, b=b"", c=b"", d=b"")


BROKEN_ROWS = [
    (b"1,2,0.5,a\n4,5,b\n", "line 2: expected 4 columns, got 3; repair or remove this line"),
    (b"1,2,0.5,a\n4,5,0.25,b,9\n", "line 2: expected 4 columns, got 5"),
    (b"1,2,0.5,a\n\n4,x,0.25,b\n", "line 3: expected a number in column 2, got 'x'"),
    (b"1,2,0.5,a\n4,,0.25,b\n", "line 2: expected a number in column 2, got ''"),
    (b"1,2,0.5,\n", "line 1: the label is missing"),
    (b"1,2,0.5,?\n", "line 1: the label is missing"),
    (b"1,2,nan,a\n", "line 1: expected a finite number in column 3, got nan"),
    (b"1,2,1e999,a\n", "line 1: expected a finite number in column 3, got inf"),
    (b"1,2,1_0,a\n", "line 1: expected a number in column 3, got '1_0'"),
    (b"1,2,\xff,a\n", "line 1: expected UTF-8 text"),
    (b"", "expected rows of data, the file has none"),
    (b"\n\n", "expected rows of data, the file has none"),
]


@pytest.mark.parametrize(("data", "message"), BROKEN_ROWS)
def test_broken_rows_are_named(toy, tmp_path, data, message):
    with pytest.raises(DatasetError) as caught:
        read(toy(), tmp_path, file=data)
    assert message in str(caught.value)
    assert str(tmp_path / "toy.data") in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        ("svmlight", b"1 1:1 4:2\n", "line 1: expected 'index:value' with an index from 1 to 3"),
        ("svmlight", b"1 0:1\n", "index from 1 to 3, got '0:1'"),
        ("svmlight", b"1 999999999999:1\n", "index from 1 to 3"),
        ("svmlight", b"1 1:one\n", "got '1:one'"),
        ("one_hot", b"1 2 3 1 1 0\n", "line 1: expected a single 1 among the last 3 columns"),
        ("one_hot", b"1 2 3 1 0 0\n\n1 2 3 0 0 0\n", "line 3: expected a single 1"),
        ("one_hot", b"1 2 3 2 0 1\n", "expected a single 1"),
        ("nonsense", b"", "reader kind is one of"),
    ],
)
def test_broken_special_formats(toy, tmp_path, kind, data, message):
    with pytest.raises(DatasetError, match=message):
        read(toy(reader={"kind": kind}), tmp_path, file=data)


@pytest.mark.parametrize("kind", ["delimited", "svmlight", "one_hot", "xls", "idx"])
def test_random_bytes_are_refused(toy, images, tmp_path, kind):
    if kind == "xls":
        pytest.importorskip("xlrd", reason="xlrd, which reads .xls, is not installed")
    reader = {"kind": kind, "sheet": "Data", "first": "u", "last": "w", "label": "CLASS"}
    if kind != "xls":
        reader = {"kind": kind}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data = rng.bytes(int(rng.integers(1, 3000)))
        for head in (
            b"",
            b"\x1f\x8b\x08",
            b"BZh9",
            b"\xfd7zXZ\x00",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        ):
            spec = images if kind == "idx" else toy(reader=reader)
            with pytest.raises(DatasetError):
                read(spec, tmp_path, **{str(i): head + data for i in range(len(spec.files))})


@pytest.mark.parametrize("squeeze", [gzip.compress, bz2.compress, lzma.compress])
def test_truncated_compression_is_refused(toy, tmp_path, toy_text, squeeze):
    data = squeeze(toy_text * 50)
    for keep in (len(data) // 2, len(data) - 3):
        with pytest.raises(DatasetError, match="damaged or truncated|cannot be read"):
            read(toy(), tmp_path, file=data[:keep])


@pytest.mark.parametrize("squeeze", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_refused_quickly_in_little_memory(tmp_path, squeeze):
    path = tmp_path / "bomb"
    path.write_bytes(squeeze(bytes(64 << 20)))
    tracemalloc.start()
    began = time.monotonic()
    with pytest.raises(DatasetError, match="expected at most 1,000,000 bytes"):
        read_bounded(path, 1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20 and time.monotonic() - began < 5


def test_a_missing_file_or_folder_is_a_dataset_error(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(DatasetError, match="cannot be read"):
            read_bounded(path, 100)


def test_shipped_file_with_another_heading_is_refused(tmp_path):
    path = tmp_path / "sonar.csv"
    path.write_text("a,b,label\n1,2,M\n")
    with pytest.raises(DatasetError, match="line 1: expected the heading band1,band2"):
        read_shipped(path, load_spec("sonar"))
