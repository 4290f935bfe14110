"""Download one URL to one file, with limits around ``pooch.HTTPDownloader``.

The bytes go to ``<target>.part``; only a complete file gets the target's name, and nothing else is
kept. Server errors and broken connections are retried from the beginning with growing pauses, a 404
is not. The caller checks the content.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..files.atomic import move_into_place
from .errors import DownloadError

if TYPE_CHECKING:
    import requests

CHUNK = 1 << 16
RETRY_STATUS = {408, 425, 429, 500, 502, 503, 504}


@dataclass(frozen=True)
class DownloadOptions:
    """Limits of a download; tests replace ``sleep``."""

    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    deadline: float = 3600.0  # seconds for one attempt, checked at every chunk
    attempts: int = 4
    pause: float = 1.0  # seconds before the second attempt, doubled each time
    max_bytes: int = 4 << 30
    sleep: Callable[[float], None] = time.sleep


class _Retry(Exception):
    """This attempt failed, the next one may succeed."""


def download(url: str, target: Path, options: DownloadOptions | None = None) -> Path:
    """Download ``url`` to ``target``; ``DownloadError`` names the URL and the reason."""
    options = options or DownloadOptions()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    reason = "no attempt made"
    print_status(f"downloading {url}")
    try:
        for attempt in range(options.attempts):
            if attempt:
                options.sleep(options.pause * 2 ** (attempt - 1))
            try:
                size = _attempt(url, part, options)
            except _Retry as problem:
                reason = str(problem)
            else:
                move_into_place(part, target)
                print_status(f"downloaded {target.name}: {size:,} bytes")
                return target
            print_status(f"  attempt {attempt + 1} of {options.attempts}: {reason}")
    finally:
        part.unlink(missing_ok=True)
    raise DownloadError(f"{url}: {reason}, after {options.attempts} attempts; try again later")


def print_status(text: str) -> None:
    """Print a line about progress to stderr; stdout is for results."""
    print(text, file=sys.stderr, flush=True)


def _attempt(url: str, part: Path, options: DownloadOptions) -> int:
    """Download once and return the number of bytes."""
    import pooch
    import requests
    import urllib3

    with open(part, "wb") as file:
        output = _LimitedOutput(url, file, options)
        downloader = pooch.HTTPDownloader(
            progressbar=sys.stderr.isatty(),
            chunk_size=CHUNK,
            timeout=(options.connect_timeout, options.read_timeout),
            headers={"Accept-Encoding": "identity"},
            hooks={"response": output.check_response},
        )
        try:
            downloader(url, output, None)
        except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
            if isinstance(error, requests.Timeout) or _has_timed_out(error):
                raise _Retry(f"no answer within {options.read_timeout:g} s") from None
            raise _Retry(f"connection failed ({_root_cause(error)})") from None
        except requests.exceptions.ChunkedEncodingError as error:
            raise _Retry(f"connection broke ({_root_cause(error)})") from None
        except requests.RequestException as error:
            raise DownloadError(f"{url}: {_root_cause(error)}") from None
        finally:
            output.close_response()
    output.check_complete()
    return output.size


class _LimitedOutput:
    """The file object that pooch writes to; it stops a download that exceeds a limit."""

    def __init__(self, url: str, file: BinaryIO, options: DownloadOptions) -> None:
        self.url, self.file, self.options = url, file, options
        self.began = time.monotonic()
        self.size = 0
        self.expected: int | None = None
        self.response: requests.Response | None = None

    def check_response(self, response: "requests.Response", **_: Any) -> None:
        """Check status and length; requests calls this before the body is read."""
        self.response = response
        if response.is_redirect:
            return
        answer = f"the server answered {response.status_code} {response.reason}"
        if response.status_code in RETRY_STATUS:
            raise _Retry(answer)
        if response.status_code != 200:
            raise DownloadError(f"{self.url}: {answer}")
        stated, limit = response.headers.get("Content-Length", ""), self.options.max_bytes
        if stated.isdecimal():
            self.expected = int(stated)
            if self.expected > limit:
                raise DownloadError(
                    f"{self.url}: {self.expected:,} bytes, expected at most {limit:,}"
                )
        else:
            response.headers.pop("Content-Length", None)  # pooch takes it for a number
        # Keep the bytes as they are: some servers label a .gz file as gzip-encoded text.
        response.raw.headers.pop("Content-Encoding", None)

    def write(self, chunk: bytes) -> None:
        self.file.write(chunk)
        self.size += len(chunk)
        if self.size > self.options.max_bytes:
            raise DownloadError(
                f"{self.url}: more than {self.options.max_bytes:,} bytes, download stopped"
            )
        if time.monotonic() - self.began > self.options.deadline:
            raise _Retry(f"not done within {self.options.deadline:g} s")

    def flush(self) -> None:
        """Pooch flushes after every chunk; closing the file is enough."""

    def close_response(self) -> None:
        if self.response is not None:
            self.response.close()

    def check_complete(self) -> None:
        if self.expected is not None and self.size != self.expected:
            raise _Retry(f"got {self.size:,} of {self.expected:,} bytes")


def _has_timed_out(error: Exception) -> bool:
    """Whether a connection error is a time-out in the middle of the body."""
    import urllib3

    return any(isinstance(cause, urllib3.exceptions.ReadTimeoutError) for cause in error.args)


def _root_cause(error: Exception) -> str:
    """The innermost message of a nested network error, on one line."""
    while cause := (error.__cause__ or error.__context__):
        error = cause  # type: ignore[assignment]
    return " ".join(str(error).split())[:120] or type(error).__name__
