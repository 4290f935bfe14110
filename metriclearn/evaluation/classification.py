"""Classification: 1-NN in the learned metric (sections 5.1 and 5.2 of the paper).

Medians for missing values, scaling and PCA are fitted on the training part of each fold, and
inside tuning on each inner training part.
"""

from dataclasses import replace

import numpy as np

from .attempt import FoldSkipped
from .part import Samples
from .protocol import Protocol, used_folds
from .splits import inner_splits

WARM_UP_SAMPLES = 60

# Modules that import scikit-learn are imported where they are used: a job without data needs none.


class Classification(Protocol):
    """The repetitions of cross-validation on one data set, or its fixed split."""

    group = "protocol"
    tuning_column = "tuning_error"

    def __init__(self, config, facts, arrays, folds_of):
        """``folds_of`` is {repetition: the fold in which each sample tests, -1 for never}."""
        super().__init__(config, config["dataset"]["name"])
        self.facts, self.folds_of = facts, folds_of
        self.X, self.y = arrays["X"], arrays["y"]
        self.pairs, self.tuning = config["pairs"], config["tuning"]

    def folds(self):
        return [
            {"repeat": repeat, "fold": fold}
            for repeat, fold_of in self.folds_of.items()
            for fold in range(used_folds(self.settings, int(fold_of.max(initial=0)) + 1))
        ]

    def missing_reason(self):
        if self.facts["status"] != "ok":
            return {key: self.facts[key] for key in ("status", "message")}
        return super().missing_reason()

    def load(self):
        from . import nearest, scaling  # noqa: F401

    def split(self, fold, view=0):
        test = self.folds_of[fold["repeat"]] == fold["fold"]
        return Samples(self.X[~test], self.y[~test]), Samples(self.X[test], self.y[test])

    def prepare(self, train, test, view=0):
        """The parts as they are, unless the fold is too large or its PCA impossible."""
        from .scaling import check_dimension

        limit = self.method["max_train"]
        if limit is not None and train.size > limit:
            raise FoldSkipped(
                f"more than {limit} training samples (max_train in "
                f"conf/method/{self.method['name']}.yaml)"
            )
        check_dimension(self.settings, self.facts, train.X)
        return train, test

    def preprocess(self, kind, train, test):
        from .scaling import make_preprocessor

        fitted = make_preprocessor(self.settings, self.facts).fit(train.X)
        return tuple(replace(part, X=fitted.transform(part.X)) for part in (train, test))

    def given(self, model, train):
        return "", (train.X, train.y)

    def few(self, train):
        """Some samples of every class."""
        rows = np.argsort(np.argsort(train.y, kind="stable") % WARM_UP_SAMPLES, kind="stable")
        return train.some(rows[:WARM_UP_SAMPLES])

    def scores(self, model, train, test):
        """The number of errors."""
        from .nearest import nearest_error

        return nearest_error(model, train.X, train.y, test.X, test.y)

    def measure(self, scores, train, test):
        (wrong,) = scores
        return {"wrong": wrong, "error": wrong / test.size}, []

    @property
    def tuned(self):
        return self.tuning["kind"] != "none"

    def inner_splits(self, train, rng):
        """One pair of parts at a time: the large data sets need the memory."""
        splits = inner_splits(train.y, self.tuning, rng, self.tuning_size(train))
        return ((train.some(rows), train.some(held)) for rows, held in splits)

    def tuning_size(self, train):
        """All samples, or as many as the settings of tuning and the method's file allow."""
        limits = (self.tuning["max_samples"], self.method["tune_samples"])
        return min([train.size, *(limit for limit in limits if limit is not None)])

    def tuning_score(self, model, train, test):
        """The number of samples that 1-NN gets right."""
        return test.size - self.scores(model, train, test)

    def tuning_value(self, total, sizes):
        """The error rate over all inner test parts."""
        return float((sum(sizes) - total) / sum(sizes))
