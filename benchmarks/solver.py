"""Speed of the solvers, as ratios within one run; single-threaded unless it says otherwise.

    python benchmarks/solver.py            digits, and the cost against N on Letter
    python benchmarks/solver.py --large    MNIST too (needs the data: see README)

Machines are noisy: each time is the best of several runs, and only ratios are worth quoting.
"""

import argparse
import resource
import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from threadpoolctl import threadpool_limits

from metriclearn import NCML, PCML, make_pairs
from metriclearn.datasets import load_dataset


def best_time(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


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
        search, _ = best_time(lambda: make_pairs(X, y, k=1), 1)
        print(f"  neighbour search {search:.1f} s")
        for model in (PCML, NCML):
            total, fitted = best_time(lambda m=model: m(tol=1e-2).fit(X, y), 1)
            print(
                f"  {model.__name__}().fit {total:.1f} s, {total / search:.1f} x the search, "
                f"gap/primal {fitted.gap_ / fitted.primal_:.1e}"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  peak memory of the process {peak:.2f} GiB ({before:.2f} GiB after loading and PCA)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="MNIST too")
    parser.add_argument("--only-large", action="store_true", help="MNIST alone")
    parser.add_argument("--no-libsvm", action="store_true", help="skip the slow reference")
    parser.add_argument("--threads", type=int, default=2, help="BLAS threads for MNIST")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.only_large:
        with threadpool_limits(1):
            digits(not options.no_libsvm)
            letter()
    if options.large or options.only_large:
        mnist(options.threads)


if __name__ == "__main__":
    main()
