"""The facts of an image set, read from ``conf/images/<name>.yaml`` and checked.

The yaml file is the only place that holds these facts: the task, the features with the dimension
that PCA reduces them to, and the files with their sources and formats. A feature is one of

- ``{pca, files}``: the files hold the features;
- ``{pca, files, extractor, options}``: computed from images by a module of ``vision/features``,
  to which ``options`` (optional) are passed;
- ``{pca, combines}``: the scores of other features, added.

``files`` are roles, read in this order: a file that names the images (such as pairs) comes before
those that hold something for each image. ``extra: true`` marks a feature whose files only some
users have. Tables call a feature by its ``title``, with its ``note`` as a footnote; one that is not
the paper's own stands beside the paper's numbers of the feature that it is used ``instead_of``.
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
from .registry import FEATURES, READERS, list_modules, module_name

SHOWN_KEYS = ("title", "note", "instead_of")
FEATURE_KEYS = ("pca", "files", "extractor", "options", "combines", "extra", *SHOWN_KEYS)


@dataclass(frozen=True, kw_only=True)
class ImageFile:
    """One file of an image set; each has its own sources."""

    name: str  # as published, and in the mirror and the cache
    check: str  # what it must hold, for a user who gets it by hand
    reader: Mapping[str, Any]  # {kind: a module of vision/readers, and its options}
    page: str = ""  # web page of the file; the set's page if empty
    urls: tuple[str, ...] = ()  # direct downloads
    also: tuple[str, ...] = ()  # files or folders accepted in its place
    optional: bool = False
    sha256: str = ""  # for a file that is published in one version only

    @property
    def locations(self) -> tuple[Location, ...]:
        return tuple(Location("file", url) for url in self.urls)


@dataclass(frozen=True, kw_only=True)
class ImageSpec:
    """Facts of one image set. Keys are those of the yaml file."""

    name: str
    title: str
    task: str
    features: Mapping[str, Mapping[str, Any]]  # by name, see above
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

    def extractor(self, feature: str) -> str | None:
        """The module of ``vision/features`` that computes ``feature``, if one does."""
        return self.features[self.feature(feature)].get("extractor")

    def extractor_options(self, feature: str) -> dict[str, Any]:
        return dict(self.features[self.feature(feature)].get("options", {}))

    def feature_title(self, feature: str) -> str:
        """What tables and figures call a feature."""
        return self.features[self.feature(feature)].get("title") or feature.replace("_", " + ")

    def feature_note(self, feature: str) -> str | None:
        """What a footnote must say wherever numbers of a feature are shown."""
        return self.features[self.feature(feature)].get("note")

    def paper_feature(self, feature: str) -> str:
        """The feature of the paper whose numbers stand beside those of ``feature``."""
        return self.features[self.feature(feature)].get("instead_of", feature)

    def recipe(self, feature: str) -> dict[str, Any]:
        """What decides the values of ``feature``, besides the files and the code."""
        return {
            "readers": {role: dict(self.files[role].reader) for role in self.roles(feature)},
            "extractor": self.extractor(feature),
            "options": self.extractor_options(feature),
            "simulate": dict(self.simulate or {}),
        }

    def modules(self, *features: str) -> list[str]:
        """The modules that read and compute the given features, by default all of the set.

        They are found by name when they are used, so no import statement shows them.
        """
        parts = [p for feature in features or self.features for p in self.combines(feature)]
        readers = [self.files[role].reader["kind"] for part in parts for role in self.roles(part)]
        extractors = [kind for part in parts if (kind := self.extractor(part))]
        found = [module_name(READERS, kind) for kind in readers]
        found += [module_name(FEATURES, kind) for kind in extractors]
        return sorted(set(found))


def list_image_sets(*, simulated: bool = True) -> list[str]:
    """Names that ``load_image_spec`` knows, in alphabetical order, the simulated ones last."""
    specs = [load_image_spec(path.stem) for path in _folder().glob("*.yaml")]
    chosen = [spec for spec in specs if simulated or not spec.simulated]
    return [spec.name for spec in sorted(chosen, key=lambda s: (s.simulated, s.name))]


def load_image_spec(name: str) -> ImageSpec:
    """The facts of image set ``name``; ``UnknownDataset`` lists the known sets."""
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

    def expect_module(folder: str, name: str | None, what: str) -> None:
        known = list_modules(folder)
        expect(name is None or name in known, f"{what} is one of {known}, got {name!r}")

    expect(spec.task in TASKS, f"task is one of {TASKS}, got {spec.task!r}")
    expect(bool(spec.features), "an image set needs a feature")
    expect(
        spec.simulated or bool(spec.folder and spec.page and spec.files),
        "a set that is not simulated needs folder, page and files",
    )
    for name, facts in spec.features.items():
        expect(isinstance(facts, Mapping) and "pca" in facts, f"feature {name} needs 'pca'")
        pca = facts["pca"]
        expect(
            pca is None or (isinstance(pca, int) and pca > 0),
            f"pca of feature {name} is a number of dimensions or null, got {pca!r}",
        )
        unknown = sorted(set(facts) - set(FEATURE_KEYS))
        expect(not unknown, f"feature {name}: unknown keys {unknown}; keys are {FEATURE_KEYS}")
        for key, known in (("files", spec.files), ("combines", spec.features)):
            absent = [entry for entry in facts.get(key, ()) if entry not in known]
            expect(not absent, f"feature {name}: {key} names {absent}, there are {list(known)}")
        beside = facts.get("instead_of", name)
        expect(
            beside in spec.features,
            f"feature {name}: instead_of names {beside!r}, there are {list(spec.features)}",
        )
        expect(
            spec.simulated or ("files" in facts) != ("combines" in facts),
            f"feature {name} needs either files or combines",
        )
        expect_module(FEATURES, facts.get("extractor"), f"feature {name}: extractor")
        options = facts.get("options", {})
        expect(isinstance(options, Mapping), f"feature {name}: options is a mapping of names")
    for role, file in spec.files.items():
        expect(
            isinstance(file.reader, Mapping),
            f"files: {role}: reader needs a kind and its options, got {file.reader!r}",
        )
        expect_module(READERS, file.reader.get("kind", ""), f"files: {role}: reader kind")
        bad = [url for url in file.urls if not str(url).startswith(("http://", "https://"))]
        expect(not bad, f"files: {role}: not a URL: {bad}")
