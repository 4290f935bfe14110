"""Targets that a run is asked for by name: a mistyped one gets the nearest of those there are."""

import difflib
import os

from ..files.errors import PipelineError


def own_files(run):
    """The files of one's own that a run reads, as snakemake names them: no targets."""
    return [os.path.normpath(facts["path"]) for facts in run.datasets.values() if "path" in facts]


def unknown_target(target, names):
    """Refuse a target that is none of the names."""
    known = sorted(names)
    close = difflib.get_close_matches(target, known, n=1)
    there = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
    raise PipelineError(f"unknown target {target!r}; {there}")
