"""What verification and re-identification share: pairs of images, projected and whitened.

The projection learns no labels and its eigenvectors are the most expensive step, so it is fitted
once on the training part of a fold. Whitening learns from labels: it is fitted on each inner
training part anew.
"""

from dataclasses import replace

import numpy as np

from .protocol import Protocol, used_folds
from .whitening import KINDS, Projection, Whitening

WARM_UP_PAIRS = 60


class ImageProtocol(Protocol):
    """A protocol on the features of one image set; several features are combined."""

    group = "matching"
    tuning_column = "tuning_score"

    def __init__(self, config, sets):
        super().__init__(config, sets[0].name)
        self.sets = sets
        self.dimensions = config["images"]["pca"]
        self.views = tuple(config["images"]["parts"][: len(sets)])
        self.tuning = self.settings["tuning"]

    n_folds: int

    def folds(self):
        return [{"fold": fold} for fold in range(used_folds(self.settings, self.n_folds))]

    def prepare(self, train, test, view=0):
        projection = Projection(self.dimensions[view]).fit(train.X)
        return tuple(part.with_images(projection.transform(part.X)) for part in (train, test))

    def preprocessings(self):
        kind = self.settings["preprocess"]
        return KINDS if kind == "chosen" else (kind,)

    def preprocess(self, kind, train, test):
        whitening = Whitening(kind, self.settings["ridge"]).fit(train)
        return tuple(part.with_images(whitening.transform(part.X)) for part in (train, test))

    def given(self, model, train):
        """Pairs, or labelled images where it takes nothing else (LMNN)."""
        if hasattr(model, "fit_pairs"):
            return "_pairs", (train.pair_images(), train.y)
        return "", (train.X, train.person)

    def few(self, train):
        """Some pairs of both kinds and their images."""
        rows = np.concatenate([np.flatnonzero(train.y == k)[: WARM_UP_PAIRS // 2] for k in (1, -1)])
        images = np.unique(train.pairs[rows])
        pairs = np.searchsorted(images, train.pairs[rows])
        person = None if train.person is None else train.person[images]
        return replace(train, X=train.X[images], pairs=pairs, y=train.y[rows], person=person)

    @property
    def tuned(self):
        return self.tuning["folds"] > 0

    def tuning_value(self, total, sizes):
        """The mean over the inner test parts."""
        return float(total / len(sizes))

    def chosen(self, kind, changes):
        return {**changes, "preprocess": kind}
