"""The data sets that come with the repository: exact counts, values, hashes."""

import gzip
import re

import numpy as np
import pytest

from metriclearn.datasets import list_datasets, load_dataset, load_spec
from metriclearn.datasets.content import content_hash
from metriclearn.files.resources import conf_dir, data_dir

DIGIT_COUNTS = [1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055]
# name: rows, features, label → rows, train, test
SHIPPED = {
    "breast_tissue": (106, 9, {"adi": 22, "car": 21, "con": 14, "fad": 15, "gla": 16, "mas": 18}),
    "cardiotocography": (
        2126,
        21,
        dict(zip(map(str, range(1, 11)), [384, 579, 53, 81, 72, 332, 252, 107, 69, 197])),
    ),
    "ilpd": (583, 10, {"1": 416, "2": 167}),
    "letter": (20000, 16, None, 16000, 4000),
    "parkinsons": (195, 22, {"0": 48, "1": 147}),
    "satellite": (
        6435,
        36,
        {"1": 1533, "2": 703, "3": 1358, "4": 626, "5": 707, "7": 1508},
        4435,
        2000,
    ),
    "segmentation": (
        2310,
        19,
        dict.fromkeys("BRICKFACE CEMENT FOLIAGE GRASS PATH SKY WINDOW".split(), 330),
    ),
    "sonar": (208, 60, {"M": 111, "R": 97}),
    "spectf_heart": (267, 44, {"0": 55, "1": 212}, 80, 187),
    "pendigits": (10992, 16, dict(zip("0123456789", DIGIT_COUNTS)), 7494, 3498),
}
PAPER_NAMES = [*list(SHIPPED)[:9], "mnist", "pendigits", "semeion", "usps"]


def test_names_are_the_papers():
    assert list_datasets() == PAPER_NAMES
    assert list_datasets("digits") == ["mnist", "pendigits", "semeion", "usps"]
    assert set(list_datasets(variants=True)) - set(PAPER_NAMES) == {"usps_esl"}


@pytest.mark.parametrize("name", SHIPPED)
def test_counts(name):
    rows, features, counts, *split = SHIPPED[name]
    d = load_dataset(name)
    assert (d.name, d.source) == (name, "shipped")
    assert d.X.shape == (rows, features) and d.y.shape == (rows,)
    assert d.X.dtype == np.float64 and d.X.flags.c_contiguous and np.isfinite(d.X).all()
    assert d.y.dtype == np.int64
    assert len(d.feature_names) == features
    if counts is not None:
        assert dict(zip(d.target_names, np.bincount(d.y).tolist(), strict=True)) == counts
    if split:
        train, test = split
        np.testing.assert_array_equal(d.train, np.arange(train))
        np.testing.assert_array_equal(d.test, np.arange(train, train + test))
        assert train + test == rows
    else:
        assert d.train is None and d.test is None


@pytest.mark.parametrize("name", SHIPPED)
def test_values_hash_to_the_configured_content(name):
    d = load_dataset(name)
    spec = load_spec(name)
    X = d.X.copy()
    if name == "ilpd":  # the hash is of the data as published, with its gaps
        X[[209, 241, 253, 312], 9] = np.nan
    found = content_hash(X, d.y, d.target_names, spec.split_sizes, spec.hash_digits)
    assert found == d.content_hash == spec.content_hash


def test_letter_has_all_26_letters_and_the_first_row_of_the_original():
    d = load_dataset("letter")
    assert "".join(d.target_names) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert d.target_names[d.y[0]] == "T"
    np.testing.assert_array_equal(d.X[0], [2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8])
    assert np.bincount(d.y).min() == 734 and np.bincount(d.y).max() == 813


def test_spectf_classes_per_part():
    d = load_dataset("spectf_heart")
    assert np.bincount(d.y[d.train]).tolist() == [40, 40]
    assert np.bincount(d.y[d.test]).tolist() == [15, 172]


def test_cardiotocography_rates_are_exact():
    d = load_dataset("cardiotocography")
    accelerations = d.X[:, d.feature_names.index("AC")]
    assert accelerations[1] == 4 / (632 - 5)
    assert d.X[:, d.feature_names.index("Tendency")].min() == -1


def test_ilpd_gaps_are_filled_from_their_own_row():
    d = load_dataset("ilpd")
    tp, alb, ratio = (d.X[:, d.feature_names.index(name)] for name in ("TP", "ALB", "A/G"))
    gaps = [209, 241, 253, 312]
    np.testing.assert_allclose(ratio[gaps], alb[gaps] / (tp[gaps] - alb[gaps]), rtol=0)
    known = np.setdiff1d(np.arange(583), gaps)
    error = np.abs(alb[known] / (tp[known] - alb[known]) - ratio[known])
    assert np.median(error) < 0.04  # the rule agrees with the rows that state the ratio
    assert set(np.unique(d.X[:, 1])) == {0.0, 1.0}


def test_segmentation_has_its_constant_column():
    d = load_dataset("segmentation")
    constant = np.flatnonzero(np.ptp(d.X, axis=0) == 0)
    assert [d.feature_names[i] for i in constant] == ["region-pixel-count"]


def test_two_loads_are_equal_and_independent():
    a, b = load_dataset("sonar"), load_dataset("sonar")
    np.testing.assert_array_equal(a.X, b.X)
    a.X[:] = 0
    assert b.X.any() and load_dataset("sonar").X.any()
    assert repr(b) == "<Dataset sonar: 208 × 60, 2 classes>"


def test_pca_dimensions_of_table_4():
    dimensions = {name: load_spec(name).pca for name in list_datasets()}
    reduced = {name: d for name, d in dimensions.items() if d}
    assert reduced == {"mnist": 100, "semeion": 100, "usps": 100}


def test_shipped_files_are_small_and_reproducible():
    files = sorted(data_dir().glob("*.csv.gz"))
    assert [f.name for f in files] == sorted(f"{name}.csv.gz" for name in SHIPPED)
    assert sum(f.stat().st_size for f in files) < 1_000_000
    for file in files:
        data = file.read_bytes()
        assert data[3] == 0 and data[4:8] == bytes(4), "no name, no time in the gzip header"
        heading = gzip.decompress(data).split(b"\n", 1)[0].decode().split(",")
        assert heading == [*load_spec(file.name.split(".")[0]).names_of_features, "label"]


def test_readme_names_donors_licence_page_and_hash():
    text = re.sub(r"\s+", " ", (data_dir() / "README.md").read_text(encoding="utf-8"))
    for name in SHIPPED:
        spec = load_spec(name)
        for fact in (spec.donors, spec.page, spec.content_hash, spec.package, spec.doi):
            assert fact in text, f"{name}: {fact}"
    assert "CC BY 4.0" in text


def test_every_configuration_is_complete():
    for path in (conf_dir() / "dataset").glob("*.yaml"):
        spec = load_spec(path.stem)
        assert spec.name == path.stem
        assert re.fullmatch("[0-9a-f]{64}", spec.content_hash)
        assert spec.public, "every set names a public download"
        if spec.openml:
            assert isinstance(spec.openml["id"], int)
            assert spec.openml["offered"] or spec.openml["note"]
