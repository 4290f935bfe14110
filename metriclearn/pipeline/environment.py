"""The environment in which the workflow's jobs run."""

import os
import sys


def use_this_checkout(folder):
    """Jobs call ``python``: let it be the one that runs now, with the package in ``folder``."""
    for name, value in (("PATH", os.path.dirname(sys.executable)), ("PYTHONPATH", str(folder))):
        parts = os.environ.get(name, "").split(os.pathsep)
        os.environ[name] = os.pathsep.join([value, *(p for p in parts if p and p != value)])
