"""The real OpenML client against a local server that speaks its API."""

import hashlib

import numpy as np
import pytest

from metriclearn.datasets import DatasetUnavailable
from metriclearn.datasets.load import obtain
from metriclearn.datasets.openml import read_openml

pytest.importorskip("openml", reason="the openml client is not installed")

ARFF = """@RELATION toy
@ATTRIBUTE u REAL
@ATTRIBUTE v REAL
@ATTRIBUTE w REAL
@ATTRIBUTE Class {Ape,Bee,Cow}
@DATA
1,2,0.5,Ape
4,5,0.25,Bee
7,8,0.001,Ape
10,11,-3,Cow
"""
LABELS = {"Ape": "a", "Bee": "b", "Cow": "c"}


def description(server, arff, *, parquet=False, md5=None):
    return f"""<oml:data_set_description xmlns:oml="http://openml.org/openml">
  <oml:id>77</oml:id><oml:name>toy</oml:name><oml:version>1</oml:version>
  <oml:description>toy</oml:description><oml:format>ARFF</oml:format>
  <oml:upload_date>2020-01-01T00:00:00</oml:upload_date><oml:licence>CC0</oml:licence>
  <oml:url>{server.url}/data/v1/download/1/toy.arff</oml:url>
  {f"<oml:parquet_url>{server.url}/datasets/77/dataset_77.pq</oml:parquet_url>" if parquet else ""}
  <oml:file_id>1</oml:file_id>
  <oml:default_target_attribute>Class</oml:default_target_attribute>
  <oml:visibility>public</oml:visibility><oml:status>active</oml:status>
  <oml:md5_checksum>{md5 or hashlib.md5(arff.encode()).hexdigest()}</oml:md5_checksum>
</oml:data_set_description>""".encode()


@pytest.fixture
def openml_server(server):
    """Serves data set 77 as ARFF; tests change the routes."""
    server.routes["/api/v1/xml/data/77"] = description(server, ARFF)
    server.routes["/data/v1/download/1/toy.arff"] = ARFF.encode()
    return server


@pytest.fixture
def animals(toy):
    return toy(openml={"id": 77, "offered": True, "labels": LABELS})


def get(spec, server):
    return obtain(spec, source="openml", openml_server=server.url + "/api/v1/xml")


def files_below(folder):
    names = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return sorted(name for name in names if not name.endswith(".lock"))


def test_arff_is_fetched_verified_and_kept(openml_server, animals, cache):
    fetched = get(animals, openml_server)
    assert fetched.source == "openml"
    np.testing.assert_array_equal(fetched.value.X[3], [10, 11, -3])
    np.testing.assert_array_equal(fetched.value.y, [0, 1, 0, 2])
    assert files_below(cache) == ["toy/toy-openml.npz"]  # nothing of the client's own cache
    asked = [path for path, _ in openml_server.seen]
    assert set(asked) == {"/api/v1/xml/data/77", "/data/v1/download/1/toy.arff"}
    again = obtain(animals)
    assert again.source == "cache" and len(openml_server.seen) == len(asked)
    np.testing.assert_array_equal(again.value.X, fetched.value.X)


def test_parquet_is_preferred(openml_server, animals, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "u": np.array([1, 4, 7, 10], dtype=np.uint8),
            "v": [2.0, 5.0, 8.0, 11.0],
            "w": [0.5, 0.25, 0.001, -3.0],
            "Class": pd.Categorical(["Ape", "Bee", "Ape", "Cow"]),
        }
    )
    frame.to_parquet(tmp_path / "x.pq")
    body = (tmp_path / "x.pq").read_bytes()
    openml_server.routes["/api/v1/xml/data/77"] = description(openml_server, ARFF, parquet=True)
    etag = f'"{hashlib.md5(body).hexdigest()}"'
    stamp = "Wed, 01 Jan 2020 00:00:00 GMT"
    openml_server.routes["/datasets/77/dataset_77.pq"] = lambda handler, count: handler.reply(
        200, body, ETag=etag, Last_Modified=stamp, Content_Type="application/octet-stream"
    )
    assert get(animals, openml_server).source == "openml"
    assert openml_server.count("/datasets/77/dataset_77.pq") >= 1
    assert openml_server.count("/data/v1/download/1/toy.arff") == 0


def test_damaged_kept_copy_is_set_aside(openml_server, animals, cache):
    get(animals, openml_server)
    kept = cache / "toy" / "toy-openml.npz"
    data = kept.read_bytes()
    for broken in (data[:-30], b"PK\x03\x04" + bytes(100), b""):
        kept.write_bytes(broken)
        with pytest.raises(DatasetUnavailable, match="damaged"):
            obtain(animals, source="cache")
        assert not kept.exists()
    np.savez(kept, X=np.array([{"pickled": "object"}], dtype=object), y=np.zeros(1))
    with pytest.raises(DatasetUnavailable, match="allow_pickle=False"):
        obtain(animals, source="cache")


def test_other_values_are_refused(openml_server, animals, cache):
    changed = ARFF.replace("10,11", "10,12")
    openml_server.routes["/api/v1/xml/data/77"] = description(openml_server, changed)
    openml_server.routes["/data/v1/download/1/toy.arff"] = changed.encode()
    with pytest.raises(DatasetUnavailable, match="OpenML data set 77: content hash"):
        get(animals, openml_server)
    assert files_below(cache) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ARFF.replace("@DATA", "@nothing"), "expected a line '@data'"),
        (ARFF.replace("4,5,0.25,Bee", "4,5,Bee"), "expected 4 columns, got 3"),
        (ARFF.replace("ATTRIBUTE Class", "ATTRIBUTE Kind"), "expected an attribute 'Class'"),
        (ARFF.replace("@ATTRIBUTE u REAL\n", ""), "expected 3 columns, got 4"),
    ],
)
def test_broken_arff_is_refused(openml_server, animals, cache, text, message):
    openml_server.routes["/api/v1/xml/data/77"] = description(openml_server, text)
    openml_server.routes["/data/v1/download/1/toy.arff"] = text.encode()
    with pytest.raises(DatasetUnavailable, match=message):
        get(animals, openml_server)
    assert files_below(cache) == []


def test_checksum_of_the_client_is_checked(openml_server, animals, cache, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # the client's own pauses
    openml_server.routes["/api/v1/xml/data/77"] = description(openml_server, ARFF, md5="0" * 32)
    with pytest.raises(DatasetUnavailable, match="OpenML data set 77: .*[Cc]hecksum"):
        get(animals, openml_server)
    assert files_below(cache) == []


def test_unknown_to_openml(openml_server, animals, cache):
    error = b"""<oml:error xmlns:oml="http://openml.org/openml"><oml:code>111</oml:code>
      <oml:message>Unknown dataset</oml:message></oml:error>"""
    openml_server.routes["/api/v1/xml/data/77"] = lambda h, count: h.reply(412, error)
    with pytest.raises(DatasetUnavailable, match="OpenML data set 77: .*Unknown dataset"):
        get(animals, openml_server)
    assert files_below(cache) == []


def test_failing_server(openml_server, animals, cache, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    openml_server.routes["/api/v1/xml/data/77"] = lambda h, count: h.reply(500, b"<html>broken")
    with pytest.raises(DatasetUnavailable, match="OpenML data set 77: OpenMLServerError"):
        get(animals, openml_server)
    assert files_below(cache) == []


def test_unreachable_server(server, animals, cache, patience):
    server.server_close()
    with pytest.raises(DatasetUnavailable, match="/data/77: no answer"):
        get(animals, server)
    assert files_below(cache) == []


def test_hanging_server(openml_server, animals, tmp_path):
    openml_server.routes["/api/v1/xml/data/77"] = lambda h, count: h.server.release.wait(20)
    with pytest.raises(Exception, match="OpenML data set 77: no answer within 0.3 s"):
        read_openml(animals, tmp_path, server=openml_server.url + "/api/v1/xml", time_limit=0.3)


def test_settings_of_the_client_are_restored(openml_server, animals):
    import openml

    before = (openml.config.server, openml.config._root_cache_directory)
    get(animals, openml_server)
    assert (openml.config.server, openml.config._root_cache_directory) == before


def test_not_offered_says_why(toy, server):
    spec = toy(openml={"id": 182, "offered": False, "note": "other row count"})
    with pytest.raises(DatasetUnavailable, match="openml: other row count"):
        get(spec, server)
    assert server.seen == []


def test_openml_is_imported_only_when_asked():
    import subprocess
    import sys

    code = (
        "import sys, metriclearn.datasets as d; d.load_dataset('sonar'); "
        "print(sorted({'openml', 'requests'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
