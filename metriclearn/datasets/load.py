"""``load_dataset``: a data set by name, or a file by path, checked and ready to use."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..files import resources
from .content import Content, Table, content_hash, to_content, verify
from .download import DownloadOptions
from .errors import DatasetError
from .fetch import SOURCES, Fetched, FetchSpec, NotHere, fetch
from .missing import fill_missing
from .openml import load_table, offered, read_openml, save_table
from .readers import read_files, read_shipped
from .spec import DatasetSpec, load_spec
from .userfile import FileOptions, read_user_file, sorted_classes

ENDINGS = {".csv", ".tsv", ".txt", ".data", ".parquet"}  # of files of one's own
ALL_SOURCES = ("shipped", *SOURCES, "openml")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Values, labels and, where the paper fixes it, the split."""

    name: str
    title: str
    X: np.ndarray  # float64, rows in canonical order; NaN only where ``gaps``
    y: np.ndarray  # int64, codes 0 … c−1 into target_names
    target_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    train: np.ndarray | None  # row indices, or None where the paper cross-validates
    test: np.ndarray | None
    content_hash: str  # of the values as published, before missing ones are filled
    source: str
    pca: int | None = None
    layout: str = ""  # how a file of one's own was read, in words
    gaps: bool = False  # whether X has missing values, to be filled on training parts

    def __repr__(self) -> str:
        n, d = self.X.shape
        split = ""
        if self.train is not None and self.test is not None:
            split = f", {len(self.train)} train + {len(self.test)} test"
        return f"<Dataset {self.name}: {n} × {d}, {len(self.target_names)} classes{split}>"


def load_dataset(
    name: str | os.PathLike[str],
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
    **reading: Any,
) -> Dataset:
    """Load a data set by name, or your own file by path.

    A named data set comes from the first source that has it: ``data/`` in the repository, the
    cache, the mirror folder, the public download, OpenML; ``source`` restricts it to one of
    ``shipped``, ``cache``, ``mirror``, ``public``, ``openml``. The content hash must be
    the configured one for every source.

    A path is something with the ending of a data file (``ENDINGS``) or a slash. ``reading`` says
    how it is read: ``label``, ``missing``, ``categorical``, ``drop``, see ``userfile.py``. With
    ``missing="median"`` missing cells are NaN in X, to be filled on training parts only.
    """
    if is_path(name):
        return _load_user_file(Path(name), FileOptions(**reading))
    if reading:
        raise DatasetError(f"{', '.join(reading)}: for a file of your own only, not for {name}")
    spec = load_spec(str(name))
    fetched = obtain(spec, source=source, options=options)
    names = spec.names_of_features
    X = fill_missing(fetched.value.X, names, spec.missing, f"conf/dataset/{spec.name}.yaml")
    sizes = spec.split_sizes
    return Dataset(
        name=spec.name,
        title=spec.title,
        X=X,
        y=fetched.value.y,
        target_names=spec.classes,
        feature_names=names,
        train=np.arange(sizes[0]) if sizes else None,
        test=np.arange(sizes[0], sum(sizes)) if sizes else None,
        content_hash=spec.content_hash,
        source=fetched.source,
        pca=spec.pca,
    )


def obtain(
    spec: DatasetSpec,
    *,
    source: str | None = None,
    options: DownloadOptions | None = None,
    openml_server: str | None = None,
    quiet: bool = False,
) -> Fetched[Content]:
    """Verified content from the first source that has it."""
    cache = resources.cache_dir()
    kept = cache / spec.folder / f"{spec.name}-openml.npz"

    def accept(table: Table, where: str) -> Content:
        content = to_content(table, spec, where)
        verify(content, spec, where)
        return content

    def read(paths: Mapping[str, Path]) -> Content:
        folder = next(iter(paths.values())).parent
        return accept(read_files(paths, spec), f"{folder}{os.sep}{', '.join(paths)}")

    def shipped() -> Content:
        if spec.shipped is None:
            raise NotHere("" if source is None else "not shipped with the repository")
        path = resources.data_dir() / spec.shipped
        if not path.is_file():
            raise NotHere(f"no {path}")
        return accept(read_shipped(path, spec), str(path))

    def from_openml() -> Content:
        if spec.openml is None or not offered(spec):
            raise NotHere((spec.openml or {}).get("note", "OpenML is not known to have it"))
        try:
            table = read_openml(spec, cache / spec.folder, server=openml_server)
            content = accept(table, f"OpenML data set {spec.openml['id']}")
            save_table(content.X, content.y, kept)
            return content
        except OSError as error:
            raise DatasetError(f"{cache}: cannot write ({error.strerror or error})") from error

    def kept_from_openml() -> Content:
        if not kept.is_file():
            raise NotHere("")
        try:
            return accept(load_table(kept, spec), str(kept))
        except DatasetError:
            kept.replace(kept.with_name(kept.name + ".rejected"))
            raise

    order = {
        "shipped": ["shipped"],
        "cache": ["cache", "kept"],
        "mirror": ["mirror"],
        "public": ["public"],
        "openml": ["openml"],
    }
    if source is not None and source not in order:
        raise DatasetError(f"unknown source {source!r}; sources are {', '.join(order)}")
    chosen = ALL_SOURCES if source is None else (source,)
    fetched = fetch(
        fetch_spec(spec),
        read,
        sources=[way for name in chosen for way in order[name]],
        cache=cache,
        options=options,
        further={"shipped": shipped, "kept": kept_from_openml, "openml": from_openml},
        quiet=quiet,
    )
    return Fetched(fetched.value, "cache" if fetched.source == "kept" else fetched.source)


def fetch_spec(spec: DatasetSpec) -> FetchSpec:
    """The facts of a data set that ``fetch`` needs."""
    return FetchSpec(
        name=spec.name,
        folder=spec.folder,
        files=spec.files,
        page=spec.page,
        public=spec.public,
        sha256=spec.sha256,
        max_bytes=max(spec.text_limit, 64 << 20),
    )


def is_path(name: str | os.PathLike[str]) -> bool:
    if isinstance(name, os.PathLike):
        return True
    suffixes = {suffix.lower() for suffix in Path(name).suffixes}
    return bool(suffixes & ENDINGS) or "/" in name or os.sep in name


def _load_user_file(path: Path, options: FileOptions) -> Dataset:
    read = read_user_file(path, options)
    classes = sorted_classes(list(read.table.labels))
    code = {label: i for i, label in enumerate(classes)}
    y = np.array([code[label] for label in read.table.labels], dtype=np.int64)
    X = np.ascontiguousarray(read.table.X)
    name = path.name.partition(".")[0]
    return Dataset(
        name=name,
        title=name,
        X=X,
        y=y,
        target_names=tuple(classes),
        feature_names=read.names,
        train=None,
        test=None,
        content_hash=content_hash(X, y, classes),
        source=str(path),
        layout=read.layout,
        gaps=read.gaps,
    )
