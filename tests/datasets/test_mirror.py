"""Shipped and configured content against the original files, where a mirror of them is at hand."""

import gzip

import numpy as np
import pytest

from metriclearn.datasets import list_datasets, load_dataset, load_spec

SHIPPED = [name for name in list_datasets() if load_spec(name).shipped]
FETCHED = [name for name in list_datasets(variants=True) if not load_spec(name).shipped]
NEEDS_XLRD = {"breast_tissue", "cardiotocography"}


def from_mirror(name):
    if name in NEEDS_XLRD:
        pytest.importorskip("xlrd", reason="xlrd, which reads .xls, is not installed")
    return load_dataset(name, source="mirror")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_values_are_the_originals(mirror, name):
    ours, original = load_dataset(name), from_mirror(name)
    assert ours.source == "shipped" and original.source == "mirror"
    np.testing.assert_array_equal(ours.X, original.X)  # to the last bit
    np.testing.assert_array_equal(ours.y, original.y)


@pytest.mark.parametrize("name", FETCHED)
def test_fetched_sets_verify(mirror, name):
    d = from_mirror(name)
    spec = load_spec(name)
    assert d.X.shape == (spec.n_samples, spec.n_features) and np.isfinite(d.X).all()
    assert np.bincount(d.y).tolist() == list(spec.class_counts)


def test_letter_and_sonar_with_an_independent_reader(mirror):
    letter = load_dataset("letter")
    rows = [line.split(",") for line in (mirror / "letter/letter-recognition.data").open()]
    assert [letter.target_names[i] for i in letter.y] == [row[0] for row in rows]
    np.testing.assert_array_equal(letter.X, np.array([row[1:] for row in rows], dtype=float))
    sonar = load_dataset("sonar")
    values = np.loadtxt(mirror / "sonar/sonar.all-data", delimiter=",", usecols=range(60))
    np.testing.assert_array_equal(sonar.X, values)


def test_segmentation_is_a_permutation_of_the_original(mirror):
    d = load_dataset("segmentation")
    rows = []
    for part in ("segmentation.data", "segmentation.test"):
        for line in (mirror / "segmentation" / part).read_text().splitlines()[5:]:
            label, *values = line.split(",")
            rows.append((label, *map(float, values)))
    ours = [(d.target_names[k], *x) for k, x in zip(d.y, d.X.tolist(), strict=True)]
    assert sorted(rows) == sorted(ours)


def test_mnist_pixels_with_an_independent_reader(mirror):
    d = from_mirror("mnist")
    raw = gzip.decompress((mirror / "mnist/t10k-images-idx3-ubyte.gz").read_bytes())
    np.testing.assert_array_equal(d.X[d.test].ravel(), np.frombuffer(raw, np.uint8, offset=16))


def test_usps_versions_share_labels_but_not_pixels(mirror):
    smoothed, plain = from_mirror("usps"), from_mirror("usps_esl")
    np.testing.assert_array_equal(smoothed.y, plain.y)
    assert np.abs(smoothed.X - plain.X).max() > 0.5
