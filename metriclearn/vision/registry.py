"""Readers of file formats and extractors of features, found by the names of their modules.

``conf/images/<set>.yaml`` names the reader of each file and the extractor of each feature that is
computed from images. See ``readers/__init__.py`` and ``features/__init__.py`` for their interfaces.
"""

import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ..datasets import DatasetError

READERS, FEATURES = "readers", "features"


def list_modules(folder: str) -> list[str]:
    """The readers, or the extractors."""
    found = pkgutil.iter_modules([str(Path(__file__).with_name(folder))])
    return sorted(module.name for module in found if not module.name.startswith("_"))


def module_name(folder: str, name: str) -> str:
    """The dotted name of a module of ``readers`` or ``features``."""
    return f"{__package__}.{folder}.{name}"


def load_module(folder: str, name: str) -> ModuleType:
    return import_module(module_name(folder, name))


def check_call(function: Callable, where: str, *args: Any, **options: Any) -> None:
    """``DatasetError`` if ``function`` does not take these arguments; nothing is called."""
    try:
        inspect.signature(function).bind(*args, **options)
    except TypeError as error:
        raise DatasetError(f"{where}: {error}") from None
