"""The pair lists of LFW and PubFig."""

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.vision.readers import lfw_pairs, pubfig_pairs

LFW = (
    "2\t2\n"
    "Ann_Lee\t1\t2\nBo\t3\t1\nAnn_Lee\t1\tBo\t1\nBo\t3\tCy\t1\n"
    "Di\t1\t2\nDi\t1\t3\nDi\t2\tEd\t10\nEd\t10\tDi\t3\n"
)
PUBFIG = (
    "# PubFig Dataset v1.2 - pubfig_full.txt\n2\n"
    "1\t1\nAnn Lee\t1\tAnn Lee\t2\nAnn Lee\t2\tBo\t7\n"
    "1\t1\nCy\t1\tCy\t4\nCy\t4\tDi\t1\n"
)


def read(path):
    return lfw_pairs.read(path, n_folds=2, n_each=2)


def test_lfw_pairs_are_read_as_published(put):
    found = read(put("pairs.txt", LFW))
    assert list(found.names) == [
        "Ann_Lee_0001",
        "Ann_Lee_0002",
        "Bo_0001",
        "Bo_0003",
        "Cy_0001",
        "Di_0001",
        "Di_0002",
        "Di_0003",
        "Ed_0010",
    ]
    expected = [(0, 1), (3, 2), (0, 2), (3, 4), (5, 6), (5, 7), (6, 8), (8, 7)]
    np.testing.assert_array_equal(found.labels["pairs"], expected)
    np.testing.assert_array_equal(found.labels["same"], [1, 1, 0, 0, 1, 1, 0, 0])
    np.testing.assert_array_equal(found.labels["fold"], [0, 0, 0, 0, 1, 1, 1, 1])


def test_view_1_has_one_fold_and_one_count(put):
    text = "1\nAnn\t1\t2\nAnn\t1\tBo\t1\n"
    found = lfw_pairs.read(put("pairsDevTrain.txt", text), n_folds=1, n_each=1)
    np.testing.assert_array_equal(found.labels["same"], [True, False])
    np.testing.assert_array_equal(found.labels["fold"], [0, 0])


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(put):
    plain = read(put("a.txt", LFW))
    other = read(put("b.txt", "\ufeff" + LFW.replace("\n", "\r\n")))
    assert other.names == plain.names
    np.testing.assert_array_equal(other.labels["pairs"], plain.labels["pairs"])


def test_pubfig_pairs_are_read_as_published(put):
    found = pubfig_pairs.read(put("pubfig_full.txt", PUBFIG), n_folds=2, n_each=1)
    assert found.names == (
        "Ann_Lee_0001",
        "Ann_Lee_0002",
        "Bo_0007",
        "Cy_0001",
        "Cy_0004",
        "Di_0001",
    )
    np.testing.assert_array_equal(found.labels["pairs"], [(0, 1), (1, 2), (3, 4), (4, 5)])
    np.testing.assert_array_equal(found.labels["same"], [True, False, True, False])
    np.testing.assert_array_equal(found.labels["fold"], [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2\t2\n", "2\t3\n", r"expected the counts \[2, 2\] in the first line, got \[2, 3\]"),
        ("2\t2\n", "two\n", "expected counts"),
        ("Ed\t10\tDi\t3\n", "", "ends after 8 lines, more pairs were expected"),
        ("Ed\t10\tDi\t3\n", "Ed\t10\tDi\t3\nEd\t1\tDi\t3\n", "line 10: 1 lines more than"),
        ("Bo\t3\t1\n", "Ann_Lee\t2\t1\n", "pairs 1 and 2 are both Ann_Lee_0002 and Ann_Lee_0001"),
        ("Ed\t10\tDi\t3\n", "Bo\t1\tAnn_Lee\t1\n", "pairs 3 and 8 are both"),
        ("Bo\t3\t1\n", "Bo\t3\t3\n", "pair 2 is Bo_0003 with itself"),
        ("Bo\t3\tCy\t1\n", "Bo\t3\tBo\t1\n", "pair 4.* should show different persons"),
        ("Bo\t3\t1\n", "Bo\t3\tx\n", "line 3: expected the number of an image, got 'x'"),
        ("Bo\t3\t1\n", "Bo\t3\t0\n", "line 3: expected the number of an image, got '0'"),
        ("Bo\t3\t1\n", "Bo\t3\n", "line 3: expected 3 cells"),
        ("Bo\t3\t1\n", "\t3\t1\n", "line 3: expected 3 cells"),
        ("Bo\t3\tCy\t1\n", "Bo\t3\t1\n", "line 5: expected 4 cells"),
    ],
)
def test_a_broken_pair_file_is_reported_with_its_line(put, old, new, message):
    assert old in LFW
    with pytest.raises(DatasetError, match=message):
        read(put("pairs.txt", LFW.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2\n1\t1", "3\n1\t1", "expected 2, the number of folds"),
        ("1\t1\nCy", "1\t2\nCy", r"line 6: expected the counts \[1, 1\] of a fold, got \[1, 2\]"),
        ("Bo\t7", "Ann Lee\t7", "should show different persons"),
        ("Cy\t4\nCy", "Bo\t4\nCy", "should show the same person"),
    ],
)
def test_a_broken_pubfig_file_is_reported(put, old, new, message):
    assert old in PUBFIG
    with pytest.raises(DatasetError, match=message):
        pubfig_pairs.read(put("pubfig_full.txt", PUBFIG.replace(old, new, 1)), n_folds=2, n_each=1)


def test_bytes_that_are_no_text_and_files_that_are_not_there(put, tmp_path):
    with pytest.raises(DatasetError, match="not a text in UTF-8"):
        read(put("pairs.txt", b"\xff\xfe\x00"))
    with pytest.raises(DatasetError, match="cannot be read"):
        read(tmp_path / "nothing.txt")


def test_the_real_files_have_the_published_counts(mirror):
    lfw = lfw_pairs.read(mirror / "lfw" / "pairs.txt", n_folds=10, n_each=300)
    assert (len(lfw.labels["pairs"]), lfw.labels["same"].sum(), len(lfw.names)) == (
        6000,
        3000,
        7701,
    )
    np.testing.assert_array_equal(np.bincount(lfw.labels["fold"]), np.full(10, 600))
    train = lfw_pairs.read(mirror / "lfw" / "pairsDevTrain.txt", n_folds=1, n_each=1100)
    test = lfw_pairs.read(mirror / "lfw" / "pairsDevTest.txt", n_folds=1, n_each=500)
    assert (len(train.labels["pairs"]), len(test.labels["pairs"])) == (2200, 1000)
    pubfig = pubfig_pairs.read(mirror / "pubfig" / "pubfig_full.txt", n_folds=10, n_each=1000)
    assert (len(pubfig.labels["pairs"]), pubfig.labels["same"].sum()) == (20000, 10000)
    persons = [
        {
            pubfig.names[i].rpartition("_")[0]
            for i in pubfig.labels["pairs"][pubfig.labels["fold"] == f].ravel()
        }
        for f in range(10)
    ]
    assert [len(p) for p in persons] == [14] * 10
    assert len(set.union(*persons)) == 140  # no person is in two folds
