"""The constants behind docs/scaling.md: CPU seconds and memory, one thread.

    python tools/measure_scaling.py fit       pairs, neighbour search and solver by n, d and k
    python tools/measure_scaling.py plan      snakemake -n by number of data sets, two methods
    python tools/measure_scaling.py start     the start of each stage, times the paper's jobs

Each measurement is a process of its own. CPU time, so that a busy machine does not matter much.
"""

import argparse
import os
import re
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
  figures:
    figure4: {{kind: times, group: own}}
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


def start_commands():
    """(rules that run it, words) for each stage of the workflow, on 40 samples of two features."""
    data, split = "results/data/set0.npz", "results/many/splits/set0.npz"
    rows = "results/many/train/set0/{}/repeat0.rows.csv"
    train = "train experiment=many run=many dataset=file dataset.path=./set0.csv method={}"
    faces = "match images=pubfig method=pcml out=match.rows.csv"  # without data
    job = f"{train} tuning=none protocol.use_folds=1 repeat=0 data={data} split={split} out={rows}"
    run = "--experiment many"
    return [
        (("fetch", "fetch_images"), "fetch ./set0.csv results/data/set0.fetch.json"),
        (("prepare", "extract"), f"prepare results/data/set0.fetch.json {data}"),
        (("split",), f"split experiment=many run=many data={data} out={split}"),
        ((), job.format("euclidean", "euclidean")),
        ((), job.format("kissme", "kissme")),
        (("train", "variants", "stopping", "sweep", "gap"), job.format("pcml", "pcml")),
        (("match",), faces),
        (("collect", "collect_images", "collect_ablation"), f"collect own {run}"),
        (("table",), f"tables table3 {run}"),
        (("figure",), f"figures figure4 {run}"),
        (("page",), f"report {run}"),
    ]


def measure_start():
    """What a job of each stage takes before its work, and all jobs of the paper's run together."""
    counts, total = paper_jobs(), 0.0
    print("stage            CPU s    jobs  together s")
    with tempfile.TemporaryDirectory() as folder:
        clone(Path(folder), 1)
        for rules, words in start_commands():
            command = [sys.executable, "-m", "metriclearn", *words.split()]
            # The second time nothing is compiled any more.
            cpu = min(children_cpu(command, cwd=folder)[0] for _ in range(2))
            jobs = sum(counts.get(rule, 0) for rule in rules)
            total += jobs * cpu
            method = words.partition("method=")[2].split()[:1]
            name = " ".join([words.split()[0], *method])
            print(f"{name:16} {cpu:5.2f} {jobs:7} {jobs * cpu:11.0f}", flush=True)
        print(f"{'all':16} {'':5} {sum(counts.values()):7} {total:11.0f}")
        imports(folder, next(words for rules, words in start_commands() if "train" in rules))


def paper_jobs():
    """{rule: number of jobs} of the paper's run, from its dry run in a folder without results."""
    with tempfile.TemporaryDirectory() as folder:
        clone(Path(folder), 0)
        command = [sys.executable, "-m", "snakemake", "-n", "--quiet", "rules"]
        text = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "METRICLEARN_OFFLINE": "1"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    lines = text.rpartition("Job stats:")[2].splitlines()
    words = [line.split() for line in lines]
    counts = {w[0]: int(w[1]) for w in words if len(w) == 2 and w[1].isdigit()}
    return {rule: n for rule, n in counts.items() if rule not in ("all", "total")}


def imports(folder, words):
    """Seconds that a training job spends on importing each package, its modules taken alone."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "metriclearn", *words.split()],
        cwd=folder,
        env={**os.environ, **SINGLE, "METRICLEARN_OFFLINE": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    spent: dict[str, int] = {}
    for line in done.stderr.splitlines():
        found = re.fullmatch(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", line)
        if found:
            package = found[2].partition(".")[0]
            spent[package] = spent.get(package, 0) + int(found[1])
    largest = sorted(spent.items(), key=lambda entry: -entry[1])[:10]
    print("imports, s:", ", ".join(f"{name} {us / 1e6:.2f}" for name, us in largest))


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
