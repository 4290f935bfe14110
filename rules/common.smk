# The plan of the run, and what every rule needs.
import os
import re
import shlex
import sys
from functools import cache

sys.path.insert(0, str(workflow.basedir))

from metriclearn.pipeline.errors import guard
from metriclearn.pipeline.plan import Run, read_settings, slug

# Jobs call `python`: the one that runs this workflow, and this checkout of the package.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(workflow.basedir), os.environ.get("PYTHONPATH")])
)
os.environ["PYTHONUNBUFFERED"] = "1"

EXPERIMENT, OVERRIDES, STRICT = guard(read_settings, config)


@cache
def run_of(name):
    """The run of a results folder: the experiment asked for, or the smoke run."""
    choice = next((e for e in (EXPERIMENT, "smoke") if slug(e, OVERRIDES) == name), None)
    return guard(Run, choice, OVERRIDES)


MAIN = run_of(slug(EXPERIMENT, OVERRIDES))
guard(MAIN.check)


def holder(dataset):
    """The run that knows a data set."""
    return MAIN if dataset in MAIN.datasets else run_of(slug("smoke", OVERRIDES))


SUMMARY = " ".join(
    ["--experiment", EXPERIMENT]
    + (["--overrides", *map(shlex.quote, OVERRIDES)] if OVERRIDES else [])
)


wildcard_constraints:
    run="|".join(map(re.escape, {slug(EXPERIMENT, OVERRIDES), slug("smoke", OVERRIDES)})),
    dataset="[A-Za-z0-9_-]+",
    method="[a-z0-9_]+",
    repeat="[0-9]+",
    item="[A-Za-z0-9_]+",
    group="uci|digits|own|all",
