"""The facts of a data set, read from ``conf/dataset/<name>.yaml`` and checked.

The yaml file is the only place that holds these facts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..files.resources import conf_dir
from .errors import DatasetError, UnknownDataset
from .facts import did_you_mean, known_keys, read_yaml

GROUPS = ("uci", "digits")
ROW_ORDERS = ("source", "sorted")


@dataclass(frozen=True)
class Location:
    """A public location of all files: an archive, a folder, or the only file."""

    kind: str  # "archive", "base" (a folder that holds them by name) or "file"
    url: str


@dataclass(frozen=True, kw_only=True)
class DatasetSpec:
    """Facts of one data set. Keys are those of the yaml file."""

    name: str
    title: str
    group: str
    n_samples: int
    n_features: int
    classes: tuple[str, ...]  # label tokens; the position is the code in y
    class_counts: tuple[int, ...]
    split: Mapping[str, int] | None = None  # the first `train` rows, then `test` rows
    pca: int | None = None  # dimension the paper reduces to
    feature_names: tuple[str, ...] | str = "x"  # names, or a prefix to be numbered from 1
    row_order: str = "source"
    missing: Mapping[str, str] | None = None  # how missing cells are filled, see missing.py
    hash_digits: int = 9
    content_hash: str
    shipped: str | None = None  # file in data/
    package: str | None = None  # package of a registry with the values of the shipped file
    folder: str  # folder in the mirror and in the cache
    files: tuple[str, ...]
    reader: Mapping[str, Any]
    public: tuple[Location, ...] = ()
    openml: Mapping[str, Any] | None = None
    variant_of: str | None = None
    page: str
    doi: str | None = None
    donors: str
    licence: str
    citation: str
    notes: str = ""
    sha256: Mapping[str, str] = field(
        default_factory=dict
    )  # of files that are published in one version only

    @property
    def names_of_features(self) -> tuple[str, ...]:
        if isinstance(self.feature_names, str):
            return tuple(f"{self.feature_names}{i}" for i in range(1, self.n_features + 1))
        return self.feature_names

    @property
    def split_sizes(self) -> tuple[int, int] | None:
        return (self.split["train"], self.split["test"]) if self.split else None

    @property
    def text_limit(self) -> int:
        """An upper bound of the bytes of a text file of this data set."""
        return (4 << 20) + 40 * self.n_samples * (self.n_features + 12)


def list_datasets(group: str | None = None, *, variants: bool = False) -> list[str]:
    """Names for ``load_dataset``, UCI sets first, each group in alphabetical order."""
    specs = [load_spec(path.stem) for path in (conf_dir() / "dataset").glob("*.yaml")]
    chosen = [
        spec
        for spec in specs
        if group in (None, spec.group) and (variants or spec.variant_of is None)
    ]
    return [s.name for s in sorted(chosen, key=lambda s: (GROUPS.index(s.group), s.name))]


def load_spec(name: str) -> DatasetSpec:
    """The facts of data set ``name``; ``UnknownDataset`` lists the known names."""
    folder = conf_dir() / "dataset"
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in known:
        raise UnknownDataset(
            f"unknown data set {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}; "
            "for your own file give its path, e.g. ./mine.csv"
        )
    return _read_spec(folder / f"{name}.yaml")


@cache
def _read_spec(path: Path) -> DatasetSpec:
    return spec_from_dict(read_yaml(path), str(path))


def spec_from_dict(raw: Any, where: str) -> DatasetSpec:
    """A checked spec from a plain dict; ``where`` is named in errors."""
    values = known_keys(raw, DatasetSpec, where)
    for key in ("classes", "class_counts", "files"):
        values[key] = tuple(values[key])
    if not isinstance(values.get("feature_names", ""), str):
        values["feature_names"] = tuple(values["feature_names"])
    values["public"] = tuple(_location(entry, where) for entry in values.get("public") or ())
    spec = DatasetSpec(**values)
    _check(spec, where)
    return spec


def _location(entry: Any, where: str) -> Location:
    if isinstance(entry, Mapping) and len(entry) == 1:
        (kind, url), *_ = entry.items()
        if kind in ("archive", "base") and str(url).startswith(("http://", "https://")):
            return Location(kind, str(url))
    raise DatasetError(
        f"{where}: each entry of 'public' is 'archive: URL' or 'base: URL', got {entry!r}"
    )


def _check(spec: DatasetSpec, where: str) -> None:
    def expect(condition: bool, message: str) -> None:
        if not condition:
            raise DatasetError(f"{where}: {message}")

    expect(spec.group in GROUPS, f"group is one of {GROUPS}, got {spec.group!r}")
    expect(spec.row_order in ROW_ORDERS, f"row_order is one of {ROW_ORDERS}, got {spec.row_order}")
    expect(
        all(isinstance(label, str) for label in spec.classes),
        "labels in 'classes' must be quoted strings",
    )
    expect(
        len(spec.classes) == len(spec.class_counts),
        f"{len(spec.classes)} classes but {len(spec.class_counts)} class_counts",
    )
    expect(
        sum(spec.class_counts) == spec.n_samples,
        f"class_counts add up to {sum(spec.class_counts)}, n_samples is {spec.n_samples}",
    )
    expect(
        len(spec.names_of_features) == spec.n_features,
        f"{len(spec.names_of_features)} feature_names but n_features is {spec.n_features}",
    )
    sizes = spec.split_sizes
    expect(
        sizes is None or sum(sizes) == spec.n_samples,
        f"split {sizes} does not add up to n_samples {spec.n_samples}",
    )
    expect(
        spec.split is None or spec.row_order == "source",
        "a fixed split needs row_order: source",
    )
