"""Speed of the solvers, as ratios within one run; single-threaded unless it says otherwise.

    python benchmarks/solver.py            all but MNIST
    python benchmarks/solver.py --large    MNIST too (needs the data: see README)
    python benchmarks/solver.py --ratios   the ratios to NCA and of the paths alone

Machines are noisy: each time is the best of several runs, and only ratios are worth quoting. Times
are CPU seconds of the process, which on one thread are those of the clock on an idle machine, and
which other users of a shared one disturb less; for MNIST, on several threads, those of the clock.
"""

import argparse
import resource
import time
import warnings
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors, NeighborhoodComponentsAnalysis
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from metriclearn import NCML, PCML, DoubletSVM, make_pairs
from metriclearn.datasets import load_dataset

SETS = (
    "breast_tissue",
    "cardiotocography",
    "ilpd",
    "letter",
    "parkinsons",
    "satellite",
    "segmentation",
    "sonar",
    "spectf_heart",
    "digits",
)
PATH = np.logspace(-3, 1, 8)


def best_time(function, repeats, clock=time.process_time):
    times = []
    for _ in range(repeats):
        start = clock()
        result = function()
        times.append(clock() - start)
    return min(times), result


def fit_one(model, C, X, y):
    return model(C=C).fit(X, y)


def scaled(name):
    """Samples (the training part, where the split is fixed) with features in [0, 1]."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load_dataset(name)
        train = slice(None) if data.train is None else data.train
        X, y = data.X[train], data.y[train]
    return MinMaxScaler().fit_transform(X), y


def against_nca(with_letter):
    """Each fit against scikit-learn's NCA on the same samples, pairs included."""
    print("\nTimes faster than scikit-learn's NCA: k=1, features in [0, 1], certified gap 1e-3")
    columns = [(model, C) for model in (PCML, NCML) for C in (0.01, 0.9)]
    heads = "".join(f"{f'{m.__name__} C={C:g}':>15s}" for m, C in columns)
    print(f"  {'':18s}{'NCA, ms':>10s}{heads}")
    for name in SETS if with_letter else [name for name in SETS if name != "letter"]:
        X, y = scaled(name)
        small = len(X) < 1000
        fits = [partial(fit_one, m, C, X, y) for m, C in columns]
        for fit in fits:
            fit()
        # Small fits take milliseconds: many rounds, in turn, so that all meet the same machine.
        rounds = 15 if small else 3
        own = [np.inf] * len(fits)
        nca_time = np.inf
        for i in range(rounds):
            if small or i == 0:
                nca = NeighborhoodComponentsAnalysis(random_state=0)
                nca_time = min(nca_time, best_time(partial(nca.fit, X, y), 1)[0])
            own = [min(t, best_time(fit, 1)[0]) for t, fit in zip(own, fits, strict=True)]
        ratios = "".join(f"{nca_time / t:15.1f}" for t in own)
        print(f"  {name:18s}{1e3 * nca_time:10.1f}{ratios}", flush=True)


def paths():
    """Eight values of C at once against one fit of its own."""
    print("\nPath over np.logspace(-3, 1, 8): cost in single fits, certified gap 1e-3")
    print(f"  {'':24s}{'C=1, s':>9s}{'path, s':>9s}{'x C=1':>8s}{'x hardest':>11s}  largest gap")
    for name in ("segmentation", "semeion", "letter"):
        try:
            data = load_dataset(name)
        except Exception as error:  # an unavailable set is named, the rest goes on
            print(f"  {name}: {error}")
            continue
        train = data.train if name == "letter" else slice(None)
        X, y = data.X[train], data.y[train]
        X = PCA(100).fit_transform(X) if name == "semeion" else MinMaxScaler().fit_transform(X)
        for model in (PCML, NCML, DoubletSVM):
            one, _ = best_time(partial(fit_one, model, 1.0, X, y), 2)
            hardest = max(best_time(partial(fit_one, model, C, X, y), 2)[0] for C in PATH)
            taken, path = best_time(partial(model().fit_path, X, y, PATH), 2)
            gap = max(fitted.gap_ / fitted.primal_ for fitted in path)
            print(
                f"  {name + ' ' + model.__name__:24s}{one:9.3f}{taken:9.3f}{taken / one:8.2f}"
                f"{taken / hardest:11.2f}  {gap:.1e}",
                flush=True,
            )


def digits(with_libsvm):
    X, y = load_digits(return_X_y=True)
    X, y = PCA(40).fit_transform(X[:1500] / 16.0), y[:1500]
    print("\nscikit-learn's digits, 1500 x 40, nearest pairs, k=2, C=1, certified gap 1e-3")
    pairs_time, _ = best_time(lambda: make_pairs(X, y, k=2), 5)
    nca_time, _ = best_time(lambda: NeighborhoodComponentsAnalysis(random_state=0).fit(X, y), 3)
    print(f"  {'':22s}{'seconds':>9s}{'x NCA':>8s}{'x libsvm':>10s}  gap/primal  iterations")
    print(f"  {'pairs':22s}{pairs_time:9.3f}")
    print(f"  {'NCA (scikit-learn)':22s}{nca_time:9.3f}{1.0:8.1f}")
    for model in (PCML, NCML):
        fast_time, fast = best_time(lambda m=model: m(C=1.0, k=2).fit(X, y), 7)
        line = f"  {model.__name__ + ' fast':22s}{fast_time:9.3f}{nca_time / fast_time:8.1f}"
        if with_libsvm:
            slow_time, slow = best_time(lambda m=model: m(C=1.0, k=2, solver="libsvm").fit(X, y), 1)
            line += f"{slow_time / fast_time:10.0f}"
        else:
            line += f"{'':10s}"
        print(line + f"  {fast.gap_ / fast.primal_:.1e}     {fast.n_iter_}")
        if with_libsvm:
            print(
                f"  {model.__name__ + ' libsvm':22s}{slow_time:9.3f}{nca_time / slow_time:8.2f}"
                f"{1.0:10.0f}  {slow.gap_ / slow.primal_:.1e}     {slow.n_iter_}"
            )


def letter():
    data = load_dataset("letter")
    X, y = data.X[data.train] / 15.0, data.y[data.train]
    print("\nLetter, first N rows, k=1: seconds beyond the neighbour search, certified gap 1e-3")
    sizes = [1000, 2000, 4000, 8000, 16000]
    print("  " + f"{'':14s}" + "".join(f"{n:>9d}" for n in sizes) + "   growth N^p")
    for model in (PCML, NCML):
        for C in (0.001, 0.01, 0.1, 1.0):
            seconds = []
            for n in sizes:
                pairs = make_pairs(X[:n], y[:n], k=1)
                samples = X[pairs.index]
                taken, _ = best_time(
                    lambda m=model, C=C, s=samples, p=pairs: m(C=C).fit_pairs(s, p.y), 3
                )
                seconds.append(taken)
            power = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
            print(
                f"  {model.__name__} C={C:<7g}"
                + "".join(f"{s:9.3f}" for s in seconds)
                + f"{power:10.2f}"
            )


def mnist(threads):
    data = load_dataset("mnist")
    X = PCA(100, svd_solver="covariance_eigh").fit_transform(data.X[data.train] / 255.0)
    y = data.y[data.train]
    del data
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nMNIST, 60,000 x 100, k=1, C=1, certified gap 1e-2, {threads} thread(s)")
    with threadpool_limits(threads):
        brute = NearestNeighbors(n_neighbors=2, algorithm="brute").fit(X)
        clock = time.perf_counter
        search, _ = best_time(lambda: brute.kneighbors(X, return_distance=False), 1, clock)
        print(f"  scikit-learn's kneighbors {search:.1f} s; as multiples of that:")
        own, _ = best_time(lambda: make_pairs(X, y, k=1), 1, clock)
        print(f"  neighbours of both kinds {own / search:.2f}")
        for model in (PCML, NCML):
            total, fitted = best_time(lambda m=model: m(tol=1e-2).fit(X, y), 1, clock)
            gap = fitted.gap_ / fitted.primal_
            print(f"  {model.__name__}().fit {total / search:.2f}, gap/primal {gap:.1e}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  peak memory of the process {peak:.2f} GiB ({before:.2f} GiB after loading and PCA)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="MNIST too")
    parser.add_argument("--only-large", action="store_true", help="MNIST alone")
    parser.add_argument("--ratios", action="store_true", help="no LibSVM, no growth, no MNIST")
    parser.add_argument("--letter", action="store_true", help="NCA on Letter too: many minutes")
    parser.add_argument("--no-libsvm", action="store_true", help="skip the slow reference")
    parser.add_argument("--threads", type=int, default=2, help="BLAS threads for MNIST")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.only_large:
        with threadpool_limits(1):
            digits(not (options.no_libsvm or options.ratios))
            against_nca(options.letter)
            paths()
            if not options.ratios:
                letter()
    if options.large or options.only_large:
        mnist(options.threads)


if __name__ == "__main__":
    main()
