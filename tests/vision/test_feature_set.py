"""FeatureSet checks itself and survives its file."""

from types import SimpleNamespace

import numpy as np
import pytest

from metriclearn.datasets import DatasetError, DatasetUnavailable
from metriclearn.files.errors import PipelineError
from metriclearn.files.store import read_arrays
from metriclearn.vision import FeatureSet, save_unavailable

X = np.random.default_rng(0).normal(size=(6, 3))
HEAD = {"name": "toy", "title": "Toy", "feature": "f", "source": "here"}
FACES = {
    "task": "verification",
    "pairs": [[0, 1], [2, 3], [4, 5], [0, 5]],
    "same": [True, False, True, False],
    "fold": [0, 0, 1, 1],
}
PERSONS = {
    "task": "reidentification",
    "person": [3, 3, 5, 5, 7, 7],
    "camera": [0, 1, 0, 1, 0, 1],
}


def make(kind, **changes):
    return FeatureSet(**{**HEAD, "X": X, **kind, **changes})


@pytest.mark.parametrize("kind", [FACES, PERSONS])
def test_arrays_are_private_read_only_copies_of_the_right_type(kind):
    found = make(kind)
    assert found.X.dtype == np.float32
    np.testing.assert_array_equal(found.X, X.astype(np.float32))
    for key in set(kind) - {"task"}:
        array = getattr(found, key)
        assert array.dtype == (np.bool_ if key == "same" else np.int64)
        np.testing.assert_array_equal(array, kind[key])
        with pytest.raises(ValueError):
            array[0] = array[1]
    X32 = X.astype(np.float32)
    mine = make(kind, X=X32)
    X32[0] = 9
    np.testing.assert_array_equal(mine.X, found.X)


@pytest.mark.parametrize("kind", [FACES, PERSONS])
def test_a_file_gives_the_same_set_and_the_same_bytes(tmp_path, kind):
    found = make(kind, simulated=True)
    found.save(tmp_path / "a.npz")
    again = FeatureSet.load(tmp_path / "a.npz")
    assert again.facts() == found.facts()
    for key in {"X", *kind} - {"task"}:
        np.testing.assert_array_equal(getattr(again, key), getattr(found, key))
    again.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    facts, _ = read_arrays(tmp_path / "a.npz")
    assert (facts["status"], facts["n_images"], facts["n_features"]) == ("ok", 6, 3)


def test_the_hash_depends_on_every_array():
    changes = [
        {},
        {"X": X + 1},
        {"pairs": [[0, 1], [2, 3], [4, 5], [0, 4]]},
        {"same": [False, True, True, False]},
        {"fold": [0, 1, 1, 0]},
        {"feature": "g"},
        {"simulated": True},
    ]
    assert len({make(FACES, **change).content_hash for change in changes}) == len(changes)
    assert make(FACES, title="T", source="s").content_hash == make(FACES).content_hash
    with pytest.raises(DatasetError, match="content hash .* expected 0123"):
        make(FACES, content_hash="0123")


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        (FACES, {"task": "guessing"}, "task is one of"),
        (FACES, {"person": [0] * 6}, "person does not belong in a verification set"),
        (FACES, {"fold": None}, "needs fold"),
        (FACES, {"X": X[:, :0]}, r"got shape \(6, 0\)"),
        (FACES, {"X": np.where(X == X[2, 1], np.nan, X)}, "1 of 6 .* the first is image 2"),
        (FACES, {"X": X.astype(str)}, "X must hold real numbers"),
        (FACES, {"pairs": [[0, 1, 2]] * 4}, "pairs must be P × 2"),
        (FACES, {"pairs": [[0, 6]] * 4}, "pairs name rows 0 … 6, X has rows 0 … 5"),
        (FACES, {"pairs": [[0, 0], [2, 3], [4, 5], [0, 5]]}, "1 pairs are an image with itself"),
        (FACES, {"pairs": np.ones((4, 2))}, "pairs must be integer, got float64"),
        (FACES, {"same": [1, 0, 1, 0]}, "same must be boolean"),
        (FACES, {"same": [True, False]}, r"same has shape \(2,\) for 4 pairs"),
        (FACES, {"fold": [0, 0, 2, 2]}, r"numbered 0, 1, ….* got \[0, 2\]"),
        (FACES, {"fold": [0, 0, 0, 0]}, "at least two"),
        (FACES, {"same": [True, True, True, False]}, "fold 0 needs same and different pairs"),
        (PERSONS, {"camera": [0, 1]}, r"camera has shape \(2,\) for 6 images"),
        (PERSONS, {"person": [3, 3, 5, 5, 7, 8]}, r"the fewest images 1 \(person 7\)"),
        (PERSONS, {"person": [1] * 6}, "got 1 persons"),
        (PERSONS, {"pairs": [[0, 1]]}, "pairs does not belong in"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(kind, changes, message):
    with pytest.raises(DatasetError, match=message) as caught:
        make(kind, **changes)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("toy-f: ")


def test_the_file_of_an_unavailable_set_has_the_reason(tmp_path):
    spec = SimpleNamespace(name="toy", title="Toy", task="verification", simulated=False)
    facts = save_unavailable(tmp_path / "a.npz", spec, "f", "no network; get it at example.org")
    assert (facts["status"], facts["n_images"]) == ("unavailable", 0)
    with pytest.raises(DatasetUnavailable, match="no network; get it at example.org"):
        FeatureSet.load(tmp_path / "a.npz")


def test_a_damaged_file_is_reported(tmp_path):
    path = tmp_path / "a.npz"
    make(FACES, X=np.random.default_rng(1).normal(size=(60, 30))).save(path)
    data = bytearray(path.read_bytes())
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(PipelineError, match="delete it and run again"):
        FeatureSet.load(path)
    at = data.index(b"X.npy") + 400  # inside the compressed features
    data[at : at + 40] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(PipelineError, match="Bad CRC-32.*delete it and run again"):
        FeatureSet.load(path)
