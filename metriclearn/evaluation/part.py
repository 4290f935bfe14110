"""The training part or the test part of a fold: samples or images, and what is known about them.

A part holds copies of its own samples only, so whatever is fitted on a training part cannot see
the test part.
"""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class Samples:
    """n labelled samples: classification."""

    X: np.ndarray
    y: np.ndarray

    @property
    def size(self):
        return len(self.y)

    def some(self, rows):
        """The part of some of the samples."""
        return Samples(self.X[rows], self.y[rows])


@dataclass(frozen=True, eq=False)
class Part:
    """n images; pairs are rows of X with y = +1 for similar, -1 for dissimilar ones."""

    X: np.ndarray
    pairs: np.ndarray
    y: np.ndarray
    fold: np.ndarray | None = None  # of each pair, as the database gives it: verification
    person: np.ndarray | None = None  # of each image: re-identification
    camera: np.ndarray | None = None
    probe: np.ndarray | None = None  # which images of a test part are probes

    def with_images(self, X):
        """The same part with other features of its images."""
        return replace(self, X=X)

    @property
    def size(self):
        """The number of pairs; of probes, where a test part has no pairs."""
        return len(self.y) if self.probe is None else int(self.probe.sum())

    def pair_images(self):
        """Pairs as an array (n, 2, d)."""
        return self.X[self.pairs]

    def similar_differences(self):
        """x_i - x_j of the similar pairs."""
        i, j = self.pairs[self.y > 0].T
        return self.X[i] - self.X[j]


def pairs_part(X, pairs, same, fold):
    """The part of some pairs of rows of ``X``: their images only, numbered anew."""
    rows, index = np.unique(pairs, return_inverse=True)
    return Part(X=X[rows], pairs=index.reshape(pairs.shape), y=np.where(same, 1, -1), fold=fold)
