"""Folders of the configuration, the shipped data, the cache and the mirror.

Two layouts are supported. In a checkout (or an editable install) ``conf/`` and ``data/`` are next
to the package. In a wheel they are inside it: ``metriclearn/_conf``, ``metriclearn/_data``.
"""

import os
from pathlib import Path

from .errors import UserError

PACKAGE = Path(__file__).resolve().parents[1]

CACHE_VARIABLE = "METRICLEARN_CACHE"
DATA_VARIABLE = "METRICLEARN_DATA"
MIRROR_VARIABLE = "METRICLEARN_MIRROR"
OFFLINE_VARIABLE = "METRICLEARN_OFFLINE"


def _checkout_root() -> Path | None:
    root = PACKAGE.parent
    return root if (root / "conf" / "dataset").is_dir() and (root / "data").is_dir() else None


def _folder_from(variable: str) -> Path | None:
    value = os.environ.get(variable, "").strip()
    return Path(value).expanduser() if value else None


def conf_dir() -> Path:
    """The folder with the configuration, such as ``dataset/<name>.yaml``."""
    root = _checkout_root()
    folder = root / "conf" if root else PACKAGE / "_conf"
    if not (folder / "dataset").is_dir():
        raise UserError(
            f"no data set configurations in {folder / 'dataset'}; reinstall the package or work "
            "in a complete checkout (conf/ and data/ next to metriclearn/)"
        )
    return folder


def data_dir() -> Path:
    """The folder with the shipped data sets; ``METRICLEARN_DATA`` overrides it."""
    chosen = _folder_from(DATA_VARIABLE)
    if chosen:
        return chosen
    root = _checkout_root()
    return root / "data" if root else PACKAGE / "_data"


def cache_dir() -> Path:
    """The folder of fetched files: ``METRICLEARN_CACHE`` or the user's cache folder."""
    chosen = _folder_from(CACHE_VARIABLE)
    if chosen:
        return chosen
    from platformdirs import user_cache_path

    return user_cache_path("metriclearn", appauthor=False)


def mirror_dir() -> Path | None:
    """The folder with copies of the public files, if ``METRICLEARN_MIRROR`` names one."""
    return _folder_from(MIRROR_VARIABLE)


def offline() -> bool:
    """Whether the network must not be used (``METRICLEARN_OFFLINE=1``)."""
    return os.environ.get(OFFLINE_VARIABLE, "").strip().lower() in {"1", "true", "yes", "on"}


def shown(path: Path) -> str:
    """A path for messages, relative to its variable or the home folder.

    So a result row is the same on every machine and contains no private paths.
    """
    places = [(f"${name}", _folder_from(name)) for name in (MIRROR_VARIABLE, CACHE_VARIABLE)]
    for name, folder in [*places, ("~", Path.home())]:
        if folder is not None and path.is_relative_to(folder):
            return str(Path(name) / path.relative_to(folder))
    return str(path)
