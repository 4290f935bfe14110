"""The landmark file of LFW."""

import gzip

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.vision.readers import landmarks
from metriclearn.vision.readers.landmarks import (
    HEADING,
    MEAN_LANDMARKS,
    read_landmarks,
    require_landmarks,
)

ROW = [10.5 * i for i in range(1, 19)]
TEXT = ",".join(HEADING) + "\nAnn_Lee_0001," + ",".join(map(str, ROW)) + "\n"


@pytest.mark.parametrize("compress", [False, True])
def test_points_are_read_gzipped_or_not(put, compress):
    data = gzip.compress(TEXT.encode()) if compress else TEXT.encode()
    found = read_landmarks(put("lfw_landmarks.csv.gz", data))
    assert list(found) == ["Ann_Lee_0001"]
    np.testing.assert_array_equal(found["Ann_Lee_0001"], np.reshape(ROW, (9, 2)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x1,y1", "y1,x1", "expected the heading name,x1,y1"),
        (",10.5,", ",left,", "line 2: a coordinate is no number"),
        (",10.5,", ",1_0,", "line 2: a coordinate is no number"),
        (",10.5,", ",nan,", "line 2: coordinates must lie in 0 … 250"),
        (",10.5,", ",250.5,", "line 2: coordinates must lie in 0 … 250"),
        (",10.5,", ",", "line 2: expected 19 cells, got 18"),
    ],
)
def test_a_broken_file_is_reported_with_its_line(put, old, new, message):
    assert old in TEXT
    with pytest.raises(DatasetError, match=message):
        read_landmarks(put("lfw_landmarks.csv", TEXT.replace(old, new, 1)))


def test_a_face_twice_no_face_and_a_truncated_file_are_reported(put):
    row = TEXT.split("\n")[1]
    with pytest.raises(DatasetError, match="line 3: Ann_Lee_0001 is there twice"):
        read_landmarks(put("a.csv", TEXT + row + "\n"))
    with pytest.raises(DatasetError, match="no landmarks in it"):
        read_landmarks(put("b.csv", ",".join(HEADING) + "\n"))
    with pytest.raises(DatasetError, match="damaged or truncated compressed file"):
        read_landmarks(put("c.csv.gz", gzip.compress(TEXT.encode())[:-20]))


def test_an_image_without_landmarks_is_named(put):
    path = put("a.csv", TEXT)
    assert list(landmarks.read(path, ("Ann_Lee_0001",)).by_image) == ["Ann_Lee_0001"]
    with pytest.raises(DatasetError, match="no landmarks for 1 of 2 images, the first is Bo_0001"):
        landmarks.read(path, ("Ann_Lee_0001", "Bo_0001"))
    with pytest.raises(DatasetError, match="no landmarks for 1 of 2 images, the first is Bo_0001"):
        require_landmarks({"Ann_0001": MEAN_LANDMARKS}, ("Ann_0001", "Bo_0001"), "file")


def test_the_mean_positions_are_those_of_the_real_file(mirror):
    points = read_landmarks(mirror / "lfw" / "lfw_landmarks.csv.gz")
    assert len(points) == 13233
    np.testing.assert_allclose(MEAN_LANDMARKS, np.mean(list(points.values()), axis=0), atol=0.6)
