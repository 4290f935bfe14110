# The plan of the run, and what every rule needs.
import re
import shlex
import sys
from functools import cache

sys.path.insert(0, str(workflow.basedir))

from metriclearn.experiment import commands
from metriclearn.experiment.fingerprint import fingerprint
from metriclearn.experiment.overrides import read_settings, slug
from metriclearn.experiment.run import Run
from metriclearn.files.errors import guard
from metriclearn.presentation.kinds import depends_on, inputs_of
from metriclearn.vision.spec import load_image_spec
from metriclearn.workflow.environment import (
    one_run_at_a_time,
    one_timer_at_a_time,
    use_this_checkout,
)

use_this_checkout(workflow.basedir)
EXPERIMENT, OVERRIDES, STRICT = guard(read_settings, config)
ALL_CORES = workflow.resource_settings.cores or 1  # a report needs none


@cache
def run_of(name):
    """The run of a results folder: the experiment asked for, or the smoke run."""
    choice = next(e for e in (EXPERIMENT, "smoke") if slug(e, OVERRIDES) == name)
    return guard(Run, choice, OVERRIDES)


def one_of(names):
    """A pattern for exactly these; for nothing if there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def flat(lists):
    """The members of all lists of a dict."""
    return [path for paths in lists.values() for path in paths]


MAIN = run_of(slug(EXPERIMENT, OVERRIDES))
SMOKE = run_of(slug("smoke", OVERRIDES))
guard(MAIN.check)
guard(SMOKE.ablations.check)
ABLATIONS = {**SMOKE.ablations.tables, **MAIN.ablations.tables}


def holder(dataset):
    """The run that knows a data set."""
    return MAIN if dataset in MAIN.datasets else SMOKE


def image_code(stage, images, *features):
    """The fingerprint of a stage with the readers and extractors of features, by default all."""
    modules = load_image_spec(images).modules(*features)
    return fingerprint(f"metriclearn.stages.{stage}", *modules)


def summary_arguments():
    """For the summary at the end: the run that was asked for."""
    smoke = set(workflow.dag_settings.targets) == {"smoke"}
    return commands.run_options(SMOKE if smoke else MAIN)


wildcard_constraints:
    run=one_of([MAIN.name, SMOKE.name]),
    dataset="[A-Za-z0-9_-]+",
    method="[a-z0-9_]+",
    repeat="[0-9]+(-[0-9]+)?",
    item="[A-Za-z0-9_]+",
    images="[a-z0-9_]+",
    feature="[a-z0-9_]+",
