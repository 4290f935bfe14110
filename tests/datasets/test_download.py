"""Downloading from servers that behave and servers that do not."""

import socket

import pytest

from metriclearn.datasets import DownloadError
from metriclearn.datasets.download import download

BODY = bytes(range(256)) * 2000  # half a megabyte, so that a cut falls inside


def leftovers(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_whole_file_with_a_line_at_start_and_end(server, tmp_path, patience, capsys):
    server.routes["/f"] = BODY
    target = download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert target.read_bytes() == BODY
    assert leftovers(tmp_path) == ["f"]
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"downloading {server.url}/f", "downloaded f: 512,000 bytes"]


def test_progress_bar_on_a_terminal(server, tmp_path, patience, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    server.routes["/f"] = BODY
    download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert "512k" in capsys.readouterr().err


def test_404_is_not_retried(server, tmp_path, patience):
    with pytest.raises(DownloadError, match=r"/gone: the server answered 404"):
        download(f"{server.url}/gone", tmp_path / "f", patience.options())
    assert server.count("/gone") == 1 and patience.pauses == []
    assert leftovers(tmp_path) == []


def test_500_that_recovers(server, tmp_path, patience):
    def recovers(handler, count):
        handler.reply(500, b"oops") if count < 3 else handler.reply_file(BODY)

    server.routes["/f"] = recovers
    download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert (tmp_path / "f").read_bytes() == BODY
    assert patience.pauses == [1.0, 2.0]
    assert leftovers(tmp_path) == ["f"]


def test_500_that_persists(server, tmp_path, patience):
    server.routes["/f"] = lambda handler, count: handler.reply(503, b"oops")
    with pytest.raises(DownloadError, match="answered 503 .* after 4 attempts; try again later"):
        download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert patience.pauses == [1.0, 2.0, 4.0]
    assert leftovers(tmp_path) == []


def test_cut_connection_is_started_again(server, tmp_path, patience):
    def cut_once(handler, count):
        handler.reply_cut(BODY, 200_000) if count == 1 else handler.reply_file(BODY)

    server.routes["/f"] = cut_once
    download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert (tmp_path / "f").read_bytes() == BODY
    assert server.count("/f") == 2 and patience.pauses == [1.0]
    assert leftovers(tmp_path) == ["f"]


def test_file_that_changed_meanwhile_is_not_mixed(server, tmp_path, patience):
    new = BODY[::-1]

    def changed(handler, count):
        handler.reply_cut(BODY, 200_000) if count == 1 else handler.reply_file(new)

    server.routes["/f"] = changed
    download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert (tmp_path / "f").read_bytes() == new


def test_connection_that_is_always_cut_leaves_nothing(server, tmp_path, patience):
    server.routes["/f"] = lambda handler, count: handler.reply_cut(BODY, 100_000)
    with pytest.raises(DownloadError, match="/f: connection broke .*, after 2 attempts"):
        download(f"{server.url}/f", tmp_path / "f", patience.options(attempts=2))
    assert leftovers(tmp_path) == []


def test_a_failed_download_keeps_the_file_that_was_there(server, tmp_path, patience):
    (tmp_path / "f").write_bytes(b"old")
    server.routes["/f"] = lambda handler, count: handler.reply_cut(BODY, 100_000)
    with pytest.raises(DownloadError):
        download(f"{server.url}/f", tmp_path / "f", patience.options(attempts=1))
    assert (tmp_path / "f").read_bytes() == b"old" and leftovers(tmp_path) == ["f"]


def test_a_left_over_partial_file_is_not_used(server, tmp_path, patience):
    (tmp_path / "f.part").write_bytes(b"something else")
    server.routes["/f"] = BODY
    download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert (tmp_path / "f").read_bytes() == BODY and "Range" not in server.seen[0][1]
    assert leftovers(tmp_path) == ["f"]


def test_a_partial_answer_is_refused(server, tmp_path, patience):
    server.routes["/f"] = lambda handler, count: handler.reply(
        206, BODY[5:], Content_Range=f"bytes 5-{len(BODY) - 1}/{len(BODY)}"
    )
    with pytest.raises(DownloadError, match="the server answered 206"):
        download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert leftovers(tmp_path) == []


def test_redirect_is_followed_and_checked(server, tmp_path, patience):
    server.routes["/f"] = BODY
    server.routes["/old"] = lambda h, count: h.reply(302, b"moved", Location=f"{server.url}/f")
    server.routes["/lost"] = lambda h, count: h.reply(302, b"moved", Location=f"{server.url}/gone")
    download(f"{server.url}/old", tmp_path / "f", patience.options())
    assert (tmp_path / "f").read_bytes() == BODY
    with pytest.raises(DownloadError, match="/lost: the server answered 404"):
        download(f"{server.url}/lost", tmp_path / "g", patience.options())
    assert leftovers(tmp_path) == ["f"]


def test_a_length_that_is_no_number_is_ignored(server, tmp_path, patience):
    def nonsense(handler, count):
        handler.send_response(200)
        handler.send_header("Content-Length", "long")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(BODY)

    server.routes["/f"] = nonsense
    download(f"{server.url}/f", tmp_path / "f", patience.options())
    assert (tmp_path / "f").read_bytes() == BODY


@pytest.mark.parametrize("when", ["before the answer", "in the middle"])
def test_hanging_connection_times_out(server, tmp_path, patience, when):
    def hang(handler, count):
        if when == "in the middle":
            handler.reply_cut(BODY, 1000)
            handler.wfile.flush()
        handler.server.release.wait(20)

    server.routes["/f"] = hang
    options = patience.options(read_timeout=0.2, attempts=2)
    with pytest.raises(DownloadError, match="no answer within 0.2 s, after 2 attempts"):
        download(f"{server.url}/f", tmp_path / "f", options)
    assert leftovers(tmp_path) == []


def test_dripping_server_meets_the_deadline(server, tmp_path, patience):
    def drip(handler, count):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not handler.server.release.wait(0.01):
            handler.wfile.write(bytes(70_000))

    server.routes["/f"] = drip
    with pytest.raises(DownloadError, match="not done within 0 s"):
        download(f"{server.url}/f", tmp_path / "f", patience.options(deadline=0, attempts=1))
    assert leftovers(tmp_path) == []


def test_connection_refused(tmp_path, patience):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/f"
        with pytest.raises(DownloadError, match="connection failed .*after 4 attempts"):
            download(url, tmp_path / "f", patience.options())
    assert leftovers(tmp_path) == []


def test_too_large_a_file_is_stopped(server, tmp_path, patience):
    def endless(handler, count):
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        while not handler.server.release.is_set():
            handler.wfile.write(bytes(1 << 16))

    server.routes["/stated"] = BODY
    server.routes["/endless"] = endless
    for path, message in (("/stated", "expected at most 1,000"), ("/endless", "more than 1,000")):
        with pytest.raises(DownloadError, match=message):
            download(f"{server.url}{path}", tmp_path / "f", patience.options(max_bytes=1000))
        assert leftovers(tmp_path) == []


def test_gzip_file_labelled_as_encoded_is_kept_as_it_is(server, tmp_path, patience):
    server.routes["/f.gz"] = lambda h, count: h.reply(200, BODY, Content_Encoding="gzip")
    download(f"{server.url}/f.gz", tmp_path / "f.gz", patience.options())
    assert (tmp_path / "f.gz").read_bytes() == BODY


def test_bad_url_is_one_clear_error(tmp_path, patience):
    for url in ("file:///etc/hostname", "http://", "nonsense"):
        with pytest.raises(DownloadError) as caught:
            download(url, tmp_path / "f", patience.options())
        assert str(caught.value).startswith(f"{url}: ") and "\n" not in str(caught.value)
    assert leftovers(tmp_path) == []
