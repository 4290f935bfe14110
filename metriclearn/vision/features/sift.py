"""SIFT at nine landmarks of a face and three scales: 9 × 3 × 128 numbers per image.

The order is ((landmark · 3) + scale) · 128 + bin. Patches are upright and 24, 48 and 96 pixels wide
in LFW's frame of 250 × 250 pixels; an image of another size is resized to that frame first, since
the smoothing inside SIFT is in pixels.
"""

from functools import cache

import numpy as np

from ..parsing.opencv import opencv
from ..readers.landmarks import FRAME, MEAN_LANDMARKS, N_LANDMARKS

PATCH_WIDTHS = (24.0, 48.0, 96.0)
N_BINS = 128
N_FEATURES = N_LANDMARKS * len(PATCH_WIDTHS) * N_BINS
# OpenCV describes 4 × 4 cells of 1.5 · size pixels each.
WIDTH_OF_SIZE = 6.0


def compute(
    image: np.ndarray, *, landmarks: np.ndarray | None = None, root: bool = True
) -> np.ndarray:
    """Descriptors of one image at ``landmarks`` (9 × 2, x and y in the 250-pixel frame).

    Without landmarks the mean positions in LFW are used. With ``root`` each descriptor h becomes
    √(h / Σh), so that Euclidean distances between the results are Hellinger distances between
    histograms (RootSIFT).
    """
    points = MEAN_LANDMARKS if landmarks is None else landmarks
    cv2 = opencv()
    gray = in_frame(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image)
    keypoints = [
        cv2.KeyPoint(float(x), float(y), width / WIDTH_OF_SIZE, 0.0, 1.0, 0)
        for x, y in points
        for width in PATCH_WIDTHS
    ]
    kept, descriptors = make_sift().compute(gray, keypoints)
    assert len(kept) == len(keypoints)  # OpenCV drops keypoints only if asked to filter
    return rootsift(descriptors).ravel() if root else descriptors.ravel()


def describe(*, landmarks: object = None, root: bool = True) -> str:
    """Which descriptors, and where."""
    where = "the mean positions" if landmarks is None else "the landmarks"
    return f"{'RootSIFT' if root else 'SIFT'} at {where}"


@cache
def make_sift():
    """OpenCV's extractor, used for descriptors only."""
    return opencv().SIFT_create()


def in_frame(gray: np.ndarray) -> np.ndarray:
    """The image at 250 × 250 pixels."""
    cv2 = opencv()
    side = int(FRAME)
    if gray.shape == (side, side):
        return gray
    method = cv2.INTER_CUBIC if gray.shape[0] < side else cv2.INTER_AREA
    return cv2.resize(gray, (side, side), interpolation=method)


def rootsift(descriptors: np.ndarray) -> np.ndarray:
    """√(h / Σh) for each row h; a row of zeros stays one."""
    total = descriptors.sum(axis=1, keepdims=True)
    return np.sqrt(descriptors / np.where(total > 0, total, 1)).astype(np.float32)
