"""What a protocol is: all in which classification, verification and re-identification differ.

``engine.py`` runs the folds of any protocol and ``tuning.py`` chooses parameters for any; neither
knows what the samples are. To add a protocol is to write one class with the methods below.
"""

from abc import ABC, abstractmethod

from ..files.errors import PipelineError, one_line
from .estimator import load_estimator, make_estimator
from .grid import Grid
from .splits import fold_seed
from .tuning import tune


class Protocol(ABC):
    """The folds of one job: how they are split, preprocessed, fitted and measured.

    A fold is named by a dict of columns: ``{"repeat": 0, "fold": 3}`` or ``{"fold": 3}``. A part
    is the training or the test part of a fold; it has a ``size``, features ``X`` and labels ``y``.
    A protocol has one or more views of the same samples, which are features that are combined: a
    metric is learned on each view, and ``measure`` combines their scores.
    """

    group: str  # of the configuration: has threads, timeout, seed and use_folds
    tuning: dict  # the settings of tuning
    tuning_column: str  # of the row, for ``tuning_value``
    curve = ""  # kind of the curve that is measured; none if empty
    views: tuple[str, ...] = ("",)
    pairs: dict = {}  # arguments for methods with `pairs: true`

    def __init__(self, config, name):
        self.settings = config[self.group]
        self.method = config["method"]
        self.name = name  # of the data set or image set

    # The job ---------------------------------------------------------------------------------

    @abstractmethod
    def folds(self):
        """The folds to evaluate, in their order."""

    def seed(self, fold):
        """The seed of one fold, the same for every method."""
        return fold_seed(self.settings["seed"], self.name, fold.get("repeat", 0), fold["fold"])

    def missing_reason(self):
        """Why the job cannot run at all, as status and message of its rows; None if it can."""
        try:
            kind = load_estimator(self.method)
        except PipelineError as error:
            return {"status": "unavailable", "message": one_line(error)}
        self.check_parameters()
        return self.unsuitable(kind)

    def check_parameters(self):
        """Refuse a parameter that the estimator would refuse in every fold, in its own words."""
        tuned = self.method["tune"].items() if self.tuned else ()
        for changes in ({}, *({key: value} for key, values in tuned for value in values)):
            model = self.estimator(0, changes)
            try:
                getattr(model, "_check_parameters", lambda: None)()
            except ValueError as error:
                raise PipelineError(f"method={self.method['name']}: {one_line(error)}") from error

    def unsuitable(self, kind):
        """Why an estimator's class cannot take part, as ``missing_reason``; None if it can."""
        return None

    def load(self):
        """Import what the folds need, once the job is known to run: no fold's time has it."""
        return None

    # A fold ----------------------------------------------------------------------------------

    @abstractmethod
    def split(self, fold, view=0):
        """(training part, test part) of a fold."""

    def prepare(self, train, test, view=0):
        """The parts as tuning gets them: for steps that are fitted once per fold, if any.

        ``FoldSkipped`` raised here gives a row with the status ``skipped``.
        """
        return train, test

    @abstractmethod
    def preprocess(self, kind, train, test):
        """The parts after a preprocessing that is fitted on ``train``."""

    def estimator(self, seed, changes):
        """An unfitted estimator."""
        return make_estimator(self.method, self.pairs, seed, changes)

    @abstractmethod
    def given(self, model, train):
        """What an estimator learns from: the end of its method, "" or "_pairs"; arguments."""

    def fit(self, model, train):
        """The fitted estimator."""
        end, arguments = self.given(model, train)
        return getattr(model, f"fit{end}")(*arguments)

    @property
    def path_parameter(self):
        """The parameter over which the estimator fits a path; None if there is none."""
        return getattr(load_estimator(self.method), "path_parameter", None)

    def fit_path(self, model, train, values):
        """Fitted copies, one for each value; None without a path for what is given."""
        end, arguments = self.given(model, train)
        fit = getattr(model, f"fit_path{end}", None)
        return fit and fit(*arguments, **{self.path_parameter: values})

    @abstractmethod
    def few(self, train):
        """A small part of a training part, for a first fit that is not timed."""

    @abstractmethod
    def scores(self, model, train, test):
        """What ``measure`` needs to know from one view."""

    @abstractmethod
    def measure(self, scores, train, test):
        """Columns of the row and points of the curve, from the scores of all views."""

    # Tuning ----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def tuned(self):
        """Whether parameters are chosen at all."""

    def grid(self):
        """Changes of the method's arguments to choose from."""
        if not self.tuned:
            return Grid()
        return Grid(self.method["tune"], self.method["extend"], self.tuning["extensions"])

    def preprocessings(self):
        """Kinds of preprocessing to choose from."""
        return (None,)

    def choose(self, train, seed):
        """The ``Choice`` of parameters and preprocessing on a training part."""
        return tune(self, train, seed)

    @abstractmethod
    def inner_splits(self, train, rng):
        """(training, test) parts inside a training part."""

    def tuning_size(self, train):
        """On how much of a training part of this size the choice is made."""
        return train.size

    @abstractmethod
    def tuning_score(self, model, train, test):
        """How good a candidate is on an inner test part; scores are added, the highest wins."""

    @abstractmethod
    def tuning_value(self, total, sizes):
        """What the row says of the best sum of scores; ``sizes`` are of the inner test parts."""

    def chosen(self, kind, changes):
        """What the column ``chosen`` says."""
        return changes


def used_folds(settings, folds):
    """How many of the folds are evaluated."""
    return folds if settings["use_folds"] is None else min(folds, settings["use_folds"])
