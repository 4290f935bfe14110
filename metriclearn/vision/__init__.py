"""Faces and persons: image sets and their features.

Names are imported when they are first used, so that a comparison of features needs neither the
image libraries nor the code that reads images.
"""

from importlib import import_module

PLACES = {
    "FeatureSet": "featureset",
    "ImageSpec": "spec",
    "fetch_features": "files",
    "list_image_sets": "spec",
    "load_features": "load",
    "load_image_spec": "spec",
    "save_unavailable": "featureset",
    "simulated_faces": "simulated",
    "simulated_persons": "simulated",
}
__all__ = sorted(PLACES)


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{PLACES[name]}", __name__), name)
