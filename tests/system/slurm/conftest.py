"""A cluster and small clones of the repository for the checks of this folder."""

import importlib.util
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # for cluster

from cluster import CPUS, PARTITION, Cluster, missing  # noqa: E402

INSTALL = "apt-get install --no-install-recommends slurmctld slurmd slurm-client munge"
LIMIT = 1800  # seconds for one workflow

QUEUE = """\
# @package _global_
defaults:
  - override /tuning: none
experiment:
  name: queue
  datasets: [./toy.csv]
  methods: [euclidean, pcml, patient]
  tables:
    table3: {kind: errors, group: own, paper: null}
  figures: {}
protocol: {repeats: 2, folds: 3, timeout: null}
"""


def _load(path):
    spec = importlib.util.spec_from_file_location("clones", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


clones = _load(HERE.parents[1] / "conftest.py")


def make_clone(folder):
    """A clone with a toy data set, three methods and the experiment above."""
    clones.make_clone(folder)
    (folder / "conf/experiment/queue.yaml").write_text(QUEUE)
    return folder


def _stop(signum, frame):
    raise KeyboardInterrupt


@pytest.fixture(scope="session")
def cluster():
    """Slurm, for as long as the checks run; stopped on failure, Ctrl-C and SIGTERM too."""
    if absent := missing():
        pytest.exit(f"no {', '.join(absent)}; on Debian: {INSTALL}", returncode=2)
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.exit("no executor plugin; pip install -e '.[slurm]'", returncode=2)
    signal.signal(signal.SIGTERM, _stop)
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, Cluster(folder) as running:
        yield running


@pytest.fixture(scope="session")
def queued(cluster):
    """Run the workflow of a clone on the cluster; returns its text."""

    def start(folder, *arguments, experiment="queue"):
        config = ["--config", f"experiment={experiment}"] if "--config" not in arguments else []
        command = clones.command(
            "--profile",
            "profiles/slurm",
            "--cores",
            str(CPUS),
            "--jobs",
            "8",
            "--default-resources",
            f"slurm_partition={PARTITION}",
            "--slurm-init-seconds-before-status-checks",
            "3",
            *arguments,
            *config,
        )
        env = {**clones.environment(), "PATH": cluster.environment["PATH"]}
        return subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(folder, *arguments, **options):
        process = start(folder, *arguments, **options)
        try:
            text, _ = process.communicate(timeout=LIMIT)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        assert process.returncode == 0, text
        return text

    run.start = start
    return run


def submissions(text):
    """The Slurm job ids that snakemake reports, in order."""
    return re.findall(r"submitted with SLURM jobid (\d+)", text)


def set_aside(folder, place):
    """Take the results out of a clone, as if nothing had run; what was compiled stays."""
    for name in ("results", "figures"):
        if (folder / name).exists():
            shutil.move(folder / name, place / name)
    return place


TIMED = ("claims", "ablation")  # tables that show times


def results(folder, run):
    """Every result that must not depend on where it was made: rows, and tables without times."""
    found = {}
    for path in sorted((folder / "results" / run).rglob("*")):
        rows = path.name.endswith((".rows.csv", ".data.csv", ".curve.csv"))
        table = path.parent.name == "tables" and path.suffix in (".csv", ".md", ".tex")
        if rows or (table and not path.name.startswith(TIMED)):
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found
