"""What verification and re-identification share: pairs of images, projected and whitened.

The projection learns no labels and its eigenvectors are the most expensive step, so it is fitted
once on the training part of a fold. Whitening learns from labels: it is fitted on each inner
training part anew.

A job may be of several preprocessings. They share what does not depend on the preprocessing, the
projected parts of each fold, and what ``chosen`` needs: the parameters that each of the others
chose, and how good these were.
"""

from abc import abstractmethod
from copy import copy
from dataclasses import replace

import numpy as np

from .protocol import Protocol, used_folds
from .tuning import tune
from .whitening import KINDS, Projection, Whitening

WARM_UP_PAIRS = 60


class ImageProtocol(Protocol):
    """A protocol on the features of one image set; several features are combined.

    ``shared`` is a dict that the protocols of a job have in common, one for each preprocessing.
    """

    group = "matching"
    tuning_column = "tuning_score"

    def __init__(self, config, sets, shared=None):
        super().__init__(config, sets[0].name)
        self.sets = sets
        self.shared = {} if shared is None else shared
        kind = self.settings["preprocess"]
        self.kinds = KINDS if kind == "chosen" else (kind,)
        self.dimensions = config["images"]["pca"]
        self.views = tuple(config["images"]["parts"][: len(sets)])
        self.tuning = self.settings["tuning"]

    n_folds: int

    def folds(self):
        return [{"fold": fold} for fold in range(used_folds(self.settings, self.n_folds))]

    @abstractmethod
    def parts(self, fold, view=0):
        """(training part, test part) of a fold, with the features as they are."""

    def split(self, fold, view=0):
        """The parts of a fold, projected."""

        def project():
            train, test = self.parts(fold, view)
            projection = Projection(self.dimensions[view]).fit(train.X)
            return tuple(part.with_images(projection.transform(part.X)) for part in (train, test))

        return self._once((fold["fold"], view), project)

    def _once(self, key, work):
        if key not in self.shared:
            self.shared[key] = work()
        return self.shared[key]

    def preprocessings(self):
        return self.kinds

    def choose(self, train, seed):
        """Of several kinds the best one, each with its own parameters; the first of equals.

        A kind that fails is out.
        """
        grid = self.method["tune"].values() if self.tuned else ()
        if not any(len(values) > 1 for values in grid):
            return tune(self, train, seed)
        choices, failures = [], []
        for kind in self.kinds:
            try:
                choices.append(self._tuned(kind, train, seed))
            except ValueError as error:
                failures.append(error)
        if not choices:
            raise failures[0]
        return max(choices, key=lambda choice: choice.value)

    def _tuned(self, kind, train, seed):
        one = copy(self)
        one.kinds = (kind,)
        return self._once((train, kind), lambda: tune(one, train, seed))

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
