"""The attribute files of LFW and PubFig."""

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.vision.readers import attributes
from metriclearn.vision.readers.attributes import read_attributes

TEXT = (
    "# LFW Attributes v1.2 - lfw_attributes.txt\n"
    "#\tperson\timagenum\tMale\tAsian\tSmiling\n"
    "Ann Lee\t1\t1.5\t-0.25\t1e-3\n"
    "Ann Lee\t2\t0\t2\t-3\n"
    "Bo\t10\t-1\t-2\t4.5\n"
)


def read(path):
    return read_attributes(path, n_scores=3)


def test_scores_come_in_the_order_of_the_images_asked_for(put):
    found = read(put("lfw_attributes.txt", TEXT))
    assert found.names == ("Male", "Asian", "Smiling")
    X, n_absent = found.of(["Bo_0010", "Ann_Lee_0001"])
    np.testing.assert_array_equal(X, [(-1, -2, 4.5), (1.5, -0.25, 1e-3)])
    assert n_absent == 0


def test_a_few_images_may_be_without_scores_where_that_is_known(put):
    found = read(put("lfw_attributes.txt", TEXT))
    images = ["Ann_Lee_0002", "Bo_0001", "Cy_0001"]
    X, n_absent = found.of(images, max_absent=2)
    np.testing.assert_array_equal(X, [(0, 2, -3), (0, 0, 0), (0, 0, 0)])
    assert n_absent == 2
    with pytest.raises(DatasetError, match="2 of 3 images, at most 1 .* Bo_0001, an unknown image"):
        found.of(images, max_absent=1)
    with pytest.raises(DatasetError, match="Cy_0001, an unknown person"):
        found.of(["Cy_0001"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1.5", "high", "line 3: a score is no number"),
        ("1.5", "nan", r"line 3: a score is not finite \(nan\)"),
        ("\t-3\n", "\t-inf\n", r"line 4: a score is not finite \(-inf\)"),
        ("\t4.5", "", "line 5: expected 5 cells, got 4"),
        ("Bo\t10", "Ann Lee\t2", "line 5: Ann_Lee_0002 is there twice"),
        ("Bo\t10", "Bo\tten", "line 5: expected the number of an image, got 'ten'"),
        ("\tSmiling", "", "3 attributes, got .* with 4 columns"),
        ("\tperson\timagenum", "\timagenum\tperson", "expected the heading"),
    ],
)
def test_a_broken_file_is_reported_with_its_line(put, old, new, message):
    assert old in TEXT
    with pytest.raises(DatasetError, match=message):
        read(put("lfw_attributes.txt", TEXT.replace(old, new, 1)))


def test_a_file_without_heading_or_without_rows_is_reported(put):
    with pytest.raises(DatasetError, match="heading that starts with '#'"):
        read(put("a.txt", TEXT.split("\n", 2)[2]))
    with pytest.raises(DatasetError, match="no scores in it"):
        read(put("b.txt", "\n".join(TEXT.split("\n")[:2]) + "\n"))


def test_the_published_files_have_73_scores(put):
    with pytest.raises(DatasetError, match="73 attributes"):
        read_attributes(put("lfw_attributes.txt", TEXT), n_scores=73)


def test_the_file_gives_the_scores_of_the_images_that_are_named(put):
    path = put("lfw_attributes.txt", TEXT)
    found = attributes.read(path, ("Bo_0010", "Cy_0001"), n_scores=3, max_absent=1)
    np.testing.assert_array_equal(found.X, [(-1, -2, 4.5), (0, 0, 0)])
    assert found.note == "zeros for 1 images that are not in it"
    everything = attributes.read(path, n_scores=3)
    assert everything.names == ("Ann_Lee_0001", "Ann_Lee_0002", "Bo_0010")
    assert everything.X.shape == (3, 3) and everything.note == ""


PROJECTION = "person,imagenum,a1,a2,a3\nAnn Lee,1,1.5,-0.25,1e-3\nBo,10,-1,-2,4.5\n"


def test_a_projection_of_the_scores_is_a_csv(put):
    path = put("lfw_attributes_30d.csv", PROJECTION)
    found = attributes.read(path, ("Bo_0010", "Ann_Lee_0001"), n_scores=3, commas=True)
    np.testing.assert_array_equal(found.X, [(-1, -2, 4.5), (1.5, -0.25, 1e-3)])
    with pytest.raises(DatasetError, match="the heading person, imagenum and 30 attributes, got"):
        read_attributes(path, n_scores=30, commas=True)
    with pytest.raises(DatasetError, match="line 3: expected 5 cells, got 4"):
        read_attributes(put("b.csv", PROJECTION.replace(",4.5", "")), n_scores=3, commas=True)
    with pytest.raises(DatasetError, match="expected a heading that starts with 'person'"):
        read_attributes(put("c.csv", ""), n_scores=3, commas=True)
