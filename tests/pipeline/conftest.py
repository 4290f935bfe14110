"""A small clone of the repository with its own data, in which real workflows run in seconds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

TINY = """\
# @package _global_
defaults:
  - override /tuning: none
experiment:
  name: tiny
  datasets: [./toy.csv]
  methods: [euclidean, pcml, patient]
  matching: quick
  tables:
    table3: {kind: errors, group: own, paper: null}
    faces:
      kind: matching
      images: tiny_faces
      features: [attribute]
      methods: [kissme, pcml]
      preprocess: [whiten]
      measures: [accuracy]
  figures:
    faces_roc: {kind: curves, table: faces}
protocol: {repeats: 2, folds: 3, timeout: null}
"""

# Without faces and with one repetition, for tests that need many runs.
SMALL = """\
# @package _global_
defaults:
  - override /tuning: none
experiment:
  name: small
  datasets: [./toy.csv]
  methods: [euclidean, patient]
  tables:
    table3: {kind: errors, group: own, paper: null}
protocol: {repeats: 1, folds: 3, timeout: null}
"""

FACES = """\
name: tiny_faces
title: Tiny simulated faces
task: verification
features: {attribute: {pca: 4}}
simulate: {n_folds: 3, n_each: 30, n_features: 6, persons_per_fold: 4, images_per_person: 20}
"""

# Identity, but it stops for ever in the middle of a job while a file named "block" is there.
PATIENT = '''\
import signal
import time
from pathlib import Path

import numpy as np
from metriclearn.base import MetricLearner


class Patient(MetricLearner):
    def fit(self, X, y):
        if Path("block").exists():
            print("patient waits", flush=True)
            while True:  # not signal.pause(), which misses a signal that comes just before it
                time.sleep(0.1)
        self.n_features_in_ = X.shape[1]
        self.components_ = np.eye(X.shape[1])
        return self
'''

PATIENT_YAML = """\
name: patient
title: Patient
estimator: metriclearn.patient.Patient
tune: {}
"""


def write_csv(path, n=30, seed=0):
    """Two classes in three features, the label last."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        values = rng.normal(size=3) + 2.0 * (i % 2)
        lines.append(",".join(f"{value:.4f}" for value in values) + f",{'ab'[i % 2]}")
    Path(path).write_text("\n".join(lines) + "\n")
    return str(path)


def make_clone(folder):
    for name in ("conf", "metriclearn", "profiles", "rules"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("Snakefile", "environment.yml"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / "data").mkdir()
    (folder / "conf/experiment/tiny.yaml").write_text(TINY)
    (folder / "conf/experiment/small.yaml").write_text(SMALL)
    (folder / "conf/images/tiny_faces.yaml").write_text(FACES)
    (folder / "conf/method/patient.yaml").write_text(PATIENT_YAML)
    (folder / "metriclearn/patient.py").write_text(PATIENT)
    write_csv(folder / "toy.csv")
    return folder


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith("METRICLEARN_")}
    return {**env, "METRICLEARN_OFFLINE": "1"}


def command(*arguments):
    return [sys.executable, "-m", "snakemake", *arguments]


def snakemake(folder, *arguments, experiment="tiny"):
    """Run the workflow of a clone; returns the finished process with its text."""
    config = ["--config", f"experiment={experiment}"] if "--config" not in arguments else []
    return subprocess.run(
        command(*arguments, *config), cwd=folder, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def module(folder, name, *arguments):
    """Run ``python -m metriclearn.<name>``."""
    return subprocess.run(
        [sys.executable, "-m", f"metriclearn.{name}", *arguments], cwd=folder, text=True,
        env={**environment(), "PYTHONPATH": str(ROOT)}, capture_output=True,
    )  # fmt: skip


def job_counts(text):
    """{rule: count} of the table of jobs that snakemake prints."""
    _, found, rest = text.partition("Job stats:")
    if not found:
        return {}
    lines = rest.strip().splitlines()[2:]
    counts = {}
    for line in lines:
        words = line.split()
        if len(words) != 2 or not words[1].isdigit():
            break
        counts[words[0]] = int(words[1])
    counts.pop("total", None)
    return counts


@pytest.fixture(scope="session")
def kit():
    """The functions above, for the tests."""
    return SimpleNamespace(
        root=ROOT, write_csv=write_csv, make_clone=make_clone, environment=environment,
        command=command, snakemake=snakemake, module=module, job_counts=job_counts,
    )  # fmt: skip


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A clone in which the tiny experiment has run on two cores."""
    folder = make_clone(tmp_path_factory.mktemp("finished"))
    done = snakemake(folder, "--cores", "2")
    assert done.returncode == 0, done.stdout
    return folder, done.stdout
