"""The files of the image sets against what their descriptions say, where a mirror is at hand."""

import numpy as np
import pytest

from metriclearn.datasets import DatasetUnavailable
from metriclearn.vision import load_features, load_image_spec
from metriclearn.vision.files import read_files


def from_mirror(read, *args, **options):
    try:
        return read(*args, source="mirror", **options)
    except DatasetUnavailable as error:
        pytest.skip(str(error))


def test_caviar_has_72_persons_of_whom_50_were_seen_by_two_cameras(mirror):
    labels = from_mirror(read_files, load_image_spec("caviar4reid"), "gaussian").data.labels
    counts = np.unique(labels["person"], return_counts=True)[1]
    assert sorted(counts) == [10] * 22 + [20] * 50
    assert np.bincount(labels["camera"]).tolist() == [720, 500]


def test_the_projection_of_the_attributes_tells_persons_apart(mirror):
    features = from_mirror(load_features, "lfw", "attribute30")
    assert features.X.shape == (7701, 30) and features.n_folds == 10
    first, second = (features.X[rows] for rows in features.pairs.T)
    away = np.linalg.norm(first - second, axis=1)
    same, different = np.median(away[features.same]), np.median(away[~features.same])
    assert same < 0.75 * different
