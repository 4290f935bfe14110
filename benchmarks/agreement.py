"""Both solvers against cvxpy on random small problems.

    python benchmarks/agreement.py --first 600 --count 200

The fast solver is to be within 1e-5 of the optimum, LibSVM's alternation within 1e-3 for C <= 1,
and no fit above five seconds. The constants of the solvers were chosen on the seeds below 600:
use others to judge them.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/estimators"))
from helpers import optimum, random_pairs  # noqa: E402

from metriclearn import NCML, PCML, DoubletSVM  # noqa: E402

MODELS = {"PCML": PCML, "NCML": NCML, "DoubletSVM": DoubletSVM}


def problem(seed):
    """(model, pairs, labels, C), over the whole range of each."""
    rng = np.random.default_rng(1000 + seed)
    d, n_pairs = int(rng.integers(1, 9)), int(rng.integers(10, 90))
    C, share = 10.0 ** rng.uniform(-3, 2), rng.uniform(0.1, 0.9)
    return list(MODELS)[seed % 3], *random_pairs(seed, d, n_pairs, share), C


def timed(model, pairs, y):
    start = time.thread_time()
    fitted = model.fit_pairs(pairs, y)
    return fitted, time.thread_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=600)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    errors = {"fast": [], "libsvm": []}
    seconds = {"fast": [], "libsvm": []}
    for seed in range(options.first, options.first + options.count):
        name, pairs, y, C = problem(seed)
        expected = optimum(name, pairs, y, C)
        runs = {"fast": MODELS[name](C=C, tol=1e-7)}
        if C <= 1.0:
            runs["libsvm"] = MODELS[name](C=C, solver="libsvm", max_iter=2000, random_state=0)
        for solver, model in runs.items():
            fitted, taken = timed(model, pairs, y)
            error = abs(fitted.primal_ - expected) / expected
            errors[solver].append(error)
            seconds[solver].append(taken)
            if error > (1e-5 if solver == "fast" else 1e-3) or taken > 5.0:
                print(
                    f"  seed {seed}: {name} {solver}, C={C:.3g}, {len(y)} pairs: error {error:.1e},"
                    f" own gap {fitted.gap_ / fitted.primal_:.1e}, {taken:.1f} s"
                )
    for solver in errors:
        print(
            f"{solver}: {len(errors[solver])} problems, largest error {max(errors[solver]):.1e}, "
            f"longest fit {max(seconds[solver]):.2f} s"
        )


if __name__ == "__main__":
    main()
