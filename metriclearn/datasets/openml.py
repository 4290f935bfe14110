"""The last source: OpenML, through its client.

The client is imported only here. It has global settings and a cache with pickled files, so each
fetch uses its own folder, which is deleted afterwards, and the downloaded file (parquet or ARFF) is
read by our own code: nothing is unpickled. The client sets no time-outs, so a request first checks
that the server answers, and the client runs in a thread with a time limit.
"""

import io
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..files.atomic import write_atomically
from .arff import read_arff
from .content import Table, canonical_label
from .download import print_status
from .errors import DatasetError
from .spec import DatasetSpec

TIME_LIMIT = 1800.0
ANSWER_LIMITS = (10.0, 30.0)  # seconds to connect, to begin an answer


def offered(spec: DatasetSpec) -> bool:
    """Whether OpenML has the same values, in an order that can be converted to ours."""
    return spec.openml is not None and bool(spec.openml.get("offered"))


def read_openml(
    spec: DatasetSpec, folder: Path, *, server: str | None = None, time_limit: float = TIME_LIMIT
) -> Table:
    """Download data set ``spec.openml['id']`` and return its table, labels in our spelling."""
    if spec.openml is None or not offered(spec):
        note = (spec.openml or {}).get("note", "OpenML is not known to have it")
        raise DatasetError(f"OpenML is no source for {spec.name}: {note}")
    number = int(spec.openml["id"])
    folder.mkdir(parents=True, exist_ok=True)
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            with tempfile.TemporaryDirectory(
                prefix="openml-", dir=folder, ignore_cleanup_errors=True
            ) as own:
                with _client(Path(own), server) as openml:
                    _check_answers(f"{openml.config.server.rstrip('/')}/data/{number}")
                    outcome["table"] = _table(openml, number, spec)
        except BaseException as error:
            outcome["error"] = error

    print_status(f"requesting OpenML data set {number} ({spec.name})")
    thread = threading.Thread(target=work, daemon=True, name=f"openml-{number}")
    thread.start()
    thread.join(time_limit)
    if thread.is_alive():
        raise DatasetError(f"OpenML data set {number}: no answer within {time_limit:g} s")
    if "table" in outcome:
        print_status(f"received OpenML data set {number}")
        return outcome["table"]
    error = outcome["error"]
    if isinstance(error, DatasetError):
        raise error
    text = " ".join(str(error).split())[:200]
    raise DatasetError(f"OpenML data set {number}: {type(error).__name__}: {text}") from error


@contextmanager
def _client(own: Path, server: str | None) -> Iterator[Any]:
    """The ``openml`` package with its cache in ``own``, settings restored afterwards."""
    before = os.environ.get("OPENML_CACHE_DIR")
    os.environ["OPENML_CACHE_DIR"] = str(own)  # importing it creates its cache folder
    try:
        import openml
    except ImportError:
        raise DatasetError("the package openml is not installed; pip install openml") from None
    finally:
        if before is None:
            del os.environ["OPENML_CACHE_DIR"]
        else:
            os.environ["OPENML_CACHE_DIR"] = before
    config = openml.config
    kept = (config.server, config._root_cache_directory, config.connection_n_retries)
    config.set_root_cache_directory(own)
    config.connection_n_retries = 2
    config.server = server or config.server
    try:
        yield openml
    finally:
        config.server, config._root_cache_directory, config.connection_n_retries = kept


def _check_answers(url: str) -> None:
    """Any answer is accepted; the client interprets it."""
    import requests

    try:
        requests.get(url, timeout=ANSWER_LIMITS, stream=True).close()
    except requests.RequestException as error:
        raise DatasetError(f"{url}: no answer ({type(error).__name__})") from error


def _table(openml: Any, number: int, spec: DatasetSpec) -> Table:
    facts = spec.openml or {}
    found = openml.datasets.get_dataset(
        number, download_data=True, download_qualities=False, download_features_meta_data=False
    )
    label = facts.get("label") or found.default_target_attribute
    if found.parquet_file:
        columns, table = _read_parquet(Path(found.parquet_file), label, spec.text_limit)
    else:
        columns, table = read_arff(Path(found.data_file), label, 4 * spec.text_limit)
    if table.X.shape[1] != spec.n_features:
        raise DatasetError(
            f"OpenML data set {number}: expected {spec.n_features} features, got {len(columns)}"
        )
    names = {str(k): str(v) for k, v in facts.get("labels", {}).items()}
    return Table(table.X, [names.get(token, token) for token in table.labels])


def _read_parquet(path: Path, label: str, limit: int) -> tuple[list[str], Table]:
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        groups = range(file.metadata.num_row_groups)
        size = sum(file.metadata.row_group(i).total_byte_size for i in groups)
        if size > limit:
            raise DatasetError(f"{path}: {size:,} bytes of content, expected at most {limit:,}")
        names = file.schema_arrow.names
        if label not in names:
            raise DatasetError(f"{path}: expected a column {label!r}, has {', '.join(names[:8])} …")
        frame = file.read().to_pandas()
        columns = [name for name in names if name != label]
        X = np.ascontiguousarray(frame[columns].to_numpy(dtype=np.float64))
        return columns, Table(X, [canonical_label(token) for token in frame[label].tolist()])
    except DatasetError:
        raise
    except Exception as error:  # pyarrow raises many kinds of errors on damaged files
        raise DatasetError(f"{path}: not a readable parquet file ({error})") from error


def save_table(X: np.ndarray, y: np.ndarray, target: Path) -> None:
    """Write verified values to the cache, as bytes if they are small integers."""
    small = X.astype(np.uint8) if np.array_equal(X, X.astype(np.uint8)) else X
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=small, y=y.astype(np.int32))
    write_atomically(target, buffer.getvalue())


def load_table(path: Path, spec: DatasetSpec) -> Table:
    """Read what ``save_table`` wrote; sizes are checked before anything is unpacked."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            sizes = {info.filename: info.file_size for info in stored.zip.infolist()}
            if sizes.get("X.npy", 0) > 8 * spec.n_samples * spec.n_features + 4096:
                raise DatasetError(f"{path}: larger than {spec.name} can be; delete it")
            X, y = stored["X"], stored["y"]
        return Table(X, [spec.classes[i] for i in y.tolist()])
    except DatasetError:
        raise
    except Exception as error:  # any error of the archive or its arrays means a damaged file
        raise DatasetError(f"{path}: damaged ({error}); delete it") from error
