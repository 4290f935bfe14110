"""What is known about an image set, read from ``conf/images/<name>.yaml`` and checked.

The yaml file is the one place that holds these facts: the task, the features with the dimension
that PCA reduces them to, and the files with where they come from and the check they must pass.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..datasets import DatasetError, UnknownDataset
from ..datasets.facts import did_you_mean, known_keys, read_yaml
from ..datasets.spec import Location
from ..files.resources import conf_dir
from .featureset import TASKS


@dataclass(frozen=True, kw_only=True)
class ImageFile:
    """One file of an image set; each comes from its own place."""

    name: str  # as published, and in the mirror and the cache
    check: str  # what it must hold, said to the person who gets it by hand
    page: str = ""  # where a person finds it; the set's page if empty
    urls: tuple[str, ...] = ()  # direct downloads
    also: tuple[str, ...] = ()  # other files or folders that serve as well
    optional: bool = False
    sha256: str = ""

    @property
    def locations(self) -> tuple[Location, ...]:
        return tuple(Location("file", url) for url in self.urls)


@dataclass(frozen=True, kw_only=True)
class ImageSpec:
    """Facts of one image set. Keys are those of the yaml file."""

    name: str
    title: str
    task: str
    features: Mapping[str, Mapping[str, Any]]  # name -> {pca, files} or {pca, combines}
    folder: str = ""  # folder in the mirror and in the cache
    files: Mapping[str, ImageFile] = field(default_factory=dict)  # role -> file
    page: str = ""
    citation: str = ""
    licence: str = ""
    notes: str = ""
    simulate: Mapping[str, int] | None = None  # sizes and seed, see simulated.py; None: real

    @property
    def simulated(self) -> bool:
        return self.simulate is not None

    @property
    def public(self) -> tuple[str, ...]:
        """All direct downloads."""
        return tuple(url for file in self.files.values() for url in file.urls)

    @property
    def default_feature(self) -> str:
        return next(iter(self.features))

    def feature(self, name: str | None = None) -> str:
        """A feature's name, checked; the first one if none is given."""
        name = self.default_feature if name is None else name
        if name not in self.features:
            raise DatasetError(
                f"image set {self.name} has no feature {name!r}; there are "
                f"{', '.join(self.features)}"
            )
        return name

    def combines(self, feature: str) -> tuple[str, ...]:
        """The features that ``feature`` is made of: itself, unless it is a combination."""
        return tuple(self.features[self.feature(feature)].get("combines", (feature,)))

    def roles(self, feature: str) -> tuple[str, ...]:
        """The files that ``feature`` is made from, by their role."""
        return tuple(self.features[self.feature(feature)].get("files", ()))


def list_image_sets(*, simulated: bool = True) -> list[str]:
    """Names that ``load_image_spec`` knows, in alphabetical order, the simulated ones last."""
    specs = [load_image_spec(path.stem) for path in _folder().glob("*.yaml")]
    chosen = [spec for spec in specs if simulated or not spec.simulated]
    return [spec.name for spec in sorted(chosen, key=lambda s: (s.simulated, s.name))]


def load_image_spec(name: str) -> ImageSpec:
    """The facts of image set ``name``; ``UnknownDataset`` lists what there is."""
    known = sorted(path.stem for path in _folder().glob("*.yaml"))
    if name not in known:
        hint = did_you_mean(str(name), known)
        raise UnknownDataset(f"unknown image set {name!r}{hint}; there are {', '.join(known)}")
    return _read_spec(_folder() / f"{name}.yaml")


def _folder() -> Path:
    return conf_dir() / "images"


@cache
def _read_spec(path: Path) -> ImageSpec:
    spec = image_spec_from_dict(read_yaml(path), str(path))
    if spec.name != path.stem:
        raise DatasetError(f"{path}: name is {spec.name!r}, expected {path.stem!r}")
    return spec


def image_spec_from_dict(raw: Any, where: str) -> ImageSpec:
    """A checked spec from a plain dict; ``where`` is named in errors."""
    values = known_keys(raw, ImageSpec, where)
    files = {}
    for role, entry in (values.get("files") or {}).items():
        entry = known_keys(entry, ImageFile, f"{where}: files: {role}")
        entry["page"] = entry.get("page") or values.get("page", "")
        for key in ("urls", "also"):
            entry[key] = tuple(entry.get(key) or ())
        files[role] = ImageFile(**entry)
    spec = ImageSpec(**{**values, "files": files})
    _check(spec, where)
    return spec


def _check(spec: ImageSpec, where: str) -> None:
    def expect(condition: bool, message: str) -> None:
        if not condition:
            raise DatasetError(f"{where}: {message}")

    expect(spec.task in TASKS, f"task is one of {TASKS}, got {spec.task!r}")
    expect(bool(spec.features), "an image set needs a feature")
    expect(
        spec.simulated or bool(spec.folder and spec.page and spec.files),
        "a set that is not simulated needs folder, page and files",
    )
    for name, facts in spec.features.items():
        expect(isinstance(facts, Mapping) and "pca" in facts, f"feature {name} must say its 'pca'")
        pca = facts["pca"]
        expect(
            pca is None or (isinstance(pca, int) and pca > 0),
            f"pca of feature {name} is a number of dimensions or null, got {pca!r}",
        )
        for key, known in (("files", spec.files), ("combines", spec.features)):
            absent = [entry for entry in facts.get(key, ()) if entry not in known]
            expect(not absent, f"feature {name}: {key} names {absent}, there are {list(known)}")
        expect(
            spec.simulated or ("files" in facts) != ("combines" in facts),
            f"feature {name} needs either files or combines",
        )
    for role, file in spec.files.items():
        bad = [url for url in file.urls if not str(url).startswith(("http://", "https://"))]
        expect(not bad, f"files: {role}: not a URL: {bad}")
