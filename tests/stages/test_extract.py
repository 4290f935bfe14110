"""The stages fetch and extract for image sets, on small sets in the published formats."""

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from metriclearn.datasets import DatasetError, DatasetUnavailable
from metriclearn.stages import extract as extract_module
from metriclearn.stages.extract import extract
from metriclearn.stages.fetch import fetch
from metriclearn.vision import FeatureSet, files, load, load_features, spec
from metriclearn.vision.readers.landmarks import HEADING, MEAN_LANDMARKS

pytest.importorskip("cv2")

PAIRS = "2\t1\nAnn\t1\t2\nAnn\t1\tBo\t1\nCy\t1\t2\nCy\t2\tDi\t1\n"
NAMES = ["Ann_0001", "Ann_0002", "Bo_0001", "Cy_0001", "Cy_0002", "Di_0001"]


def change_file(facts, role, **changes):
    changed = dataclasses.replace(facts.files[role], **changes)
    return dataclasses.replace(facts, files={**facts.files, role: changed})


@pytest.fixture
def small(put, pack, picture, monkeypatch):
    """A small LFW (SIFT) and a small VIPeR in the cache, with specs that expect their counts."""
    lfw, viper = spec.load_image_spec("lfw"), spec.load_image_spec("viper")
    pairs = {"kind": "lfw_pairs", "n_folds": 2, "n_each": 1}
    images = {"kind": "viper", "n_persons": 2}
    specs = {
        "lfw": change_file(lfw, "pairs", sha256="", reader=pairs),
        "viper": change_file(viper, "images", reader=images),
    }

    def load_image_spec(name):
        return specs.get(name) or spec.load_image_spec(name)

    for module in (files, load, extract_module):
        monkeypatch.setattr(module, "load_image_spec", load_image_spec)
    put("cache/lfw/pairs.txt", PAIRS)
    rows = [",".join([name, *map(str, (MEAN_LANDMARKS + 3).ravel())]) for name in NAMES]
    put("cache/lfw/lfw_landmarks.csv", "\n".join([",".join(HEADING), *rows]) + "\n")
    put("cache/viper/README", "a folder for the archive")
    pack(
        "cache/lfw/lfw-funneled.tgz",
        {
            f"lfw_funneled/{name[:-5]}/{name}.jpg": picture(i, 150, 150, ".jpg")
            for i, name in enumerate(NAMES)
        },
    )
    pack(
        "cache/viper/VIPeR.v1.0.zip",
        {
            f"VIPeR/cam_{c}/{i:03d}_0.bmp": picture(10 * i + (c == "b"), ending=".bmp")
            for c in "ab"
            for i in range(2)
        },
    )


def test_lfw_sift_rows_are_the_images_of_the_pairs(small, tmp_path, capsys):
    facts = extract("lfw", "sift", tmp_path / "a.npz")
    found = FeatureSet.load(tmp_path / "a.npz")
    assert found.X.shape == (6, 3456)
    np.testing.assert_array_equal(found.pairs, [(0, 1), (0, 2), (3, 4), (4, 5)])
    np.testing.assert_array_equal(found.same, [True, False, True, False])
    assert facts["source"] == "lfw-funneled.tgz, RootSIFT at the landmarks"
    assert "6/6" in capsys.readouterr().err  # the progress bar
    extract("lfw", "sift", tmp_path / "b.npz", quiet=True)
    assert capsys.readouterr().err == ""
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_without_a_landmark_file_the_mean_positions_are_used(small, tmp_path):
    with_points = load_features("lfw", quiet=True)
    (tmp_path / "cache/lfw/lfw_landmarks.csv").unlink()
    without = load_features("lfw", "sift", quiet=True)
    assert without.source == "lfw-funneled.tgz, RootSIFT at the mean positions"
    assert not np.array_equal(without.X, with_points.X)
    plain = load_features("lfw", "sift", root=False, quiet=True)
    assert plain.source == "lfw-funneled.tgz, SIFT at the mean positions"
    h = plain.X.reshape(-1, 128)
    np.testing.assert_allclose(
        without.X.reshape(-1, 128), np.sqrt(h / h.sum(axis=1, keepdims=True)), atol=1e-6
    )


def test_settings_reach_the_extractor_only(small):
    with pytest.raises(DatasetError, match="feature sift: extractor sift: .*'rot'"):
        load_features("lfw", "sift", rot=True, quiet=True)
    with pytest.raises(DatasetError, match="lfw-attribute has no extractor that takes root"):
        load_features("lfw", "attribute", root=True)


def test_viper_histograms(small, tmp_path):
    extract("viper", "histogram", tmp_path / "v.npz", quiet=True)
    found = FeatureSet.load(tmp_path / "v.npz")
    np.testing.assert_array_equal(found.person, [0, 1, 0, 1])
    np.testing.assert_array_equal(found.camera, [0, 0, 1, 1])
    assert found.X.shape == (4, 25575)


def test_attributes_follow_the_pairs(small, put, tmp_path):
    names = [f"A{i}" for i in range(73)]
    head = "# comment\n" + "\t".join(["#", "person", "imagenum", *names]) + "\n"
    scores = {("Ann", 1): 1.0, ("Bo", 1): 2.0, ("Cy", 2): -1.5}
    rows = ["\t".join([p, str(n), *[repr(s)] * 73]) for (p, n), s in scores.items()]
    put("cache/lfw/lfw_attributes.txt", head + "\n".join(rows) + "\n")
    found = load_features("lfw", "attribute")
    np.testing.assert_array_equal(found.X[:, 0], [1, 0, 2, 0, -1.5, 0])
    assert found.source == "lfw_attributes.txt, zeros for 3 images that are not in it"


def test_an_image_missing_from_the_archive_leaves_no_file(small, pack, picture, tmp_path):
    some = {f"lfw_funneled/{n}.jpg": picture(0, 150, 150, ".jpg") for n in NAMES[:-1]}
    pack("cache/lfw/lfw-funneled.tgz", some)
    facts = extract("lfw", "sift", tmp_path / "a.npz")
    assert facts["status"] == "unavailable"
    assert (
        "1 of the 6 images that the pairs name are not in it, the first is Di_0001"
        in (facts["message"])
    )
    with pytest.raises(DatasetUnavailable, match="Di_0001"):
        FeatureSet.load(tmp_path / "a.npz")


def test_a_broken_image_ends_the_extraction_and_leaves_nothing(small, pack, picture, tmp_path):
    members = {f"x/{n}.jpg": picture(0, 150, 150, ".jpg") for n in NAMES}
    pack("cache/lfw/lfw-funneled.tgz", {**members, "x/Cy_0001.jpg": b"broken"})
    with pytest.raises(DatasetError, match="Cy_0001: not an image"):
        extract("lfw", "sift", tmp_path / "out" / "a.npz", quiet=True)
    assert not (tmp_path / "out").exists()


def test_what_is_unavailable_is_a_file_with_the_reason_or_an_error(tmp_path):
    facts = extract("pubfig", "attribute", tmp_path / "p.npz")
    assert facts["status"] == "unavailable"
    assert "pubfig_full.txt" in facts["message"]
    assert "\n" not in facts["message"]
    with pytest.raises(DatasetUnavailable):
        extract("pubfig", "attribute", tmp_path / "q.npz", strict=True)
    assert not (tmp_path / "q.npz").exists()
    with pytest.raises(DatasetError, match="no feature 'sift'"):
        extract("pubfig", "sift", tmp_path / "q.npz")


def test_a_fetch_note_has_each_feature_and_is_used(small, tmp_path):
    note = fetch("lfw", tmp_path / "lfw.json")
    assert json.loads((tmp_path / "lfw.json").read_text()) == note
    assert note["status"] == "ok"
    assert {k: v["status"] for k, v in note["features"].items()} == {
        "sift": "ok",
        "attribute": "unavailable",
        "sift_attribute": "unavailable",
        "attribute30": "unavailable",
        "sift_attribute30": "unavailable",
    }
    note["features"]["sift"] = {"status": "unavailable", "message": "no"}
    (tmp_path / "no.json").write_text(json.dumps(note))
    facts = extract("lfw", "sift", tmp_path / "a.npz", note=tmp_path / "no.json")
    assert (facts["status"], facts["message"]) == ("unavailable", "no")
    assert (
        extract("lfw", "sift", tmp_path / "a.npz", note=tmp_path / "lfw.json", quiet=True)["status"]
        == "ok"
    )


def test_fetch_of_a_set_without_any_file_is_unavailable(tmp_path):
    note = fetch("caviar4reid", tmp_path / "c.json")
    assert note["status"] == "unavailable"
    assert "1,220 images" in note["message"]
    with pytest.raises(DatasetUnavailable, match="caviar4reid"):
        fetch("caviar4reid", tmp_path / "d.json", strict=True)
    assert not (tmp_path / "d.json").exists()


def test_strict_does_not_ask_for_what_only_some_users_have(small, tmp_path):
    note = fetch("viper", tmp_path / "v.json", strict=True)
    assert note["status"] == "ok"
    assert note["features"]["kissme"]["status"] == "unavailable"


def test_a_simulated_set_through_the_command_line(tmp_path):
    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", "metriclearn", "extract", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    done = run("simulated_persons", "histogram", "s.npz")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "<FeatureSet simulated_persons-histogram: 1220 × 120, 72 persons, 2 cameras>\n"
    )
    assert FeatureSet.load(tmp_path / "s.npz").simulated
    failed = run("simulated_person", "histogram", "t.npz")
    assert failed.returncode == 1
    assert failed.stderr.startswith("error: unknown image set 'simulated_person' (did you mean")
    assert failed.stderr.count("\n") == 1
