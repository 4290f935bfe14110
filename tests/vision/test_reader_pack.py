"""Feature files that a user has: .mat and .npz, plain numbers only."""

import numpy as np
import pytest
from scipy.io import savemat

from metriclearn.datasets import DatasetError
from metriclearn.vision.parsing.arrays import read_numbers
from metriclearn.vision.readers import kissme, labelled_features

RNG = np.random.default_rng(0)
UX = RNG.normal(size=(5, 6))


class Trap:
    """An object whose unpickling would be noticed."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.fixture
def save(tmp_path):
    def write(name, **arrays):
        path = tmp_path / name
        if name.endswith(".mat"):
            savemat(path, arrays)
        else:
            np.savez(path, **arrays)
        return path

    return write


@pytest.mark.parametrize("name", ["viper_features.mat", "viper_features.npz"])
def test_kissme_pack(save, name):
    path = save(name, ux=UX, idxa=np.array([[1, 3, 5]]), idxb=np.array([[2, 4, 6]]), other=1.0)
    found = kissme.read(path, n_persons=3)
    np.testing.assert_array_equal(found.X, UX.T[[0, 2, 4, 1, 3, 5]])
    np.testing.assert_array_equal(found.labels["person"], [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(found.labels["camera"], [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ux": UX[:, :5]}, "expected ux with 6 columns.* got 5, 3 and 3"),
        ({"idxa": [1, 2]}, "got 6, 2 and 3"),
        ({"idxb": [2, 4, 4]}, "must name each of the columns 1 … 6 of ux once"),
        ({"idxb": [2, 4, 7]}, "must name each of the columns 1 … 6 of ux once"),
        ({"idxb": [2, 4, 5.5]}, "idxb must hold whole numbers"),
        ({"ux": np.where(UX == UX[0, 0], np.nan, UX)}, "ux has values that are NaN or infinite"),
        ({"ux": UX + 1j}, "ux must be a plain array of real numbers, it is complex128; refused"),
        ({"ux": np.array(["a", "b"])}, "ux must be a plain array of real numbers"),
    ],
)
def test_a_broken_kissme_pack_is_reported(save, changes, message):
    arrays = {"ux": UX, "idxa": [1, 3, 5], "idxb": [2, 4, 6], **changes}
    with pytest.raises(DatasetError, match=message):
        kissme.read(save("p.npz", **arrays), n_persons=3)


@pytest.mark.parametrize("transposed", [False, True])
def test_labelled_pack_either_way_round(save, transposed):
    X, person = RNG.normal(size=(6, 4)), [1, 1, 2, 2, 9, 9]
    path = save("hg.mat", X=X.T if transposed else X, person=person)
    found = labelled_features.read(path, n_images=6, n_persons=3)
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.labels["person"], person)
    np.testing.assert_array_equal(found.labels["camera"], np.zeros(6))


def test_a_labelled_pack_of_the_wrong_size_is_reported(save):
    X, person = np.ones((6, 4)), [1, 1, 2, 2, 9, 9]
    with pytest.raises(DatasetError, match="expected 1220 entries of 72 persons .* got 6 of 3"):
        labelled_features.read(save("a.npz", X=X, person=person), n_images=1220, n_persons=72)
    with pytest.raises(DatasetError, match=r"X must have 6 rows or columns, it is \(5, 4\)"):
        labelled_features.read(save("b.npz", X=X[:5], person=person), n_images=6, n_persons=3)
    with pytest.raises(DatasetError, match="camera has 2 entries for 6 images"):
        labelled_features.read(
            save("c.npz", X=X, person=person, camera=[0, 1]), n_images=6, n_persons=3
        )


def test_nothing_is_unpickled(save):
    path = save("trap.npz", ux=np.array([Trap()], dtype=object))
    with pytest.raises(DatasetError, match="not an npz of plain arrays"):
        read_numbers(path, ("ux",))


def test_cells_and_structures_of_matlab_are_refused(save):
    cell = np.empty(2, dtype=object)
    cell[:] = [np.ones(3), np.zeros(2)]
    for value in (cell, {"field": 1.0}):
        with pytest.raises(DatasetError, match="must be a plain array of real numbers"):
            read_numbers(save("c.mat", ux=value), ("ux",))


def test_missing_arrays_and_other_files_are_reported(save, put, tmp_path):
    with pytest.raises(DatasetError, match="expected arrays ux, idxa; there is no idxa"):
        read_numbers(save("a.mat", ux=UX), ("ux", "idxa"))
    with pytest.raises(DatasetError, match="not a .mat file that can be read"):
        read_numbers(put("b.mat", "no matlab file at all" * 50), ("ux",))
    head = b"MATLAB 7.3 MAT-file".ljust(124, b" ") + b"\x00\x02IM" + b"\x89HDF\r\n\x1a\n"
    with pytest.raises(DatasetError, match="version 7.3; in Matlab save it with -v7"):
        read_numbers(put("c.mat", head), ("ux",))
    with pytest.raises(DatasetError, match="cannot be read"):
        read_numbers(tmp_path / "nothing.mat", ("ux",))


@pytest.mark.parametrize("name", ["a.mat", "a.npz"])
def test_a_truncated_pack_is_reported(save, name):
    path = save(name, ux=RNG.normal(size=(40, 40)))
    path.write_bytes(path.read_bytes()[:4000])
    with pytest.raises(DatasetError):
        read_numbers(path, ("ux",))
