"""SIFT, histograms and hierarchical Gaussians against direct calculations."""

import numpy as np
import pytest
from scipy.linalg import logm

cv2 = pytest.importorskip("cv2")
pytest.importorskip("skimage")

from metriclearn.vision.features import gaussian, histogram, sift  # noqa: E402
from metriclearn.vision.parsing.images import decode  # noqa: E402
from metriclearn.vision.readers.landmarks import MEAN_LANDMARKS  # noqa: E402


@pytest.fixture
def face(picture):
    return decode(picture(1, 250, 250), "face")


@pytest.fixture
def person(picture):
    return decode(picture(2), "person")


# SIFT ---------------------------------------------------------------------------------------


def test_sift_has_27_descriptors_in_the_documented_order(face):
    found = sift.compute(face, landmarks=MEAN_LANDMARKS, root=False).reshape(9, 3, 128)
    gray = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY)
    for landmark, scale in ((0, 0), (4, 2), (8, 1)):
        x, y = MEAN_LANDMARKS[landmark]
        one = cv2.KeyPoint(float(x), float(y), (24, 48, 96)[scale] / 6, 0.0)
        _, expected = cv2.SIFT_create().compute(gray, [one])
        np.testing.assert_allclose(found[landmark, scale], expected[0], atol=1)


def test_without_landmarks_the_mean_positions_are_used(face):
    np.testing.assert_array_equal(sift.compute(face), sift.compute(face, landmarks=MEAN_LANDMARKS))


def test_moving_a_landmark_changes_its_descriptors_only(face):
    before = sift.compute(face, landmarks=MEAN_LANDMARKS).reshape(9, 384)
    moved = MEAN_LANDMARKS.copy()
    moved[3] += 5
    after = sift.compute(face, landmarks=moved).reshape(9, 384)
    np.testing.assert_array_equal(np.any(before != after, axis=1), np.arange(9) == 3)


def test_rootsift_is_the_root_of_the_normalised_histogram():
    h = np.array([[1, 3, 0], [0, 0, 0]], dtype=np.float32)
    np.testing.assert_allclose(sift.rootsift(h), [[0.5, np.sqrt(0.75), 0], [0, 0, 0]])


def test_smaller_copies_are_read_in_the_same_frame(face):
    small = cv2.resize(face, (150, 150), interpolation=cv2.INTER_AREA)
    a, b = (
        sift.compute(image, landmarks=MEAN_LANDMARKS).reshape(27, 128) for image in (face, small)
    )
    assert (a * b).sum(axis=1).min() > 0.97  # cosine; 1 for equal descriptors


def test_a_face_without_structure_gives_zeros():
    flat = np.full((250, 250, 3), 90, dtype=np.uint8)
    np.testing.assert_array_equal(sift.compute(flat, landmarks=MEAN_LANDMARKS), np.zeros(3456))


# Histograms ---------------------------------------------------------------------------------


def test_block_histograms_count_pixels():
    codes = np.random.default_rng(0).integers(0, 5, size=(128, 48))
    expected = [
        np.bincount(codes[top : top + 16, left : left + 8].ravel(), minlength=5) / 128
        for top in range(0, 128 - 15, 8)
        for left in range(0, 48 - 7, 4)
    ]
    np.testing.assert_allclose(histogram.block_histograms(codes, 5), expected)


def test_the_feature_is_the_root_of_seven_histograms_per_block(person):
    found = histogram.compute(person).astype(float).reshape(15 * 11, 6 * 16 + 59)
    squared = found**2
    ends = np.cumsum([0, *[16] * 6, 59])
    for a, b in zip(ends[:-1], ends[1:]):
        np.testing.assert_allclose(squared[:, a:b].sum(axis=1), 1, atol=1e-5)


def test_colours_fall_into_the_bins_of_their_values():
    red = np.zeros((128, 48, 3), dtype=np.uint8)
    red[:, :, 2] = 255  # BGR: hue 0, saturation 1, value 1; L 53.2, a 80.1, b 67.2
    codes = [int(np.unique(c)[0]) for c in histogram.colour_codes(red)]
    assert codes == [0, 15, 15, int(0.532 * 16), int(208.1 / 16), int(195.2 / 16)]


def test_images_of_another_size_are_resized_to_48_by_128(person):
    large = cv2.resize(person, (96, 256), interpolation=cv2.INTER_NEAREST)
    np.testing.assert_array_equal(histogram.compute(large), histogram.compute(person))


# Hierarchical Gaussians ---------------------------------------------------------------------


def test_flat_gaussians_are_matrix_logarithms():
    rng = np.random.default_rng(0)
    mean = rng.normal(size=(2, 3))
    roots = rng.normal(size=(2, 3, 5))
    covariance = roots @ roots.transpose(0, 2, 1)
    found = gaussian.flat_gaussians(mean, covariance, ridge=0.1)
    logs = []
    for m, S in zip(mean, covariance):
        S = S + 0.1 * np.eye(3)
        P = np.block([[S + np.outer(m, m), m[:, None]], [m[None], np.ones((1, 1))]])
        logs.append(logm(np.linalg.det(S) ** (-1 / 4) * P))
    np.testing.assert_allclose(found @ found.T, np.einsum("aij,bij->ab", logs, logs), rtol=1e-8)
    assert found.shape == (2, gaussian.flat_size(3)) == (2, 10)


def test_patch_gaussians_are_those_of_their_pixels(person):
    pixels = gaussian.pixel_features(person)
    found, rows, columns = gaussian.patch_gaussians(pixels)
    at = 777
    r, c = rows[at], columns[at]
    patch = pixels[r - 2 : r + 3, c - 2 : c + 3].reshape(25, 8)
    expected = gaussian.flat_gaussians(
        patch.mean(axis=0)[None], np.cov(patch.T, bias=True)[None], gaussian.PIXEL_RIDGE
    )
    np.testing.assert_allclose(found[at], expected[0], atol=1e-8)


def test_the_descriptor_has_seven_regions_of_unit_norm(person):
    found = gaussian.compute(person)
    assert found.shape == (gaussian.N_FEATURES,) == (7 * 46 * 47 // 2,)
    np.testing.assert_allclose(np.linalg.norm(found.reshape(7, -1), axis=1), 1, atol=1e-5)


def test_a_region_sees_its_strip_only(person):
    changed = person.copy()
    changed[:20] = changed[:20][:, ::-1]  # rows 0 … 19 lie in strips 0 and 1 only
    a, b = (gaussian.compute(i).reshape(7, -1) for i in (person, changed))
    np.testing.assert_array_equal(np.any(a != b, axis=1), [True, True] + [False] * 5)


def test_an_image_of_one_colour_has_a_descriptor():
    flat = np.full((128, 48, 3), 90, dtype=np.uint8)
    assert np.isfinite(gaussian.compute(flat)).all()
