"""Test error of 1-nearest-neighbour with pairs of all samples and of anchors: docs/scaling.md.

    python tools/measure_anchors.py letter 1.0 8000 4000 2000     data set, C, numbers of anchors
    python tools/measure_anchors.py mnist 1.0 20000

With m of n samples as anchors C is multiplied by n / m, so that the pairs weigh as much together.
"""

import argparse
import time
import warnings

from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier

from metriclearn import NCML, PCML
from metriclearn.datasets import load_dataset

DRAWS = {"letter": 3, "mnist": 1}  # of the anchors
TOL = {"letter": 1e-3, "mnist": 1e-2}


def load(name):
    """Training samples and labels, test samples and labels."""
    data = load_dataset(name)
    X, Z = data.X[data.train], data.X[data.test]
    if name == "mnist":
        pca = PCA(100, svd_solver="covariance_eigh").fit(X / 255.0)
        X, Z = pca.transform(X / 255.0), pca.transform(Z / 255.0)
    else:
        X, Z = X / 15.0, Z / 15.0
    return X, data.y[data.train], Z, data.y[data.test]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", choices=DRAWS)
    parser.add_argument("C", type=float)
    parser.add_argument("anchors", type=int, nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y, Z, z = load(options.dataset)

    def error(X, Z):
        nearest = KNeighborsClassifier(1, algorithm="brute").fit(X, y)
        return 100.0 * (1.0 - nearest.score(Z, z))

    print(f"{options.dataset}, {len(X):,} samples; Euclidean {error(X, Z):.2f}", flush=True)
    for n_anchors in (len(X), *options.anchors):
        for model in (PCML, NCML):
            for draw in range(DRAWS[options.dataset] if n_anchors < len(X) else 1):
                C = options.C * len(X) / n_anchors
                fitted = model(
                    C=C, tol=TOL[options.dataset], n_anchors=n_anchors, random_state=draw
                )
                start = time.process_time()
                fitted.fit(X, y)
                taken = time.process_time() - start
                rate = error(fitted.transform(X), fitted.transform(Z))
                print(f"{n_anchors:7,} {model.__name__} {rate:.2f} CPU {taken:.1f} s", flush=True)


if __name__ == "__main__":
    main()
