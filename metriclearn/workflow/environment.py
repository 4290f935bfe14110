"""The environment in which the workflow's jobs run."""

import os
import sys
import threading
from pathlib import Path

from ..files.errors import PipelineError

_HELD = []


def use_this_checkout(folder):
    """Jobs call ``python``: let it be the one that runs now, with the package in ``folder``."""
    for name, value in (("PATH", os.path.dirname(sys.executable)), ("PYTHONPATH", str(folder))):
        parts = os.environ.get(name, "").split(os.pathsep)
        os.environ[name] = os.pathsep.join([value, *(p for p in parts if p and p != value)])


def one_run_at_a_time(folder=".snakemake"):
    """Refuse to run where another run is going on: both would delete each other's outputs.

    The system takes the lock back when the process ends, however it ends.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    Path(folder).mkdir(exist_ok=True)
    file = open(Path(folder) / "metriclearn.lock", "a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise PipelineError(
            f"another run (process {file.read().strip()}) is going on in this folder; wait for it, "
            "or use another clone"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    _HELD.append(file)  # open, and so locked, until this process ends


def one_timer_at_a_time(scheduler):
    """Let the scheduler look again after a second, but not once more for each job that has ended.

    Snakemake starts a timer at each look, which causes the next one; so does each job that ends,
    and none of these chains stops: after some hundred jobs they take a third of a core. To have
    none would not do: a look at which the solver finds nothing in time must be repeated.
    """
    if not hasattr(scheduler, "_schedule_reevalutation"):
        return
    pending = []

    def look_again(delay):
        if not pending:
            pending.append(delay)
            timer = threading.Timer(delay, wake)
            timer.daemon = True
            timer.start()

    def wake():
        pending.clear()
        scheduler._open_jobs.release()

    scheduler._schedule_reevalutation = look_again
