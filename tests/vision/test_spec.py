"""The facts in conf/images, and how the files they name are got."""

import dataclasses

import numpy as np
import pytest

from metriclearn.datasets import DatasetError, DatasetUnavailable, UnknownDataset
from metriclearn.vision import list_image_sets, load_image_spec
from metriclearn.vision.files import obtain, read_files
from metriclearn.vision.registry import FEATURES, READERS, check_call, load_module
from metriclearn.vision.spec import image_spec_from_dict

TOY = {
    "name": "toy",
    "title": "Toy",
    "task": "verification",
    "folder": "toy",
    "page": "https://example.org/toy",
    "features": {
        "a": {"pca": 3, "files": ["one"]},
        "b": {"pca": None, "files": ["two"]},
        "both": {"pca": None, "combines": ["a", "b"]},
    },
    "files": {
        "one": {
            "name": "one.txt",
            "check": "one line",
            "reader": {"kind": "landmarks"},
            "also": ["one.csv", "folder"],
        },
        "two": {
            "name": "two.txt",
            "check": "two lines",
            "reader": {"kind": "viper", "n_persons": 2},
            "optional": True,
            "page": "https://example.org/two",
            "urls": ["https://example.org/two.txt"],
        },
    },
}

ONE = {"a": {"pca": 3, "files": ["one"]}}


def toy(**changes):
    return image_spec_from_dict({**TOY, **changes}, "toy.yaml")


def test_the_sets_of_the_paper_and_the_simulated_ones_are_described():
    assert list_image_sets() == [
        "caviar4reid",
        "lfw",
        "pubfig",
        "viper",
        "simulated_faces",
        "simulated_persons",
    ]
    assert list_image_sets(simulated=False) == ["caviar4reid", "lfw", "pubfig", "viper"]
    dimensions = {
        (name, feature): facts["pca"]
        for name in list_image_sets(simulated=False)
        for feature, facts in load_image_spec(name).features.items()
    }
    assert dimensions["lfw", "sift"] == 150
    assert dimensions["viper", "histogram"] == 34
    assert dimensions["pubfig", "attribute"] is None
    lfw = load_image_spec("lfw")
    assert lfw.combines("sift_attribute") == ("sift", "attribute")
    assert lfw.feature_title("sift_attribute") == "SIFT + attributes"


def test_the_projection_of_the_attributes_is_called_what_it_is():
    lfw = load_image_spec("lfw")
    for feature, beside in (("attribute30", "attribute"), ("sift_attribute30", "sift_attribute")):
        assert "30-dimensional projection" in lfw.feature_title(feature)
        assert "not the scores" in (lfw.feature_note(feature) or "")
        assert lfw.paper_feature(feature) == beside
    assert lfw.feature_note("sift") is None and lfw.paper_feature("sift") == "sift"


@pytest.mark.parametrize("name", list_image_sets(simulated=False))
def test_every_feature_can_be_made(name):
    spec = load_image_spec(name)
    for feature in spec.features:
        for part in spec.combines(feature):
            assert spec.roles(part)
            for role in spec.roles(part):
                settings = dict(spec.files[role].reader)
                reader = load_module(READERS, settings.pop("kind"))
                check_call(reader.read, role, "path", ("name",), **settings)
            if spec.extractor(part):
                inputs = [role for role in spec.roles(part) if spec.files[role].optional]
                options = {**spec.extractor_options(part), **dict.fromkeys(inputs)}
                check_call(
                    load_module(FEATURES, spec.extractor(part)).compute, part, None, **options
                )
    assert not spec.simulated and all(file.page and file.check for file in spec.files.values())


def test_an_unknown_name_is_reported_with_the_known_ones():
    with pytest.raises(UnknownDataset, match="did you mean caviar4reid"):
        load_image_spec("CAVIAR4-REID")
    with pytest.raises(DatasetError, match="no feature 'hog'; there are sift, attribute"):
        load_image_spec("lfw").feature("hog")
    with pytest.raises(DatasetError, match="combines the scores of sift and attribute"):
        read_files(load_image_spec("lfw"), "sift_attribute")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "x"}, "task is one of"),
        ({"colour": "x"}, "unknown key 'colour'"),
        ({"features": {}}, "needs a feature"),
        ({"features": {"a": {"files": ["one"]}}}, "feature a needs 'pca'"),
        ({"features": {"a": {"pca": 0, "files": ["one"]}}}, "pca of feature a"),
        ({"features": {"a": {"pca": None, "files": ["x"]}}}, r"files names \['x'\]"),
        ({"features": {"a": {"pca": None}}}, "needs either files or combines"),
        (
            {"features": {"a": {"pca": 3, "files": ["one"], "extractor": "hog"}}},
            r"feature a: extractor is one of \['gaussian', 'histogram', 'sift'\], got 'hog'",
        ),
        (
            {"features": {"a": {"pca": 3, "files": ["one"], "extracter": "sift"}}},
            r"feature a: unknown keys \['extracter'\]",
        ),
        (
            {"features": {"a": {"pca": 3, "files": ["one"], "instead_of": "b"}}},
            "feature a: instead_of names 'b', there are \\['a'\\]",
        ),
        ({"files": {"one": {"name": "one.txt"}}}, "files: one: missing key 'check'"),
        (
            {
                "files": {"one": {"name": "a", "check": "b", "reader": {"kind": "jpg"}}},
                "features": ONE,
            },
            r"files: one: reader kind is one of \['attributes', .*, got 'jpg'",
        ),
        (
            {"files": {"one": {"name": "a", "check": "b", "reader": "viper"}}, "features": ONE},
            "files: one: reader needs a kind and its options, got 'viper'",
        ),
        (
            {"files": {"one": {"name": "a", "check": "b", "reader": {}}}, "features": ONE},
            r"files: one: reader kind is one of .*, got ''",
        ),
        ({"folder": ""}, "needs folder, page and files"),
    ],
)
def test_a_wrong_description_is_reported(changes, message):
    with pytest.raises(DatasetError, match=f"toy.yaml: .*{message}"):
        toy(**changes)


def test_wrong_options_of_a_reader_are_reported():
    files = {"one": {"name": "a", "check": "b", "reader": {"kind": "viper", "n_person": 2}}}
    spec = toy(files=files, features=ONE)
    message = "conf/images/toy.yaml: files: one: reader viper: .*n_person"
    with pytest.raises(DatasetError, match=message):
        read_files(spec, "a")


def test_files_without_features_need_an_extractor_and_others_must_have_none(put, pack, picture):
    members = {f"cam_{c}/{i:03d}_0.bmp": picture(ending=".bmp") for c in "ab" for i in range(2)}
    put("cache/toy/README", "a folder for the archive")
    pack("cache/toy/two.zip", members)
    files = {**TOY["files"], "two": {**TOY["files"]["two"], "also": ["two.zip"]}}
    with pytest.raises(DatasetError, match="feature b: its files hold no features"):
        read_files(toy(files=files), "b")
    rows = "#\tperson\timagenum\tMale\nAnn\t1\t0.5\n"
    put("cache/toy/one.txt", rows)
    scores = {"name": "one.txt", "check": "c", "reader": {"kind": "attributes", "n_scores": 1}}
    features = {"a": {"pca": None, "files": ["one"], "extractor": "sift"}}
    with pytest.raises(DatasetError, match="feature a: .* needs no extractor"):
        read_files(toy(files={"one": scores}, features=features), "a")


def test_a_file_comes_from_the_cache_or_the_mirror(put, tmp_path, monkeypatch):
    def read(path):
        return path.read_text()

    put("mirror/toy/one.txt", "mirror")
    monkeypatch.setenv("METRICLEARN_MIRROR", str(tmp_path / "mirror"))
    assert obtain(toy(), "one", read) == "mirror"
    put("cache/toy/one.csv", "another name")
    assert obtain(toy(), "one", read) == "another name"
    put("cache/toy/one.txt", "cache")
    assert obtain(toy(), "one", read) == "cache"
    assert obtain(toy(), "one", read, source="mirror") == "mirror"


def test_a_folder_may_stand_for_an_archive(pack):
    pack("cache/toy/folder", {"a.txt": b"x"})
    assert obtain(toy(), "one", lambda path: path.is_dir()) is True


def test_what_is_unavailable_names_the_page_the_place_and_the_check(tmp_path):
    with pytest.raises(DatasetUnavailable) as caught:
        obtain(toy(), "one", lambda path: path)
    text = str(caught.value)
    assert "data set toy (one) is unavailable (" in text
    assert "download it from https://example.org/toy" in text
    assert "put one.txt or one.csv or folder into $METRICLEARN_CACHE/toy/" in text
    assert text.endswith("it must hold one line")


def test_an_optional_file_may_be_missing_but_not_wrong(put):
    assert obtain(toy(), "two", lambda path: path) is None

    def reject(path):
        raise DatasetError(f"{path}: three lines")

    path = put("cache/toy/two.txt", "x")
    with pytest.raises(DatasetUnavailable, match="three lines .set aside as"):
        obtain(toy(), "two", reject)
    assert not path.exists()


def test_pinned_bytes_are_compared(put):
    file = dataclasses.replace(toy().files["one"], sha256="0" * 64)
    spec = dataclasses.replace(toy(), files={"one": file})
    put("cache/toy/one.txt", "x")
    with pytest.raises(DatasetUnavailable, match="expected 000000000000"):
        obtain(spec, "one", lambda path: path)


def test_a_public_file_is_read_from_where_it_stays(monkeypatch, tmp_path):
    from metriclearn.datasets import fetch as _fetch

    def download(url, target, options):
        assert url == "https://example.org/two.txt"
        target.write_text("fresh")

    monkeypatch.delenv("METRICLEARN_OFFLINE")
    monkeypatch.setattr(_fetch, "download", download)
    kept = tmp_path / "cache" / "toy" / "two.txt"
    assert obtain(toy(), "two", lambda path: path) == kept
    assert kept.read_text() == "fresh"


def test_files_of_the_mirror_are_found(mirror):
    found = read_files(load_image_spec("lfw"), "sift")
    assert len(found.data.names) == 7701
    assert set(found.data.names) <= set(found.inputs["landmarks"])
    viper = read_files(load_image_spec("viper"), "histogram")
    np.testing.assert_array_equal(np.bincount(viper.data.labels["camera"]), [632, 632])
