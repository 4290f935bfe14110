"""The constants behind docs/scaling.md: CPU seconds and memory, one thread.

    python tools/measure_scaling.py fit       pairs, neighbour search and solver by n, d and k
    python tools/measure_scaling.py plan      snakemake -n by number of data sets, two methods
    python tools/measure_scaling.py start     one small job

Each measurement is a process of its own. CPU time, so that a busy machine does not matter much.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SINGLE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
SIZES = [
    (4000, 16, 1),
    (16000, 16, 1),
    (64000, 16, 1),
    (16000, 64, 1),
    (64000, 64, 1),
    (16000, 64, 5),
    (64000, 64, 5),
    (16000, 256, 1),
]

EXPERIMENT = """\
# @package _global_
defaults:
  - override /protocol: quick
experiment:
  name: many
  datasets: [{names}]
  methods: [euclidean, kissme]
  tables:
    table3: {{kind: errors, group: own, paper: null}}
  figures: {{}}
"""


def fit_once(model, n, d, k):
    """One fit on ten overlapping classes; prints a row of the table."""
    import numpy as np

    import metriclearn
    from metriclearn.estimators.pairs import make_pairs

    rng = np.random.default_rng(0)
    y = np.arange(n) % 10
    X = rng.standard_normal((n, d)) + rng.standard_normal((10, d))[y]
    estimator = getattr(metriclearn, model)(C=1.0, k=k)
    few = rng.choice(n, 500, replace=False)
    estimator.fit(X[few], y[few])  # compiles
    start = time.process_time()
    pairs = make_pairs(X, y, k=k)
    search = time.process_time() - start
    start = time.process_time()
    estimator.fit(X, y)
    solve = time.process_time() - start - search
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gap = estimator.gap_ / estimator.primal_
    print(
        f"{model:5} {n:7} {d:4} {k:2} {len(pairs.y):8} {search:8.1f} {solve:8.1f} {peak:8.0f} "
        f"{gap:.0e}",
        flush=True,
    )


def measure_fit():
    print("model       n    d  k    pairs search_s  solve_s  peak_MB gap")
    for model in ("PCML", "NCML"):
        for n, d, k in SIZES:
            command = [sys.executable, __file__, "fit", model, str(n), str(d), str(k)]
            subprocess.run(command, check=True, env={**os.environ, **SINGLE}, cwd=ROOT)


def children_cpu(command, **options):
    """CPU seconds, wall seconds and peak megabytes of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **SINGLE, "METRICLEARN_OFFLINE": "1"},
        **options,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, after.ru_maxrss / 1024


def clone(folder, count):
    """The workflow with ``count`` small csv files of its own."""
    import shutil

    for name in ("conf", "metriclearn", "profiles", "rules", "data"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("Snakefile", "environment.yml"):
        shutil.copy2(ROOT / name, folder / name)
    for i in range(count):
        rows = [f"{j % 7},{(j * j + i) % 11},{'ab'[j % 2]}" for j in range(40)]
        (folder / f"set{i}.csv").write_text("\n".join(rows) + "\n")
    names = ", ".join(f"./set{i}.csv" for i in range(count))
    (folder / "conf/experiment/many.yaml").write_text(EXPERIMENT.format(names=names))
    return folder


def measure_plan(counts):
    print("sets   jobs   CPU s   wall s   peak MB")
    for count in counts or (10, 100, 400, 1000):
        with tempfile.TemporaryDirectory() as folder:
            clone(Path(folder), count)
            command = [sys.executable, "-m", "snakemake", "-n", "-q", "--config", "experiment=many"]
            cpu, wall, peak = children_cpu(command, cwd=folder)
        print(f"{count:4} {5 * count:6} {cpu:7.1f} {wall:8.1f} {peak:9.0f}", flush=True)


def measure_start():
    with tempfile.TemporaryDirectory() as folder:
        clone(Path(folder), 1)
        command = [
            sys.executable,
            "-m",
            "metriclearn",
            "train",
            "dataset=file",
            "dataset.path=./set0.csv",
            "protocol.folds=2",
            "tuning=none",
        ]
        for method in ("euclidean", "pcml", "pcml"):
            cpu, wall, peak = children_cpu([*command, f"method={method}"], cwd=folder)
            print(f"{method:10} CPU {cpu:.1f} s, wall {wall:.1f} s, {peak:.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fit", "plan", "start"))
    parser.add_argument("size", nargs="*", help="one fit: model n d k; plan: numbers of data sets")
    options = parser.parse_args()
    if options.what == "fit" and options.size:
        fit_once(options.size[0], *map(int, options.size[1:]))
    elif options.what == "plan":
        measure_plan([int(count) for count in options.size])
    else:
        {"fit": measure_fit, "start": measure_start}[options.what]()


if __name__ == "__main__":
    main()
