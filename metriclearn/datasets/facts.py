"""Yaml files of facts, whose keys are those of a dataclass."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from .errors import DatasetError


def read_yaml(path: Path) -> Any:
    """The content of a yaml file; nothing in it is executed."""
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise DatasetError(f"{path}: not valid yaml: {' '.join(str(error).split())}") from error


def known_keys(raw: Any, kind: type, where: str) -> dict[str, Any]:
    """``raw`` as a dict that has every required key of dataclass ``kind`` and no other."""
    if not isinstance(raw, Mapping):
        raise DatasetError(f"{where}: expected a mapping of keys, got {type(raw).__name__}")
    allowed = {f.name for f in fields(kind)}
    required = {
        f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING
    }
    if unknown := sorted(set(raw) - allowed):
        raise DatasetError(f"{where}: unknown key {unknown[0]!r}; keys are {sorted(allowed)}")
    if absent := sorted(required - set(raw)):
        raise DatasetError(f"{where}: missing key {absent[0]!r}")
    return dict(raw)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint for a name that is nearly one of the known ones, or nothing."""
    close = difflib.get_close_matches(name.lower().replace("-", "_"), known, n=3)
    return f" (did you mean {' or '.join(close)}?)" if close else ""
