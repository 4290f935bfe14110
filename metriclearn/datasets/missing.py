"""Filling missing values by the rule in the data set's configuration.

A rule uses one row, or one column of features; no rule uses labels.

``rest_ratio``
    value = part / (whole − part) from the same row: for a ratio of a part to the rest, which the
    other columns determine (ILPD: albumin / globulin, globulin being total proteins − albumin).
``median``
    the median of the known values of the column.
"""

from collections.abc import Mapping

import numpy as np

from .errors import DatasetError


def fill_missing(
    X: np.ndarray, feature_names: tuple[str, ...], rule: Mapping[str, str] | None, where: str
) -> np.ndarray:
    """A copy of ``X`` without NaN; an error if no rule covers a missing value."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    X = X.copy()
    if rule is not None:
        column = feature_names.index(rule["column"])
        rows = np.flatnonzero(missing[:, column])
        if rule["rule"] == "rest_ratio":
            part = X[rows, feature_names.index(rule["part"])]
            whole = X[rows, feature_names.index(rule["whole"])]
            X[rows, column] = part / (whole - part)
        elif rule["rule"] == "median":
            X[rows, column] = np.nanmedian(X[:, column])
        else:
            raise DatasetError(
                f"{where}: unknown rule {rule['rule']!r} for missing values; "
                "rules are rest_ratio, median"
            )
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise DatasetError(
            f"{where}: no value for feature {feature_names[column]!r} in row {row + 1}; add a "
            "rule under 'missing' in the data set's configuration"
        )
    return X
