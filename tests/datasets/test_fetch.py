"""Cache, mirror, public download: order, verification, and what is left behind."""

import io
import threading
import zipfile
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from metriclearn.datasets import DatasetError, DatasetUnavailable
from metriclearn.datasets.fetch import FetchSpec, fetch
from metriclearn.datasets.load import fetch_spec, obtain
from metriclearn.datasets.spec import Location


def files_below(folder):
    names = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return sorted(name for name in names if not name.endswith(".lock"))


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def public(server, toy, *paths):
    """The toy data set at these places of the server; a path that ends in / is a folder."""
    places = [{"base" if p.endswith("/") else "archive": server.url + p} for p in paths]
    return toy(public=places)


def test_public_folder_then_cache(server, toy, toy_text, cache, patience):
    server.routes["/d/toy.data"] = toy_text
    spec = public(server, toy, "/d/")
    first = obtain(spec, options=patience.options())
    assert first.source == "public"
    assert files_below(cache) == ["toy/toy.data"]
    second = obtain(spec, options=patience.options())
    assert second.source == "cache" and server.count("/d/toy.data") == 1
    np.testing.assert_array_equal(first.value.X, second.value.X)


def test_public_archive(server, toy, toy_text, cache, patience):
    server.routes["/toy.zip"] = zipped({"Index": b"", "inner/toy.data": toy_text})
    assert obtain(public(server, toy, "/toy.zip"), options=patience.options()).source == "public"
    assert files_below(cache) == ["toy/toy.data"]


def test_file_names_are_quoted_in_urls(server, toy, toy_text, cache, patience):
    server.routes["/d/Toy%20Data%20%281%29.csv"] = toy_text
    spec = toy(files=["Toy Data (1).csv"], public=[{"base": server.url + "/d"}])
    assert obtain(spec, options=patience.options()).source == "public"
    assert files_below(cache) == ["toy/Toy Data (1).csv"]


def test_mirror_comes_before_the_network(server, toy, toy_text, tmp_path, patience, monkeypatch):
    (tmp_path / "mirror" / "toy").mkdir(parents=True)
    (tmp_path / "mirror" / "toy" / "toy.data").write_bytes(toy_text)
    monkeypatch.setenv("METRICLEARN_MIRROR", str(tmp_path / "mirror"))
    server.routes["/d/toy.data"] = toy_text
    fetched = obtain(public(server, toy, "/d/"), options=patience.options())
    assert fetched.source == "mirror" and server.seen == []


BAD_FILES = {
    "another value": b"1,2,0.5,a\n4,5,0.25,b\n7,8,1e-3,a\n10,11,-4,c\n",
    "another label": b"1,2,0.5,b\n4,5,0.25,a\n7,8,1e-3,a\n10,11,-3,c\n",
    "another order": b"4,5,0.25,b\n1,2,0.5,a\n7,8,1e-3,a\n10,11,-3,c\n",
    "a row too few": b"1,2,0.5,a\n4,5,0.25,b\n7,8,1e-3,a\n",
    "cut in a row": b"1,2,0.5,a\n4,5,0.25,b\n7,8,1e-3,a\n10,1",
    "an error page": b"<html><body>Down for maintenance</body></html>\n",
    "nothing": b"",
}


@pytest.mark.parametrize("bad", BAD_FILES)
def test_wrong_content_is_never_seen(server, toy, cache, patience, bad):
    server.routes["/d/toy.data"] = BAD_FILES[bad]
    with pytest.raises(DatasetUnavailable, match="wrong content: toy.data"):
        obtain(public(server, toy, "/d/"), options=patience.options())
    assert files_below(cache) == []


def test_next_place_after_a_bad_one(server, toy, toy_text, cache, patience):
    server.routes["/bad/toy.data"] = BAD_FILES["another value"]
    server.routes["/bad.zip"] = zipped({"../toy.data": toy_text})
    server.routes["/good/toy.data"] = toy_text
    spec = public(server, toy, "/gone/", "/bad/", "/bad.zip", "/good/")
    assert obtain(spec, options=patience.options()).source == "public"
    assert files_below(cache) == ["toy/toy.data"]


def test_hostile_zip(server, toy, toy_text, cache, tmp_path, patience):
    server.routes["/x.zip"] = zipped({"toy.data": toy_text, "../../evil": b"evil"})
    with pytest.raises(DatasetUnavailable, match="'../../evil' points outside the folder"):
        obtain(public(server, toy, "/x.zip"), options=patience.options())
    assert files_below(cache) == [] and not list(tmp_path.rglob("evil"))


def test_truncated_download_is_never_seen(server, toy, toy_text, cache, patience):
    server.routes["/d/toy.data"] = lambda h, count: h.reply_cut(toy_text, 20)
    with pytest.raises(DatasetUnavailable, match="after 4 attempts"):
        obtain(public(server, toy, "/d/"), options=patience.options())
    assert files_below(cache) == []


def test_one_missing_file_of_two_leaves_nothing(server, toy, toy_text, cache, patience):
    server.routes["/d/toy.data"] = toy_text
    spec = toy(files=["toy.data", "toy.test"], public=[{"base": server.url + "/d"}])
    with pytest.raises(DatasetUnavailable, match="toy.test: the server answered 404"):
        obtain(spec, options=patience.options())
    assert files_below(cache) == []


def test_interrupted_fetch_is_done_again_by_the_next(server, toy, toy_text, cache, patience):
    server.routes["/d/toy.data"] = lambda handler, count: handler.reply_cut(toy_text, 20)
    spec = public(server, toy, "/d/")
    with pytest.raises(DatasetUnavailable):
        obtain(spec, options=patience.options(attempts=1))
    assert files_below(cache) == []
    server.routes["/d/toy.data"] = toy_text
    assert obtain(spec, options=patience.options()).source == "public"
    assert files_below(cache) == ["toy/toy.data"]


def test_what_a_killed_run_left_is_removed(server, toy, toy_text, cache, patience):
    incoming = cache / "toy" / ".incoming" / "deep"
    incoming.mkdir(parents=True)
    (incoming / "toy.data.part").write_bytes(b"half")
    server.routes["/d/toy.data"] = toy_text
    assert obtain(public(server, toy, "/d/"), options=patience.options()).source == "public"
    assert files_below(cache) == ["toy/toy.data"]


@pytest.mark.parametrize("damage", ["flipped", "emptied", "cut"])
def test_damaged_cache_is_fetched_again(server, toy, toy_text, cache, patience, capsys, damage):
    server.routes["/d/toy.data"] = toy_text
    spec = public(server, toy, "/d/")
    obtain(spec, options=patience.options())
    kept = cache / "toy" / "toy.data"
    broken = {"flipped": toy_text.replace(b"5", b"6"), "emptied": b"", "cut": toy_text[:-9]}
    kept.write_bytes(broken[damage])
    assert obtain(spec, options=patience.options()).source == "public"
    assert kept.read_bytes() == toy_text
    assert "set aside as *.rejected" in capsys.readouterr().err
    assert obtain(spec, options=patience.options()).source == "cache"


def test_parallel_fetches_download_once(server, toy, toy_text, patience):
    server.routes["/d/toy.data"] = toy_text
    spec = public(server, toy, "/d/")
    results = []

    def work():
        results.append(obtain(spec, options=patience.options()).value.X)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(results) == 6 and server.count("/d/toy.data") == 1


def test_unavailable_says_what_where_and_what_next(toy, cache):
    with pytest.raises(DatasetUnavailable) as caught:
        obtain(toy())
    text = str(caught.value)
    assert text.startswith("data set toy is unavailable (")
    assert "https://example.org/toy" in text
    assert "put toy.data into $METRICLEARN_CACHE/toy/ and run again" in text
    assert "METRICLEARN_MIRROR is not set" in text
    assert "\n" not in text and caught.value.absent


def test_file_put_there_by_hand_is_used(toy, toy_text, cache):
    (cache / "toy").mkdir(parents=True)
    (cache / "toy" / "toy.data").write_bytes(toy_text)
    assert obtain(toy()).source == "cache"


def test_offline_never_connects(server, toy, monkeypatch):
    monkeypatch.setenv("METRICLEARN_OFFLINE", "1")
    with pytest.raises(DatasetUnavailable, match="public: not tried, METRICLEARN_OFFLINE is set"):
        obtain(public(server, toy, "/d/"))
    assert server.seen == []


def test_unwritable_cache_is_one_clear_line(server, toy, tmp_path, monkeypatch, patience):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("METRICLEARN_CACHE", str(tmp_path / "file"))
    with pytest.raises(DatasetUnavailable, match="cannot write .*set METRICLEARN_CACHE"):
        obtain(public(server, toy, "/d/"), options=patience.options())


def test_unknown_source(toy):
    with pytest.raises(DatasetError, match="unknown source 'moon'; sources are shipped, cache"):
        obtain(toy(), source="moon")


def test_fetch_serves_other_things_than_tables(server, cache, patience):
    """An image set: pinned bytes, a reader of its own."""
    server.routes["/i/pairs.txt"] = b"10\t300\n"
    pinned = "90d4bf48a2a6b2eb1e2b0b6ff1a7e5b9c5ab22f9d6b9e5a7d60a1b7a6f0f7cb1"
    spec = FetchSpec("faces", "faces", ("pairs.txt",), "https://example.org/faces")
    place = (Location("base", server.url + "/i"),)

    def read(paths):
        return paths["pairs.txt"].read_text().split()

    wrong = replace(spec, public=place, sha256={"pairs.txt": pinned})
    with pytest.raises(DatasetUnavailable, match="expected 90d4bf48a2a6…; get a fresh copy"):
        fetch(wrong, read, options=patience.options())
    assert files_below(cache) == []
    right = replace(wrong, sha256={"pairs.txt": sha256(b"10\t300\n").hexdigest()})
    assert fetch(right, read, options=patience.options()).value == ["10", "300"]
    assert fetch(right, read).source == "cache"


def test_dataset_facts_reach_the_fetcher(toy):
    spec = toy(sha256={"toy.data": "00"})
    assert fetch_spec(spec).sha256 == {"toy.data": "00"}
    assert fetch_spec(spec).max_bytes == 64 << 20
