"""Colour and texture histograms of a person's image over overlapping blocks.

An image is resized to 48 × 128 pixels. In each block of 8 × 16 pixels (width × height), half a
block apart, histograms of H, S, V, of L, a, b and of uniform local binary patterns are taken. The
histogram of a channel sums to one; its square root is the feature, so that Euclidean distances are
Hellinger's. Bins and root were chosen on training persons of VIPeR.
"""

import numpy as np

from ..parsing.opencv import opencv

WIDTH, HEIGHT = 48, 128
BLOCK = (8, 16)  # width, height
STEP = (4, 8)
COLOUR_BINS = 16
LBP_POINTS, LBP_RADIUS = 8, 1
LBP_BINS = LBP_POINTS * (LBP_POINTS - 1) + 3  # uniform patterns, and one for all others
N_BINS = 6 * COLOUR_BINS + LBP_BINS


def compute(image: np.ndarray) -> np.ndarray:
    """The feature of one BGR image."""
    codes = [*colour_codes(image), lbp_codes(image)]
    bins = [COLOUR_BINS] * 6 + [LBP_BINS]
    parts = [block_histograms(code, n) for code, n in zip(codes, bins)]
    return np.sqrt(np.concatenate(parts, axis=1)).astype(np.float32).ravel()


def resized(image: np.ndarray) -> np.ndarray:
    """The image at 48 × 128 pixels, BGR."""
    cv2 = opencv()
    if image.shape[:2] == (HEIGHT, WIDTH):
        return image
    shrink = image.shape[0] > HEIGHT
    method = cv2.INTER_AREA if shrink else cv2.INTER_LINEAR
    return cv2.resize(image, (WIDTH, HEIGHT), interpolation=method)


def colour_codes(image: np.ndarray) -> list[np.ndarray]:
    """The bin of each pixel in H, S, V, L, a, b."""
    cv2 = opencv()
    small = resized(image).astype(np.float32) / 255
    h, s, v = np.moveaxis(cv2.cvtColor(small, cv2.COLOR_BGR2HSV), 2, 0)
    L, a, b = np.moveaxis(cv2.cvtColor(small, cv2.COLOR_BGR2Lab), 2, 0)
    unit = h / 360, s, v, L / 100, (a + 128) / 256, (b + 128) / 256
    return [np.clip((u * COLOUR_BINS).astype(int), 0, COLOUR_BINS - 1) for u in unit]


def lbp_codes(image: np.ndarray) -> np.ndarray:
    """The uniform local binary pattern of each pixel."""
    from skimage.feature import local_binary_pattern

    cv2 = opencv()
    gray = cv2.cvtColor(resized(image), cv2.COLOR_BGR2GRAY)
    return local_binary_pattern(gray, LBP_POINTS, LBP_RADIUS, "nri_uniform").astype(int)


def block_histograms(codes: np.ndarray, n_bins: int) -> np.ndarray:
    """Blocks × bins, each row a histogram that sums to one; blocks row by row."""
    # Blocks are half a block apart, so each is made of 2 × 2 cells of the size of a step.
    rows, columns = HEIGHT // STEP[1], WIDTH // STEP[0]
    y, x = np.indices(codes.shape)
    cell = (y // STEP[1]) * columns + x // STEP[0]
    counts = np.bincount((cell * n_bins + codes).ravel(), minlength=rows * columns * n_bins)
    cells = counts.reshape(rows, columns, n_bins)
    blocks = cells[:-1, :-1] + cells[1:, :-1] + cells[:-1, 1:] + cells[1:, 1:]
    return blocks.reshape(-1, n_bins) / (BLOCK[0] * BLOCK[1])
