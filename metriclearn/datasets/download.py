"""Downloading one URL to one file, as if the network were out to get us.

The bytes go to ``<target>.part``; only a complete file gets the target's name. A broken connection
is taken up again where it stopped if the server gives a validator (ETag or Last-Modified) and
answers a Range request; otherwise the download starts afresh. Server errors and broken connections
are retried with growing pauses, a 404 is not. Whether the content is right is for the caller to
find out, before anyone else can see the file.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..files.atomic import move_into_place
from .errors import DownloadError

if TYPE_CHECKING:
    import requests

CHUNK = 1 << 16
RETRY_STATUS = {408, 425, 429, 500, 502, 503, 504}


@dataclass(frozen=True)
class DownloadOptions:
    """Patience and limits of a download; ``sleep`` is replaced in tests."""

    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    deadline: float = 3600.0  # for one attempt, against servers that drip a byte at a time
    attempts: int = 4
    pause: float = 1.0  # seconds before the second attempt, doubled each time
    max_bytes: int = 4 << 30
    sleep: Callable[[float], None] = time.sleep


class _Retry(Exception):
    """This attempt failed, the next one may not."""


def download(url: str, target: Path, options: DownloadOptions | None = None) -> Path:
    """Download ``url`` to ``target``; ``DownloadError`` names the URL and the reason."""
    options = options or DownloadOptions()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    say(f"downloading {url}")
    reason = "no attempt made"
    for attempt in range(options.attempts):
        if attempt:
            options.sleep(options.pause * 2 ** (attempt - 1))
        try:
            size = _attempt(url, part, options)
        except _Retry as problem:
            reason = str(problem)
            say(f"  attempt {attempt + 1} of {options.attempts}: {reason}")
        except DownloadError:
            forget(part)
            raise
        else:
            _state(part).unlink(missing_ok=True)
            move_into_place(part, target)
            say(f"downloaded {target.name}: {size:,} bytes")
            return target
    if not _validator(url, part):
        forget(part)  # no later run could take it up again
    raise DownloadError(f"{url}: {reason}, after {options.attempts} attempts; try again later")


def say(text: str) -> None:
    """A line for the person who waits; stdout stays free for results."""
    print(text, file=sys.stderr, flush=True)


def forget(part: Path) -> None:
    """Remove a partial download and what is known about it."""
    part.unlink(missing_ok=True)
    _state(part).unlink(missing_ok=True)


def _state(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _validator(url: str, part: Path) -> str | None:
    """What the server called the version that ``part`` is the beginning of."""
    try:
        state = json.loads(_state(part).read_text(encoding="utf-8"))
        matches = part.stat().st_size > 0 and state["url"] == url
        return str(state["validator"]) if matches else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _attempt(url: str, part: Path, options: DownloadOptions) -> int:
    import requests
    import urllib3

    validator = _validator(url, part)
    have = part.stat().st_size if validator else 0
    headers = {"Accept-Encoding": "identity"}  # the file as it is, so that lengths can be compared
    if validator:
        headers |= {"Range": f"bytes={have}-", "If-Range": validator}
    timeouts = (options.connect_timeout, options.read_timeout)
    try:
        with requests.get(url, headers=headers, stream=True, timeout=timeouts) as response:
            if validator and response.status_code == 416:  # our part is longer than their file
                forget(part)
                raise _Retry("the server refused to resume, starting afresh")
            _check_status(url, response)
            resumed = _resumes_at(response, have)
            _remember(url, part, response)
            return _receive(url, response, part, have if resumed else 0, options)
    except (requests.Timeout, urllib3.exceptions.ReadTimeoutError):
        raise _Retry(f"no answer within {options.read_timeout:g} s") from None
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
        raise _Retry(f"connection failed ({_short(error)})") from None
    except urllib3.exceptions.HTTPError as error:
        raise _Retry(f"connection broke ({_short(error)})") from None
    except requests.RequestException as error:
        raise DownloadError(f"{url}: {_short(error)}") from None


def _short(error: Exception) -> str:
    """The root of a nested network error, on one line."""
    while cause := (error.__cause__ or error.__context__):
        error = cause  # type: ignore[assignment]
    return " ".join(str(error).split())[:120] or type(error).__name__


def _check_status(url: str, response: "requests.Response") -> None:
    status = response.status_code
    if status in RETRY_STATUS:
        raise _Retry(f"the server answered {status} {response.reason}")
    if status not in (200, 206):
        raise DownloadError(f"{url}: the server answered {status} {response.reason}")


def _resumes_at(response: "requests.Response", have: int) -> bool:
    if response.status_code != 206:
        return False
    start = response.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    if not have or start.strip() != str(have):
        raise DownloadError(
            f"{response.url}: asked for bytes from {have}, the server sent from {start or '?'}"
        )
    return True


def _remember(url: str, part: Path, response: "requests.Response") -> None:
    etag = response.headers.get("ETag", "")
    strong = etag if etag and not etag.startswith("W/") else None
    validator = strong or response.headers.get("Last-Modified")
    if validator:
        _state(part).write_text(json.dumps({"url": url, "validator": validator}), encoding="utf-8")
    else:
        _state(part).unlink(missing_ok=True)


def _receive(
    url: str, response: "requests.Response", part: Path, start: int, options: DownloadOptions
) -> int:
    from tqdm import tqdm

    stated = response.headers.get("Content-Length", "")
    total = start + int(stated) if stated.isdigit() else None
    if total is not None and total > options.max_bytes:
        raise DownloadError(f"{url}: {total:,} bytes, expected at most {options.max_bytes:,}")
    size, began = start, time.monotonic()
    bar = tqdm(
        desc=part.name.removesuffix(".part"),
        total=total,
        initial=start,
        unit="B",
        unit_scale=True,
        disable=not sys.stderr.isatty(),
        leave=False,
    )
    with bar, open(part, "ab" if start else "wb") as file:
        # Undecoded: some servers label a .gz file as gzip-encoded text.
        for chunk in response.raw.stream(CHUNK, decode_content=False):
            file.write(chunk)
            size += len(chunk)
            bar.update(len(chunk))
            if size > options.max_bytes:
                raise DownloadError(f"{url}: more than {options.max_bytes:,} bytes, given up")
            if time.monotonic() - began > options.deadline:
                raise _Retry(f"not done within {options.deadline:g} s")
    if total is not None and size != total:
        raise _Retry(f"got {size:,} of {total:,} bytes")
    return size
