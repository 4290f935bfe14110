"""Running a fold: its threads, its time limit, and how a failure becomes a row with a status."""

import faulthandler
import signal
import sys
import threading
import warnings
from contextlib import contextmanager

from ..files.errors import PipelineError, one_line

GRACE = 60.0  # seconds after the time limit in which a call into C may still return


class FoldTimeout(Exception):
    """A fold took longer than the protocol allows."""


class FoldSkipped(Exception):
    """A fold that a method does not take, with the reason."""


def progress(folds, name):
    """The folds, with a bar and an estimate if somebody looks: in a terminal, not in a log.

    To be used in a with statement, so that the bar is gone before an error is told.
    """
    from tqdm import tqdm

    return tqdm(folds, desc=name, unit="fold", disable=None, leave=False)


def attempt(work, row, timeout, setting):
    """Call ``work()``; where it fails ``row`` gets a status and a message, and the others go on.

    ``setting`` names the time limit in the message. An error in the configuration or the files is
    no failure of a method: it ends the job. Nor is a machine without memory: another run may have
    more, so no row may say that the method has no result.
    """
    try:
        with recorded(row, "warnings"), time_limit(timeout):
            work()
    except FoldTimeout:
        row.update(status="timeout", message=f"longer than {timeout:g} s ({setting})")
    except FoldSkipped as error:
        row.update(status="skipped", message=str(error))
    except PipelineError:
        raise
    except MemoryError as error:
        raise PipelineError(
            f"out of memory ({one_line(error)}); give the job more and run again"
        ) from error
    except Exception as error:  # a method may fail in any way; the others go on
        row.update(status="failed", message=f"{type(error).__name__}: {one_line(error)}"[:300])


@contextmanager
def recorded(row, column):
    """Add the warnings of a block to a column, also where the block fails."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            texts = {one_line(w.message) for w in caught} | {*row.get(column, "").split("; ")}
            row[column] = "; ".join(sorted(texts - {""}))[:300]


def warm_up(work):
    """Compile and load what a first fit needs, so that the timed fit is only a fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            work()
        except FoldTimeout:
            raise
        except Exception:  # the real fit will say what is wrong
            pass


@contextmanager
def limited_threads(count):
    """BLAS, OpenMP and numba with ``count`` threads."""
    import numba
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    try:
        with threadpool_limits(count):
            yield
    finally:
        numba.set_num_threads(before)


@contextmanager
def time_limit(seconds):
    """Raise FoldTimeout after ``seconds``; Python notices it when a call into C returns.

    One that never returns ends the job after ``GRACE`` more, with a traceback in its log.
    """
    usable = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return

    def stop(signum, frame):
        raise FoldTimeout

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    watch = hasattr(sys.stderr, "fileno") and sys.stderr is sys.__stderr__
    if watch:
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True)
    try:
        yield
    finally:
        if watch:
            faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
