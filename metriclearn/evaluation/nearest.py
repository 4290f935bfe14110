"""The paper's measure: how many test samples have a nearest training sample of another class."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

NO_METRIC = "the learned metric is 0: no sample is nearer than another"
BLOCK = 500  # test samples at a time where a metric gives distances only


def nearest_error(model, X, y, X_test, y_test):
    """The number of test samples that 1-NN in the learned metric gets wrong."""
    if mapped := _mapped(model, X, X_test):
        A, B = mapped
        if not (np.isfinite(A).all() and np.isfinite(B).all()):
            raise ValueError("the learned metric is not finite")
        if not A.any():
            raise ValueError(NO_METRIC)
        neighbors = KNeighborsClassifier(n_neighbors=1, algorithm="brute").fit(A, y)
        return int(np.sum(neighbors.predict(B) != y_test))
    wrong = 0
    for start in range(0, len(X_test), BLOCK):
        distances = model.pairwise_distance(X_test[start : start + BLOCK], X)
        if not np.isfinite(distances).all():
            raise ValueError("the learned metric is not finite")
        if not distances.any():
            raise ValueError(NO_METRIC)
        wrong += int(np.sum(y[np.argmin(distances, axis=1)] != y_test[start : start + BLOCK]))
    return wrong


def _mapped(model, *parts):
    """The samples where the metric is Euclidean; None where it has distances only."""
    if not hasattr(model, "transform"):
        return None
    try:
        return [model.transform(part) for part in parts]
    except NotImplementedError:  # learned with a kernel
        return None
