"""A new feature is a module and a line, a new image set with known formats is a yaml file."""

import os
import subprocess
import sys

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.experiment.fingerprint import PACKAGE, sources
from metriclearn.vision import FeatureSet, load_image_spec
from metriclearn.vision.features import histogram
from metriclearn.vision.files import FeatureFiles
from metriclearn.vision.load import compute_features
from metriclearn.vision.readers import named_images
from metriclearn.vision.registry import FEATURES, READERS, list_modules, load_module

pytest.importorskip("cv2")

SET = """\
name: "corridor"
title: "Corridor"
task: "reidentification"
features:
  histogram: {pca: 2, files: ["images"], extractor: "histogram"}
folder: "corridor"
files:
  images:
    name: "corridor.zip"
    check: "2 persons in cam_a and cam_b"
    reader: {kind: "viper", n_persons: 2}
page: https://example.org/corridor
"""
LINE = (
    '  mean_colour: {pca: null, files: ["images"], extractor: "mean_colour", options: {scale: 2}}\n'
)
MODULE = '''\
"""The mean colour of an image."""

import numpy as np


def compute(image: np.ndarray, *, scale: float = 1.0) -> np.ndarray:
    return scale * image.mean(axis=(0, 1))
'''


@pytest.fixture
def clone(kit, tmp_path, pack, picture):
    """A copy of the package with a new image set, its images in the cache."""
    folder = kit.make_clone(tmp_path / "clone")
    (folder / "conf/images/corridor.yaml").write_text(SET)
    (tmp_path / "cache/corridor").mkdir(parents=True)
    pack(
        "cache/corridor/corridor.zip",
        {
            f"cam_{c}/{i:03d}_0.bmp": picture(10 * i + (c == "b"), ending=".bmp")
            for c in "ab"
            for i in range(2)
        },
    )
    return folder


def run(folder, *words):
    command = [sys.executable, "-m", "metriclearn", *words]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_new_set_is_one_file_and_a_new_feature_one_module_and_one_line(clone, picture):
    done = run(clone, "extract", "corridor", "histogram", "h.npz", "--quiet")
    assert done.returncode == 0, done.stderr
    assert FeatureSet.load(clone / "h.npz").X.shape == (4, 25575)

    (clone / "metriclearn/vision/features/mean_colour.py").write_text(MODULE)
    path = clone / "conf/images/corridor.yaml"
    path.write_text(SET.replace("features:\n", "features:\n" + LINE))
    done = run(clone, "extract", "corridor", "mean_colour", "m.npz", "--quiet")
    assert done.returncode == 0, done.stderr
    found = FeatureSet.load(clone / "m.npz")
    np.testing.assert_array_equal(found.person, [0, 1, 0, 1])
    np.testing.assert_array_equal(found.camera, [0, 0, 1, 1])
    import cv2

    pixels = np.frombuffer(picture(11, ending=".bmp"), np.uint8)
    expected = 2 * cv2.imdecode(pixels, cv2.IMREAD_COLOR).mean(axis=(0, 1))
    np.testing.assert_allclose(found.X[3], expected, rtol=1e-6)
    assert found.source == "corridor.zip"


def test_a_feature_without_its_module_is_one_clear_line(clone):
    path = clone / "conf/images/corridor.yaml"
    path.write_text(SET.replace("features:\n", "features:\n" + LINE))
    done = run(clone, "extract", "corridor", "mean_colour", "m.npz")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "extractor is one of ['gaussian', 'histogram', 'sift'], got 'mean_colour'" in done.stderr


def test_the_code_of_a_feature_is_its_readers_and_its_extractor():
    """So an edit of a module that is found by its name still extracts its features again."""

    def code(images, *features):
        modules = load_image_spec(images).modules(*features)
        found = {path.relative_to(PACKAGE).as_posix() for path in sources(*modules)}
        return {name for name in found if name.startswith(("vision/readers/", "vision/features/"))}

    assert {"vision/features/sift.py", "vision/readers/lfw_pairs.py"} <= code("lfw", "sift")
    assert "vision/features/histogram.py" not in code("lfw")
    assert code("lfw", "attribute") < code("lfw", "sift_attribute") == code("lfw")
    assert "vision/readers/viper.py" in code("viper", "histogram")
    assert code("simulated_faces") == set()


def test_every_module_has_the_interface():
    for folder, name in ((READERS, "read"), (FEATURES, "compute")):
        for module in list_modules(folder):
            assert callable(getattr(load_module(folder, module), name)), module


def test_vectors_of_different_lengths_are_refused(pack, picture, monkeypatch):
    path = pack("a.zip", {"A.png": picture(0, 8, 10), "B.png": picture(1, 9, 10)})
    files = FeatureFiles(named_images.read(path), {}, "a.zip")
    monkeypatch.setattr(histogram, "compute", lambda image: image[0, :, 0])
    with pytest.raises(DatasetError, match=r"expected a vector of 8 features .* \(9,\) for B"):
        compute_features(load_image_spec("viper"), "histogram", files, {})


def test_data_that_lack_an_image_are_refused(pack, picture):
    path = pack("a.zip", {"A.png": picture(0, 8, 10), "B.png": picture(1, 8, 10)})
    files = FeatureFiles(named_images.read(path), {"landmarks": {"A": None}}, "a.zip")
    with pytest.raises(DatasetError, match="lfw_landmarks.*: nothing for 1 of 2 .* first is B"):
        compute_features(load_image_spec("lfw"), "sift", files, {})


def test_what_decides_a_feature():
    recipe = load_image_spec("viper").recipe("histogram")
    assert recipe["readers"] == {"images": {"kind": "viper", "n_persons": 632}}
    assert recipe["extractor"] == "histogram"
    assert load_image_spec("simulated_persons").recipe("histogram")["simulate"]["n_persons"] == 72
