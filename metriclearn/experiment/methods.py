"""What conf/method says about a method, checked."""

import re
from pathlib import Path

from ..evaluation.estimator import arguments
from ..evaluation.grid import SCALES
from ..files.errors import PipelineError, one_line
from ..files.resources import conf_dir

PAIR_KEYS = ("k", "dissimilar")
PAPER_ORDER = (
    "euclidean",
    "nca",
    "itml",
    "mcml",
    "ldml",
    "lmnn",
    "plml",
    "dml_eig",
    "pcml",
    "ncml",
)


def list_methods():
    """Names in conf/method: the paper's in its order, then the others."""
    names = sorted(path.stem for path in (conf_dir() / "method").glob("*.yaml"))
    return [n for n in PAPER_ORDER if n in names] + [n for n in names if n not in PAPER_ORDER]


def all_methods():
    """What an experiment with ``methods: all`` has."""
    return [name for name in list_methods() if read_method(name).get("in_all", True)]


def read_method(name):
    """The file of one method as a plain dict."""
    known = list_methods()
    if name not in known:
        raise PipelineError(f"unknown method {name!r}; there are {', '.join(known)}")
    path = conf_dir() / "method" / f"{name}.yaml"
    return check_file(_load_yaml(path), path)


def _load_yaml(path):
    # Hydra's loader, so that 1e-3 is a number here as it is there.
    from omegaconf import OmegaConf

    try:
        return OmegaConf.to_container(OmegaConf.load(path))
    except Exception as error:
        raise PipelineError(f"{path}: not valid yaml: {one_line(error)}") from error


def check_file(method, path):
    """The facts are there and of their type."""
    path = Path(path)
    if not isinstance(method, dict):
        raise PipelineError(f"{path}: expected a mapping of keys, got {type(method).__name__}")
    for key, kind in (("name", str), ("title", str), ("estimator", str), ("tune", dict)):
        if not isinstance(method.get(key), kind):
            raise PipelineError(f"{path}: {key} must be a {kind.__name__}, got {method.get(key)!r}")
    if method["name"] != path.stem:
        raise PipelineError(f"{path}: name must be {path.stem!r}, got {method['name']!r}")
    if not isinstance(method.setdefault("pairs", False), bool):
        raise PipelineError(f"{path}: pairs must be true or false, got {method['pairs']!r}")
    if not isinstance(method.get("in_all", True), bool):
        raise PipelineError(f"{path}: in_all must be true or false, got {method['in_all']!r}")
    for key in ("max_train", "tune_samples"):
        limit = method.setdefault(key, None)
        if limit is not None and type(limit) is not int:
            raise PipelineError(f"{path}: {key} must be a number or null, got {limit!r}")
    colour = method.setdefault("colour", None)
    if colour is not None and not re.fullmatch("#[0-9A-Fa-f]{6}", str(colour)):
        raise PipelineError(f"{path}: colour must be quoted, as '#D55E00', got {colour!r}")
    check_grid(method, path)
    check_matching(method, path)
    check_extend(method, path)
    return method


def check_matching(method, path):
    """What a method does differently on images: arguments of its own, and a grid."""
    own = method.setdefault("matching", {})
    if not isinstance(own, dict):
        raise PipelineError(f"{path}: matching must be a mapping of keys, got {own!r}")
    for key in own:
        if key not in ("tune", *arguments(method)):
            known = ", ".join(["tune", *arguments(method)])
            raise PipelineError(f"{path}: matching has the key {key!r}; keys are {known}")
    # Pairs come from the image set there: k and dissimilar are no parameters.
    grid = {**method, "tune": own.get("tune", {}), "pairs": False}
    check_grid(grid, f"{path}: matching")


def check_extend(method, path):
    """Only a parameter that is tuned, by positive numbers, can be extended."""
    extend = method.setdefault("extend", {})
    if not isinstance(extend, dict) or not set(extend.values()) <= set(SCALES):
        raise PipelineError(
            f"{path}: extend must map parameters to {' or '.join(SCALES)}, got {extend!r}"
        )
    for name in extend:
        grids = [own["tune"].get(name) for own in (method, method["matching"]) if "tune" in own]
        values = [value for grid in grids for value in grid or []]
        if not values or not all(type(value) is float and value > 0.0 for value in values):
            raise PipelineError(
                f"{path}: extend names {name!r}, which needs a grid of values above 0 such as 1.0"
            )


def check_grid(method, where):
    """Every tuned parameter is one, with a list of values."""
    for key, values in method["tune"].items():
        allowed = arguments(method) + (list(PAIR_KEYS) if method["pairs"] else [])
        if key not in allowed:
            raise PipelineError(
                f"{where}: tune has the key {key!r}; parameters are {', '.join(allowed) or 'none'}"
            )
        if not isinstance(values, list) or not values:
            raise PipelineError(f"{where}: tune.{key} must be a list of values, got {values!r}")


def check_types(method):
    """Each value has the type it has in the method's file."""
    base = read_method(method["name"])
    for key, value in method.items():
        if key not in base:
            raise PipelineError(f"unknown key method.{key}; keys are {', '.join(base)}")
        if not _fits(base[key], value):
            raise PipelineError(
                f"method.{key} must be of type {_kind(base[key])} as in "
                f"conf/method/{method['name']}.yaml, got {value!r}"
            )
    check_grid(method, "method")
    return method


def _fits(base, value):
    if base is None or value is None:
        return True
    if isinstance(base, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is type(base)


def _kind(value):
    return type(value).__name__
