"""Medians for missing values, scaling and PCA, fitted on training samples only (but see
``scaled_together``)."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from ..files.errors import PipelineError


class GlobalScaler(TransformerMixin, BaseEstimator):
    """The whole training matrix to [0, 1] by one shift and one factor: pixels keep their ratios."""

    def fit(self, X, y=None):
        self.low_ = X.min()
        self.width_ = np.ptp(X) or 1.0
        return self

    def transform(self, X):
        return (X - self.low_) / self.width_


SCALERS = {"minmax": MinMaxScaler, "global": GlobalScaler, "standard": StandardScaler}


def scaled_together(X, facts):
    """``scale: together``: the paper's scaling over all samples, those of the test part too.

    Only to see what the paper may have done: elsewhere nothing of the test part is used.
    """
    return SCALERS[paper_scale(facts)]().fit_transform(X) if len(X) else X


def paper_scale(facts):
    """[0, 1] per feature; digits as they are, by one factor."""
    return "global" if facts["group"] == "digits" else "minmax"


def chosen_scale(protocol, facts):
    """The scaling of each fold by name."""
    if protocol["scale"] == "paper":
        return paper_scale(facts)
    return "none" if protocol["scale"] == "together" else protocol["scale"]


def chosen_dimension(protocol, facts):
    """The PCA dimension, or None."""
    pca = protocol["pca"]
    return facts["pca"] if pca == "paper" else None if pca == "none" else pca


def _imputer():
    """The median of the known values; 0 for a feature without any in the training part."""
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median", keep_empty_features=True)


def make_preprocessor(protocol, facts):
    """An unfitted pipeline of the median for missing values, if any, the scaler and the PCA."""
    steps = [_imputer()] if facts.get("gaps") else []
    if (scale := chosen_scale(protocol, facts)) != "none":
        steps.append(SCALERS[scale]())
    if (dimension := chosen_dimension(protocol, facts)) is not None:
        steps.append(PCA(dimension, svd_solver="full"))
    return make_pipeline(*steps) if steps else make_pipeline("passthrough")


def check_dimension(protocol, facts, X):
    """A PCA dimension above the rank of the training part is refused by name."""
    dimension = chosen_dimension(protocol, facts)
    if dimension is None:
        return
    if facts.get("gaps"):
        X = _imputer().fit_transform(X)
    centred = X - X.mean(axis=0)
    rank = min(X.shape[0] - 1, X.shape[1])
    if dimension <= rank:
        rank = int(np.linalg.matrix_rank(centred.T @ centred, hermitian=True))
    if dimension > rank:
        raise PipelineError(
            f"the PCA dimension {dimension} is above the rank {rank} of the training part of "
            f"{facts['name']} ({X.shape[0]} × {X.shape[1]}): lower protocol.pca"
        )
