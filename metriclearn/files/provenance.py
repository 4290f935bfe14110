"""What made a row: the versions of the code and the libraries, and the processor."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
COLUMNS = ["version", "commit", "python", *LIBRARIES, "threads", "processor"]


def provenance(threads):
    """The columns of times.csv with the provenance of a row."""
    from .. import __version__

    row = {"version": __version__, "commit": commit(), "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            row[library] = version(library)
        except PackageNotFoundError:
            row[library] = None
    return {**row, "threads": threads, "processor": processor()}


def processor():
    """The name of the processor as the system has it; empty if it says nothing."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), "")


def commit():
    """The commit of the checkout, with + if files differ from it; empty outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        command = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--exclude=*"]
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
