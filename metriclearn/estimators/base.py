"""What every metric learner here can do once it is fitted.

Conventions, shared with metric-learn: pairs are an array (n, 2, d), y is +1 for a similar and -1
for a dissimilar pair, distances are not squared. ``threshold_`` is a squared distance, because
that is what the models learn.
"""

import inspect
import reprlib
import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data


class MahalanobisMetric:
    """A fitted distance as a plain function of two vectors; it pickles."""

    def __init__(self, components):
        self.components = components

    def __call__(self, u, v):
        difference = np.asarray(u, dtype=float) - np.asarray(v, dtype=float)
        return float(np.linalg.norm(self.components @ difference))


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of all estimators: ``fit`` must set ``components_`` (L with M = L^T L).

    A learner that also knows where "similar" ends sets ``threshold_``, the squared distance at
    which a pair turns dissimilar. One without a global L overrides ``pair_distance`` and
    ``pairwise_distance``. One with the parameter ``n_components`` passes L through ``_leading``.
    One that has ``fit_path`` says over which of its parameters.
    """

    components_: np.ndarray
    path_parameter: str | None = None

    def __init_subclass__(cls, **options):
        """The arguments are those of ``__init__``: Python before 3.11.4 shows ``__new__``'s."""
        super().__init_subclass__(**options)
        known = [*inspect.signature(cls.__init__).parameters.values()][1:]
        cls.__signature__ = inspect.Signature([] if cls.__init__ is object.__init__ else known)

    def __new__(cls, *args, **parameters):
        """Arguments have names: Python's own message would not say which."""
        if args:
            names = list(inspect.signature(cls).parameters)
            shown = (" ".join(reprlib.repr(value).split()) for value in args)
            named = ", ".join(f"{name}={value}" for name, value in zip(names, shown))
            raise TypeError(
                f"{cls.__name__} takes keyword arguments only, as in {cls.__name__}({named})."
                if len(args) <= len(names)
                else f"{cls.__name__} takes {len(names)} arguments, by name, got {len(args)}."
            )
        return super().__new__(cls)

    def transform(self, X):
        """Map samples to the space where the learned distance is Euclidean: X L^T."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X @ self.components_.T

    def get_mahalanobis_matrix(self):
        """M = L^T L; with ``n_components`` of that rank."""
        check_is_fitted(self)
        return self.components_.T @ self.components_

    def get_metric(self):
        """The learned distance as a picklable function of two vectors."""
        check_is_fitted(self)
        return MahalanobisMetric(self.components_)

    def pair_distance(self, pairs):
        """Learned distance of each pair, from an array (n, 2, d)."""
        check_is_fitted(self)
        pairs = check_pairs(pairs, n_features=self.n_features_in_)
        return np.linalg.norm((pairs[:, 0] - pairs[:, 1]) @ self.components_.T, axis=1)

    def pairwise_distance(self, A, B=None):
        """Learned distances between the rows of A and those of B (default: A)."""
        check_is_fitted(self)
        A = validate_data(self, A, reset=False, dtype=np.float64)
        B = A if B is None else validate_data(self, B, reset=False, dtype=np.float64)
        origin = A[0]  # a large offset that all samples share would cost digits, or overflow
        return cdist(*((part - origin) @ self.components_.T for part in (A, B)))

    def pair_score(self, pairs):
        """The opposite of the distance: higher means more similar."""
        return -self.pair_distance(pairs)

    def decision_pairs(self, pairs):
        """Scores for ROC curves: ``threshold_`` minus the squared distance.

        Positive where a pair counts as similar. (Not ``decision_function``, which scikit-learn
        calls with samples.)
        """
        check_is_fitted(self)
        if not hasattr(self, "threshold_"):
            choose = "use PairClassifier, or " if hasattr(self, "fit_pairs") else ""
            raise NotImplementedError(
                f"{type(self).__name__} learns no threshold between similar and dissimilar pairs: "
                f"{choose}set threshold_, a squared distance."
            )
        return self.threshold_ - self.pair_distance(pairs) ** 2

    def predict_pairs(self, pairs):
        """+1 for similar, -1 for dissimilar pairs."""
        return np.where(self.decision_pairs(pairs) >= 0.0, 1, -1)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _check_samples(self, X, *y, **options):
        """Finite samples (n, d), with y if given; notes their features."""
        shape = shape_of(X)
        if len(shape) == 3:
            name, takes_pairs = type(self).__name__, hasattr(self, "fit_pairs")
            advice = f"fit_pairs or PairClassifier({name}())" if takes_pairs else "PCML().fit_pairs"
            raise ValueError(
                f"{name}.fit takes samples (n, d) and their class labels, got an array of shape "
                f"{shape}: for pairs use {advice}."
            )
        checked = validate_data(self, X, *y, dtype=np.float64, **options)
        self._check_n_components()
        return checked

    def _check_pairs(self, pairs, y):
        """Finite pairs (n, 2, d) and labels of both kinds; notes their features."""
        pairs = check_pairs(pairs)
        y = check_pair_labels(y, len(pairs))
        self.n_features_in_ = pairs.shape[2]
        self._check_n_components()
        return pairs, y

    def _check_n_components(self):
        n_components = getattr(self, "n_components", None)
        if n_components is None:
            return
        check_number("n_components", n_components, at_least=1, integer=True)
        if n_components > self.n_features_in_:
            raise ValueError(
                f"n_components={n_components} is more than the {self.n_features_in_} features."
            )

    def _leading(self, L):
        """L, or its ``n_components`` leading directions: the best L^T L of that rank."""
        if self.n_components is None:
            return L
        _, s, V = np.linalg.svd(L)
        s = np.concatenate([s, np.zeros(len(V) - len(s))])
        return signed(s[: self.n_components, None] * V[: self.n_components])


class SupervisedMetricLearner(MetricLearner):
    """A learner whose ``fit`` needs class labels."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _check_labelled(self, X, y):
        """Finite samples and class labels of at least two classes, or a ValueError."""
        X, y = self._check_samples(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) < 2:
            name = type(self).__name__
            raise ValueError(
                f"{name} needs at least 2 classes, got one class only: {classes[0]!r}."
            )
        return X, y

    def _check_distinct_pairs(self, pairs, y):
        """Checked pairs and labels, without the pairs of identical samples: a warning says so."""
        pairs, y = self._check_pairs(pairs, y)
        keep = (pairs[:, 0] != pairs[:, 1]).any(axis=1)
        if not keep.all():
            warnings.warn(
                f"{np.sum(~keep)} pairs of identical samples were dropped.",
                UserWarning,
                stacklevel=3,
            )
        return pairs[keep], y[keep]


def factor(M):
    """L with L^T L = M for a PSD matrix, rows by falling eigenvalue, signs fixed."""
    w, U = np.linalg.eigh(M)
    w, U = w[::-1], U[:, ::-1]
    L = np.sqrt(np.maximum(w, 0.0))[:, None] * U.T
    return signed(L)


def signed(L):
    """L with the largest entry of each row positive: the same metric, the same on every run."""
    leading = np.take_along_axis(L, np.argmax(np.abs(L), axis=1)[:, None], axis=1)
    return L * np.where(leading < 0.0, -1.0, 1.0)


def shape_of(X):
    """Of an array, a table, or what becomes an array."""
    return X.shape if hasattr(X, "shape") else np.asarray(X).shape


def check_pairs(pairs, n_features=None):
    """A finite float array (n, 2, d), or a ValueError that says what came."""
    pairs = check_array(pairs, dtype=np.float64, allow_nd=True, ensure_min_features=0)
    if pairs.ndim != 3 or pairs.shape[1] != 2 or pairs.shape[2] < 1:
        raise ValueError(f"pairs must have the shape (n, 2, d), got {pairs.shape}.")
    if n_features is not None and pairs.shape[2] != n_features:
        raise ValueError(f"pairs have {pairs.shape[2]} features, but the metric has {n_features}.")
    return pairs


def check_pair_labels(y, n_pairs):
    """y as floats, all +1 (similar) or -1 (dissimilar), both present."""
    y = np.asarray(y)
    if y.shape != (n_pairs,):
        raise ValueError(f"y must have one label per pair, shape ({n_pairs},), got {y.shape}.")
    values = np.unique(y)
    if not np.isin(values, (-1, 1)).all():
        raise ValueError(
            f"pair labels must be +1 (similar) or -1 (dissimilar), got {values[:5].tolist()}."
        )
    if len(values) < 2:
        kind = "similar" if values[0] == 1 else "dissimilar"
        raise ValueError(
            f"all pairs are {kind}, one class only: a metric needs pairs of both kinds."
        )
    return y.astype(np.float64)


def check_number(name, value, *, above=None, at_least=None, integer=False):
    """A finite real (or integer) parameter within its bound, or a ValueError with the value."""
    kind: Any = Integral if integer else Real
    bound = f" > {above}" if above is not None else f" >= {at_least}"
    good = isinstance(value, kind) and not isinstance(value, bool) and np.isfinite(value)
    if good and above is not None:
        good = value > above
    if good and at_least is not None:
        good = value >= at_least
    if not good:
        what = "an integer" if integer else "a finite number"
        raise ValueError(f"{name} must be {what}{bound}, got {value!r}.")


def check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")
