"""What completes the configuration of a job on images: the image set's facts, the method's own.

``matching`` in a method's file says what the method does differently on images: its grid
(``tune``) and its arguments. A method without it keeps those of classification.
"""

from .config import set_by_hand
from .methods import PAIR_KEYS, check_types, read_method


def matching_job(config, overrides=()):
    """The facts of the image set and its feature, and the method as images need it."""
    from ..vision.spec import load_image_spec

    config["method"] = matching_method(config["method"], set_by_hand(overrides))
    spec = load_image_spec(config["images"]["name"])
    config["feature"] = spec.feature(config["feature"])
    config["images"] = image_facts(spec, config["feature"], config["matching"]["pca"])
    return config


def matching_method(method, by_hand):
    """The method's file, then its ``matching``, then what was set by hand.

    Pairs are given by the image set, so what the group ``pairs`` offers is not tuned.
    """
    base = read_method(method["name"])
    own = dict(method.get("matching") or {})
    tune = own.pop("tune", None)
    if "method.tune" in {".".join(key.split(".")[:2]) for key in by_hand} or tune is None:
        tune = {
            key: values
            for key, values in method["tune"].items()
            if key not in PAIR_KEYS or (key in base and not base["pairs"])
        }
    changes = {key: value for key, value in own.items() if f"method.{key}" not in by_hand}
    tune = {key: values for key, values in tune.items() if f"method.{key}" not in by_hand}
    return check_types({**base, **method, **changes, "tune": tune})


def image_facts(spec, feature, pca="paper"):
    """What a job needs to know about an image set: the parts of its feature, their dimensions."""
    parts = list(spec.combines(feature))
    dimensions = [
        None if pca == "none" else spec.features[part]["pca"] if pca == "paper" else pca
        for part in parts
    ]
    return {"name": spec.name, "task": spec.task, "parts": parts, "pca": dimensions}
