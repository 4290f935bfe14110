"""The canonical content hash: the same for equal content, different for any other."""

import hashlib
import json
import struct

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.datasets.content import (
    Table,
    canonical_label,
    content_hash,
    round_significant,
    to_content,
    verify,
)

X = np.array([[1.0, 2.0, 0.5], [4.0, 5.0, 0.25], [7.0, 8.0, 1e-3], [10.0, 11.0, -3.0]])
Y = np.array([0, 1, 0, 2])
CLASSES = ("a", "b", "c")


def test_hash_is_what_the_documentation_says():
    head = {"format": 1, "shape": [4, 3], "classes": ["a", "b", "c"], "digits": 9, "split": [3, 1]}
    text = json.dumps(head, sort_keys=True).encode() + b"\n"
    body = struct.pack("<12d", *X.ravel()) + struct.pack("<4i", *Y)
    assert content_hash(X, Y, CLASSES, (3, 1)) == hashlib.sha256(text + body).hexdigest()


@pytest.mark.parametrize(
    "same",
    [
        X.astype(np.float32) + 0.0,
        np.asfortranarray(X),
        X.astype(">f8"),
        X * (1 + 1e-13),
        np.vstack([X, X])[:4],
    ],
    ids=["float32", "fortran", "big endian", "last digits", "view"],
)
def test_representation_does_not_matter(same):
    # six digits are common to float32 and decimals
    assert content_hash(same, Y, CLASSES, digits=6) == content_hash(X, Y, CLASSES, digits=6)


def test_minus_zero_and_nan_have_one_spelling():
    a, b = np.array([[0.0, np.nan]]), np.array([[-0.0, -np.nan]])
    b.view(np.uint64)[0, 1] |= 1  # another payload
    y = np.array([0])
    assert content_hash(a, y, ["k"]) == content_hash(b, y, ["k"])


def test_blocks_do_not_matter(monkeypatch):
    whole = content_hash(X, Y, CLASSES)
    monkeypatch.setattr("metriclearn.datasets.content.BLOCK_VALUES", 4)
    assert content_hash(X, Y, CLASSES) == whole


def test_any_change_shows():
    other = X.copy()
    other[2, 2] *= 1 + 1e-7
    hashes = {
        content_hash(X, Y, CLASSES),
        content_hash(other, Y, CLASSES),
        content_hash(X, Y[::-1], CLASSES),
        content_hash(X[::-1], Y, CLASSES),
        content_hash(X, Y, ("a", "b", "d")),
        content_hash(X, Y, CLASSES, (3, 1)),
        content_hash(X, Y, CLASSES, (2, 2)),
        content_hash(X, Y, CLASSES, digits=8),
        content_hash(X.reshape(3, 4), Y, CLASSES),
    }
    assert len(hashes) == 9


def test_rounding_is_that_of_decimal_text():
    rng = np.random.default_rng(0)
    values = rng.normal(size=500) * 10.0 ** rng.integers(-12, 12, size=500)
    expected = [float(f"{v:.8e}") for v in values]
    np.testing.assert_array_equal(round_significant(values, 9), expected)
    assert round_significant(np.array([1234567890.0]), 9)[0] == 1234567890.0
    assert round_significant(np.array([12345678912.0]), 9)[0] == 12345678900.0


@pytest.mark.parametrize(
    ("token", "label"),
    [("6.0000", "6"), (6, "6"), (6.0, "6"), (" car ", "car"), ("'A'", "A"), ("1.5", "1.5")],
)
def test_labels_have_one_spelling(token, label):
    assert canonical_label(token) == label


def test_sorted_order_does_not_depend_on_the_order_of_rows(toy):
    spec = toy(row_order="sorted")
    labels = [CLASSES[i] for i in Y]
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(4)
        content = to_content(Table(X[order], [labels[i] for i in order]), spec, "here")
        np.testing.assert_array_equal(content.X, X)  # X happens to be sorted
        np.testing.assert_array_equal(content.y, Y)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table(X[:3], list("aba")), "has 4 rows × 3 features, this has 3 × 3"),
        (Table(X, list("abad")), "label 'd' is not one of toy's classes a, b, c"),
        (Table(np.where(X == 11, np.inf, X), list("abac")), "infinite value in row 4, feature 2"),
        (Table(X, list("abbc")), "has a:2 b:1 c:1, this has a:1 b:2 c:1"),
        (Table(X + 1, list("abac")), "content hash"),
    ],
)
def test_wrong_content_is_named(toy, table, message):
    spec = toy()
    with pytest.raises(DatasetError, match="^here: ") as caught:
        verify(to_content(table, spec, "here"), spec, "here")
    assert message in str(caught.value)
