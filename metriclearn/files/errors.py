"""Errors that a user can act on; a stage prints them as one line and exits with a code not 0."""

import sys
import warnings
from contextlib import contextmanager


class UserError(ValueError):
    """An error that a user can act on: one line with what was expected, what came, what to do."""


class PipelineError(UserError):
    """Wrong configuration or files of the pipeline; the message is one line."""


def one_line(error):
    """The message of an error on one line."""
    return " ".join(str(error).split()) or type(error).__name__


@contextmanager
def plain_warnings():
    """A warning as one line on stderr, without the code that gave it."""

    def show(message, category, filename, lineno, file=None, line=None):
        print(f"warning: {one_line(message)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def guard(work, *args):
    """Run ``work``; a ``UserError`` becomes one line on stderr and exit code 1."""
    try:
        with plain_warnings():
            return work(*args)
    except UserError as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        raise SystemExit(1) from None
    except MemoryError:
        print("error: out of memory; give the job more memory and run again", file=sys.stderr)
        raise SystemExit(1) from None
    except BrokenPipeError:  # the reader of the output has seen enough
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(
            f"error: {where}{error.strerror or one_line(error)}; fix this and run again, "
            "finished results are kept",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
