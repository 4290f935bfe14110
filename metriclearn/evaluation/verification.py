"""Face verification: are two images of the same person? (section 5.3 of the paper)

LFW's image-restricted View 2 and PubFig: the database gives labelled pairs in folds. For each
fold a metric is learned on the pairs of the other folds alone, the threshold is the one with the
highest accuracy on those pairs, and the fold's own pairs are judged by it. Names of persons are
not used.
"""

import numpy as np

from ..estimators.threshold import best_threshold
from ..files.errors import PipelineError
from .combine import combine
from .curves import FALSE_POSITIVE_RATES, accuracy, area, equal_error_rate, roc_at
from .images import ImageProtocol
from .part import Part, pairs_part
from .splits import stratified_folds, stratified_part


class Verification(ImageProtocol):
    """The protocol on one feature of an image set, or on several that are combined."""

    task = "verification"
    curve = "roc"

    def __init__(self, config, sets, shared=None):
        check_same_pairs(sets)
        super().__init__(config, sets, shared)
        self.n_folds = int(sets[0].fold.max()) + 1

    def unsuitable(self, kind):
        """Pairs only: a method that needs the persons cannot take part."""
        if hasattr(kind, "fit_pairs"):
            return None
        title = self.method["title"]
        return {
            "status": "skipped",
            "message": f"{title} needs labelled images; verification gives pairs only",
        }

    def parts(self, fold, view=0):
        of = self.sets[view]
        test = of.fold == fold["fold"]
        return tuple(
            pairs_part(of.X, of.pairs[mask], of.same[mask], of.fold[mask]) for mask in (~test, test)
        )

    def inner_splits(self, train, rng):
        """On at most ``max_pairs`` of the pairs; whole folds stay together.

        The database keeps a person in one fold.
        """
        tuning, y, size = self.tuning, train.y, self.tuning_size(train)
        rows = np.arange(len(y))
        if size < len(y):
            rows = np.flatnonzero(stratified_part(y, size, rng))
        numbers, given = np.unique(train.fold[rows], return_inverse=True)
        if len(numbers) >= tuning["folds"]:
            group = rng.permutation(len(numbers))[given] % tuning["folds"]
        else:
            group = stratified_folds(y[rows], tuning["folds"], rng)
        return [
            (_some(train, rows[group != g]), _some(train, rows[group == g]))
            for g in range(tuning["use_folds"] or tuning["folds"])
        ]

    def tuning_size(self, train):
        limit = self.tuning["max_pairs"]
        return train.size if limit is None else min(train.size, limit)

    def scores(self, model, train, test):
        """Scores of the training and of the test pairs: higher is more similar."""
        return model.pair_score(train.pair_images()), model.pair_score(test.pair_images())

    def measure(self, scores, train, test):
        """Numbers of a row, and the ROC curve, from the scores of one or several features."""
        of_train, of_test = combine(scores)
        threshold = best_threshold(of_train, train.y > 0)
        same = test.y > 0
        row = {
            "threshold": threshold,
            "train_accuracy": accuracy(of_train, train.y > 0, threshold),
            "accuracy": accuracy(of_test, same, threshold),
            "auc": area(of_test, same),
            "eer": equal_error_rate(of_test, same),
        }
        return row, list(zip(FALSE_POSITIVE_RATES, roc_at(of_test, same), strict=True))

    def tuning_score(self, model, train, test):
        """What the choice of parameters maximises: accuracy, with the threshold of the rest."""
        of_train, of_test = self.scores(model, train, test)
        return accuracy(of_test, test.y > 0, best_threshold(of_train, train.y > 0))


def _some(part: Part, rows):
    """The part of some of the pairs of a part."""
    assert part.fold is not None  # a part of a verification set has folds
    return pairs_part(part.X, part.pairs[rows], part.y[rows] > 0, part.fold[rows])


def check_same_pairs(sets):
    """Features are combined pair by pair: all must have the same pairs in the same folds."""
    first, *others = sets
    for other in others:
        for key in ("pairs", "same", "fold"):
            if not np.array_equal(getattr(first, key), getattr(other, key)):
                raise PipelineError(
                    f"{first.name}: {key} of {first.feature} and {other.feature} differ; extract "
                    "both from the same files"
                )
