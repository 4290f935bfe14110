"""Errors that a user can act on, and how a stage ends with them: one line, exit code not 0."""

import sys


class UserError(ValueError):
    """What a user can act on; one line says what was expected, what came and what to do."""


class PipelineError(UserError):
    """Something in the configuration or the files is not as it should be; one line says what."""


def one_line(error):
    """The message of an error on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def guard(work, *args):
    """Run ``work``; an error of ours becomes one line on stderr and exit code 1."""
    try:
        return work(*args)
    except UserError as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        raise SystemExit(1) from None
    except MemoryError:
        print("error: out of memory; give the job more and run again", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(
            f"error: {where}{error.strerror or one_line(error)}; fix that and run again, "
            "what is done is kept",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
