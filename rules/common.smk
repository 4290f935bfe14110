# The plan of the run, and what every rule needs.
import re
import shlex
import sys
from functools import cache

sys.path.insert(0, str(workflow.basedir))

from metriclearn.pipeline.environment import one_run_at_a_time, use_this_checkout
from metriclearn.pipeline.errors import guard
from metriclearn.pipeline.overrides import read_settings, slug
from metriclearn.pipeline.plan import Run

use_this_checkout(workflow.basedir)
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


def summary_arguments():
    """For the summary at the end: the run that was asked for."""
    smoke = set(workflow.dag_settings.targets) == {"smoke"}
    return run_of(slug("smoke" if smoke else EXPERIMENT, OVERRIDES)).command()


wildcard_constraints:
    run="|".join(map(re.escape, {slug(EXPERIMENT, OVERRIDES), slug("smoke", OVERRIDES)})),
    dataset="[A-Za-z0-9_-]+",
    method="[a-z0-9_]+",
    repeat="[0-9]+",
    item="[A-Za-z0-9_]+",
    group="uci|digits|own|all|matching",
    images="[a-z0-9_]+",
    feature="[a-z0-9_]+",
    preprocess="[a-z_]+",
