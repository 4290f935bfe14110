"""scikit-learn without pandas.

It imports pandas wherever that is installed, though arrays are all that a training job has: a sixth
of the job's start. Once it is loaded, pandas can be imported as usual.
"""

import sys


class NotFound:
    """A finder for ``sys.meta_path`` that hides pandas."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError("pandas is hidden while scikit-learn is loaded", name=name)
        return None


def load_sklearn():
    """Import what all of scikit-learn shares, once."""
    if "sklearn" in sys.modules or "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, NotFound)
    try:
        import sklearn.base  # noqa: F401
    finally:
        sys.meta_path.remove(NotFound)
