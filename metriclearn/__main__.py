"""The command line: ``metriclearn STAGE …``, the same as ``python -m metriclearn STAGE …``."""

import ast
import difflib
import gc
import os
import sys
from importlib import import_module
from pathlib import Path

from .workflow.arithmetic import pin

# In the order of the flow: data, features, jobs, results, what is kept in git.
STAGES = (
    "datasets",
    "fetch",
    "prepare",
    "split",
    "extract",
    "train",
    "grid",
    "timing",
    "match",
    "sweep",
    "gap",
    "stopping",
    "variants",
    "collect",
    "tables",
    "figures",
    "report",
    "summary",
    "compare",
    "publish",
)

# Between two looks for garbage. Importing makes none, and to look for it takes a tenth of a start.
ALLOCATIONS = 100_000


def main():
    """Run one stage; a reader of its output that stops early, as head does, ends it in silence."""
    try:
        try:
            return _run_stage()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 1


def _run_stage():
    stage, *rest = sys.argv[1:] or ["--help"]
    if stage in ("-h", "--help"):
        print(usage())
        return 0
    if stage not in STAGES:
        close = difflib.get_close_matches(stage, STAGES, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(STAGES)}"
        print(f"error: unknown stage {stage!r}; {hint}", file=sys.stderr)
        return 2
    pin()  # before anything loads NumPy
    gc.set_threshold(ALLOCATIONS)
    sys.argv = [f"metriclearn {stage}", *rest]
    try:
        return import_module(f"{__package__}.stages.{stage}").main()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == __package__:
            raise
        print(
            f"error: metriclearn {stage} needs the package {error.name}, which is missing; "
            "pip install 'metriclearn[pipeline]'",
            file=sys.stderr,
        )
        return 1


def usage():
    """The stages with the first line of what each says about itself; none is imported."""
    lines = ["usage: metriclearn STAGE [--help] …", "", "Stages, in the order of the flow:"]
    for stage in STAGES:
        source = Path(__file__).with_name("stages") / f"{stage}.py"
        text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
        lines.append(f"  {stage:<10} {text.partition(chr(10))[0]}")
    lines += [
        "",
        "metriclearn STAGE --help says more about one. The whole flow: snakemake --cores 8",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
