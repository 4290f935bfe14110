"""The numbers behind docs/scaling.md: seconds, CPU seconds and memory.

    python tools/measure_scaling.py fit       the fits of docs/scaling.csv, which it writes anew
    python tools/measure_scaling.py fit mnist PCML 1000000 50 1 20000     one of them, printed
    python tools/measure_scaling.py plot      docs/scaling.png from docs/scaling.csv
    python tools/measure_scaling.py plan      snakemake -n by number of data sets, two methods
    python tools/measure_scaling.py start     one small job

Each measurement is a process of its own. CPU time hardly depends on what else the machine does.
"""

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SINGLE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
TABLE = ROOT / "docs/scaling.csv"
COLUMNS = [
    *("data", "model", "samples", "features", "k", "anchors", "pairs"),
    *("threads", "seconds", "cpu_seconds", "solver_seconds", "peak_mb", "relative_gap"),
]
ANCHORS = 20_000
FITS = [  # data, samples, features, k, anchors (0: all samples give pairs)
    *(("simulated", n, 50, 1, 0) for n in (1000, 4000, 16_000, 64_000, 256_000, 1_000_000)),
    *(("simulated", n, 50, 1, ANCHORS) for n in (64_000, 256_000, 1_000_000)),
    ("mnist", 1_000_000, 50, 1, ANCHORS),
    *(("simulated", 16_000, d, 1, 0) for d in (16, 100, 200)),
    *(("simulated", 16_000, 50, k, 0) for k in (5, 25)),
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


def simulated(n, d, rng):
    """Ten overlapping classes."""
    y = np.arange(n) % 10
    X = rng.standard_normal((n, d))
    X += rng.standard_normal((10, d))[y]
    return X, y


def mnist(n, d, rng):
    """MNIST's training samples after PCA, repeated with noise."""
    from sklearn.decomposition import PCA

    from metriclearn.datasets import load_dataset

    data = load_dataset("mnist")
    images = PCA(d, svd_solver="covariance_eigh").fit_transform(data.X[data.train] / 255.0)
    drawn = np.arange(n) % len(images)
    X = rng.standard_normal((n, d))
    X *= 0.3
    X += images[drawn]
    return X, data.y[data.train][drawn]


def fit_once(data, model, n, d, k, anchors):
    """One fit to a relative gap of 1e-2; prints a row of the table."""
    from threadpoolctl import threadpool_info

    import metriclearn

    rng = np.random.default_rng(0)
    X, y = {"simulated": simulated, "mnist": mnist}[data](n, d, rng)
    options = {"k": k, "tol": 1e-2, "n_anchors": anchors or None, "random_state": 0}
    estimator = getattr(metriclearn, model)(**options)
    few = rng.choice(n, 1000, replace=False)
    for some in (1000, 300):  # compiles, for two solvers
        estimator.fit(X[few[:some]], y[few[:some]])
    wall, cpu = time.perf_counter(), time.process_time()
    estimator.fit(X, y)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    threads = max(library["num_threads"] for library in threadpool_info())
    row = [data, model, n, d, k, anchors, len(estimator.pair_labels_), threads]
    row += [f"{wall:.4g}", f"{cpu:.4g}", f"{estimator.history_['seconds'][-1]:.4g}"]
    row += [f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}"]
    row += [f"{estimator.gap_ / estimator.primal_:.2g}"]
    print(",".join(map(str, row)), flush=True)


def measure_fit():
    lines = [",".join(COLUMNS)]
    print(lines[0])
    for data, *sizes in FITS:
        for model in ("PCML", "NCML"):
            command = [sys.executable, __file__, "fit", data, model, *map(str, sizes)]
            done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            lines.append(done.stdout.strip())
            print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n")


def plot():
    """CPU seconds and memory against the number of samples."""
    from matplotlib.figure import Figure

    from metriclearn.presentation.figures._style import MARKERS, colour, styled

    with TABLE.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["features"], row["k"]) == ("50", "1")]
    panels = {"cpu_seconds": "CPU seconds", "peak_mb": "peak memory, MB"}
    kinds = {
        ("simulated", "0"): ("pairs of all samples", {"ls": "-"}),
        ("simulated", str(ANCHORS)): (f"pairs of {ANCHORS:,} anchors", {"ls": "--"}),
        ("mnist", str(ANCHORS)): ("the same, MNIST with noise", {"ls": "", "mfc": "white"}),
    }

    @styled
    def draw():
        figure = Figure(figsize=(7.2, 3.2), layout="constrained")
        for axes, (column, label) in zip(figure.subplots(1, len(panels)), panels.items()):
            for model in ("PCML", "NCML"):
                for kind, (name, style) in kinds.items():
                    part = [
                        r for r in rows if (r["model"], r["data"], r["anchors"]) == (model, *kind)
                    ]
                    x = [int(row["samples"]) for row in part]
                    y = [float(row[column]) for row in part]
                    look = {"marker": MARKERS[model.lower()], "ms": 4, **style}
                    axes.plot(x, y, color=colour(model.lower()), label=f"{model}, {name}", **look)
            axes.set(xscale="log", yscale="log", xlabel="samples", ylabel=label)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        return figure

    draw().savefig(ROOT / "docs/scaling.png", dpi=200, metadata={"Software": None})


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
    parser.add_argument("what", choices=("fit", "plot", "plan", "start"))
    parser.add_argument(
        "size", nargs="*", help="one fit: data model n d k anchors; plan: numbers of data sets"
    )
    options = parser.parse_args()
    if options.what == "fit" and options.size:
        fit_once(*options.size[:2], *map(int, options.size[2:]))
    elif options.what == "plan":
        measure_plan([int(count) for count in options.size])
    else:
        {"fit": measure_fit, "plot": plot, "start": measure_start}[options.what]()


if __name__ == "__main__":
    main()
