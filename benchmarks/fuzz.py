"""Random fits of every learner on awkward data: which hang, and which fail in other than words.

    python benchmarks/fuzz.py [--number 20000] [--seed 0] [--learners PLML NCA] [--processes 2]
    python benchmarks/fuzz.py --learners NCA --seed 17 --number 1   # one fit again

Fit number i of a learner is drawn from the seed ``--seed`` + i alone, so that a finding can be
repeated. A fit runs in another process and is ended after ``--limit`` seconds. Findings are hangs,
processes that died, exceptions other than ValueError and TypeError, numerical warnings, and
results that are not finite or not a metric. The exit code is 1 if there is any.
"""

import argparse
import multiprocessing
import time
import warnings
from collections import Counter
from multiprocessing.connection import wait

import numpy as np

import metriclearn

LEARNERS = [
    *("PCML", "NCML", "DoubletSVM", "Euclidean", "NCA", "ITML", "MCML", "LDML", "LMNN", "PLML"),
    *("DMLEig", "KISSME"),
]
SVM = {  # a small share of LibSVM, which is slow
    "C": [1e-4, 0.01, 1.0, 100.0],
    "k": [1, 2, 5],
    "solver": [*(["fast"] * 9), "libsvm"],
}
PARAMETERS = {
    "PCML": SVM,
    "NCML": SVM,
    "DoubletSVM": SVM,
    "NCA": {
        "solver": ["auto", "sklearn", "stochastic"],
        "init": ["auto", "pca", "lda", "identity"],
    },
    "ITML": {"gamma": [1e-4, 1.0, 1e4], "bounds": ["percentile", "range"]},
    "LDML": {"n_pairs": [None, 50]},
    "LMNN": {"k": [1, 3], "c": [0.01, 0.5, 0.99]},
    "PLML": {"alpha1": [0.01, 1.0, 100.0], "k": [1, 3], "n_anchors": [None, 3]},
    "DMLEig": {"mu": [1e-3, 0.1, 100.0], "solver": ["lbfgs", "fista", "frank-wolfe"]},
    "KISSME": {"weight": [0.0, 1.0], "dissimilar": ["nearest", "random"]},
}


def draw(name, seed):
    """An unfitted learner with samples and labels, from the seed alone."""
    rng = np.random.default_rng([seed, LEARNERS.index(name)])
    n, d = int(rng.integers(2, 50)), int(rng.integers(1, 10))
    if rng.random() < 0.1:
        n, d = int(rng.integers(20, 200)), int(rng.integers(1, 60))
    y = draw_labels(rng, n)
    X = draw_samples(rng, n, d, np.unique(y, return_inverse=True)[1])
    parameters = {}
    if rng.random() < 0.5:
        for key, values in PARAMETERS.get(name, {}).items():
            parameters[key] = values[rng.integers(len(values))]
    learner = getattr(metriclearn, name)
    if "random_state" in learner().get_params():
        parameters["random_state"] = 0
    return learner(**parameters), X, y


def draw_labels(rng, n):
    kind = rng.integers(6)
    y = rng.integers(0, rng.integers(1, 6), size=n)
    if kind == 0:  # one against the rest
        y = (np.arange(n) == 0).astype(int)
    elif kind == 1:  # some alone in their class
        some = rng.random(n) < 0.3
        y = np.where(some, 10 + np.arange(n), y)
    elif kind == 2:
        return np.array([f"class {label}" for label in y], dtype=object)
    elif kind == 3:
        return y.astype(np.float32)
    return y


def draw_samples(rng, n, d, y):
    X = rng.normal(size=(n, d))
    if rng.random() < 0.5:
        X += rng.normal(size=(y.max() + 1, d))[y] * rng.choice([0.5, 2.0, 50.0])
    kinds = rng.random(7) < [0.3, 0.3, 0.3, 0.2, 0.2, 0.15, 0.1]
    if kinds[0]:  # one scale for all
        X *= 10.0 ** rng.uniform(-10, 10)
    if kinds[1]:  # one for each feature
        X *= 10.0 ** rng.uniform(-10, 10, size=d)
    if kinds[2]:  # far from the origin
        X += 10.0 ** rng.uniform(-10, 10) * rng.normal(size=d)
    if kinds[4]:  # copies
        X = X[rng.integers(0, max(1, n // 2), size=n)]
    if kinds[5]:  # few values
        X = np.sign(X) * np.abs(X).max()
    if kinds[6]:  # dependent features
        X[:, -1] = X[:, 0]
    if rng.random() < 0.05:  # one sample far away
        X[0] *= 10.0 ** rng.uniform(0, 12)
    if kinds[3]:  # constant features
        X[:, rng.random(d) < 0.5] = rng.choice([-1.0, 0.0, 1.0]) * 10.0 ** rng.uniform(-300, 300)
    if rng.random() < 0.03:  # a feature of two huge values
        X[:, 0] = rng.choice([-1.0, 1.0], size=n) * 10.0 ** rng.uniform(20, 300)
    kind = rng.integers(8)
    with np.errstate(all="ignore"):
        if kind == 0:
            return np.clip(X, -3e38, 3e38).astype(np.float32)
        if kind == 1:
            return np.clip(X, -1e15, 1e15).astype(np.int64)
    return X


def attempt(name, seed):
    """Either "good" or "refused", or what went wrong, in words."""
    model, X, y = draw(name, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model.fit(X, y)
        except (ValueError, TypeError) as error:
            return "refused" if type(error) in (ValueError, TypeError) else repr(error)
        except Exception as error:
            return f"fit: {type(error).__name__}: {error}"
        X = np.asarray(X, dtype=float)
        if np.ptp(X, axis=0).max() > 1e150:  # whose squares are out of range, with any metric
            return "good"
        try:
            D = model.pairwise_distance(X)
        except Exception as error:
            return f"distance: {type(error).__name__}: {error}"
    if not np.isfinite(D).all():
        return "distances are not finite"
    if name != "PLML":
        M = model.get_mahalanobis_matrix()
        if not np.linalg.eigvalsh(M)[0] >= -1e-8 * max(np.trace(M), 0.0):
            return "M is not positive semidefinite"
    return "good"


def _serve(pipe):
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        attempt("Euclidean", 0)  # imports are no part of a fit
        pipe.send("ready")
        while True:
            pipe.send(attempt(*pipe.recv()))


class Worker:
    """A process that fits one at a time, and is replaced when it hangs or dies."""

    def __init__(self):
        self.context = multiprocessing.get_context("spawn")
        self.job = None
        self._start()

    def _start(self):
        self.pipe, other = self.context.Pipe()
        self.process = self.context.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def give(self, job):
        self.job, self.since = job, time.monotonic()
        self.pipe.send(job)

    def take(self, limit):
        """What came: an outcome, "ready", or nothing; a fit beyond the limit is ended."""
        try:
            if self.pipe.poll():
                return self.pipe.recv()
        except (EOFError, OSError):
            if self.job is None:
                raise RuntimeError("a process of the fuzz did not start.") from None
            return self._replace("the process died")
        if self.job is not None and time.monotonic() - self.since > limit:
            return self._replace(f"no end after {limit:g} s")
        return None

    def _replace(self, outcome):
        self.close()
        self._start()
        return outcome

    def close(self):
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run(jobs, processes, limit, report):
    """``report(name, seed, outcome, seconds)`` for each (name, seed) of the jobs."""
    jobs = iter(jobs)
    workers = [Worker() for _ in range(processes)]
    try:
        busy = list(workers)
        while busy:
            wait([worker.pipe for worker in busy], timeout=min(0.5, limit))
            for worker in list(busy):
                outcome = worker.take(limit)
                if outcome is None:
                    continue
                if worker.job is not None:
                    report(*worker.job, outcome, time.monotonic() - worker.since)
                    worker.job = None
                if outcome.startswith(("no end", "the process")):
                    continue  # until the new process is ready
                job = next(jobs, None)
                if job is None:
                    busy.remove(worker)
                else:
                    worker.give(job)
    finally:
        for worker in workers:
            worker.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--number", type=int, default=20_000, help="fits over all learners")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=LEARNERS)
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--limit", type=float, default=30.0, help="seconds per fit")
    arguments = parser.parse_args()
    names = arguments.learners
    counts = {name: Counter() for name in names}
    longest = dict.fromkeys(names, (0.0, None))
    n_findings = 0

    def report(name, seed, outcome, seconds):
        nonlocal n_findings
        kind = outcome if outcome in ("good", "refused") else "found"
        counts[name][kind] += 1
        longest[name] = max(longest[name], (seconds, seed))
        if kind == "found":
            n_findings += 1
            print(f"{name} --seed {seed}: {outcome} ({seconds:.1f} s)", flush=True)

    jobs = (
        (names[i % len(names)], arguments.seed + i // len(names)) for i in range(arguments.number)
    )
    try:
        run(jobs, arguments.processes, arguments.limit, report)
    except KeyboardInterrupt:
        print("interrupted: what there is so far", flush=True)
    print("\n| learner | fits | metric | refused | found | longest s (seed) |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in names:
        count, (seconds, seed) = counts[name], longest[name]
        print(
            f"| {name} | {count.total()} | {count['good']} | {count['refused']} | {count['found']} "
            f"| {seconds:.2f} ({seed}) |"
        )
    return 1 if n_findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
