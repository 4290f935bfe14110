"""What the data tests share: a toy data set, and downloads that never sleep."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from metriclearn.datasets.content import content_hash
from metriclearn.datasets.download import DownloadOptions
from metriclearn.datasets.spec import DatasetSpec, spec_from_dict

TOY_TEXT = b"1,2,0.5,a\n4,5,0.25,b\n7,8,1e-3,a\n10,11,-3,c\n"
TOY_X = np.array([[1, 2, 0.5], [4, 5, 0.25], [7, 8, 1e-3], [10, 11, -3]])
TOY_Y = np.array([0, 1, 0, 2])
TOY_HASH = content_hash(TOY_X, TOY_Y, ["a", "b", "c"])


@pytest.fixture(autouse=True)
def online(isolated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network may be asked, which for a test is loopback."""
    monkeypatch.delenv("METRICLEARN_OFFLINE")


@dataclass
class Patience:
    """Download options that never sleep, and the pauses that were asked for."""

    pauses: list[float] = field(default_factory=list)

    def options(self, **changes: object) -> DownloadOptions:
        settings = {"connect_timeout": 2.0, "read_timeout": 2.0, "sleep": self.pauses.append}
        return DownloadOptions(**{**settings, **changes})


@pytest.fixture
def patience() -> Patience:
    return Patience()


def make_toy(**changes: object) -> DatasetSpec:
    facts = {
        "name": "toy",
        "title": "Toy",
        "group": "uci",
        "n_samples": 4,
        "n_features": 3,
        "classes": ["a", "b", "c"],
        "class_counts": [2, 1, 1],
        "content_hash": TOY_HASH,
        "folder": "toy",
        "files": ["toy.data"],
        "reader": {"kind": "delimited"},
        "page": "https://example.org/toy",
        "donors": "nobody",
        "licence": "CC0",
        "citation": "none",
    }
    return spec_from_dict({**facts, **changes}, "toy.yaml")


@pytest.fixture
def toy() -> Callable[..., DatasetSpec]:
    """Makes the spec of a data set of four rows, with changes."""
    return make_toy


@pytest.fixture
def toy_text() -> bytes:
    """The file of the toy data set."""
    return TOY_TEXT
