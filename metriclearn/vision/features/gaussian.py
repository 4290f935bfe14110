"""A hierarchical Gaussian descriptor: Gaussians of pixels in patches, of patches in regions.

A pixel is described by its height in the image, its gradient in four directions and its colour,
d = 8 numbers. The Gaussian N(μ, Σ) of the pixels of a patch is embedded as the symmetric positive
definite matrix

    P = |Σ|^(−1/(d+1)) [[Σ + μμᵀ, μ], [μᵀ, 1]]

and flattened by the matrix logarithm (log-Euclidean map), so that Euclidean distances compare
Gaussians. The same is done once more with the flattened patches of a region, a horizontal strip of
the image, and the regions are put one after the other.
"""

import numpy as np

from ..parsing.opencv import opencv
from .histogram import HEIGHT, WIDTH, resized

N_PIXEL = 8
PATCH = 5  # width and height in pixels
PATCH_STEP = 2
STRIP = 32  # height of a region, strips overlap by a half
PIXEL_RIDGE = 1e-3
PATCH_RIDGE = 1e-3


def flat_size(d: int) -> int:
    """Numbers in the flattened Gaussian of d variables."""
    return (d + 1) * (d + 2) // 2


N_PATCH = flat_size(N_PIXEL)
N_STRIPS = 2 * HEIGHT // STRIP - 1
N_FEATURES = N_STRIPS * flat_size(N_PATCH)


def compute(image: np.ndarray) -> np.ndarray:
    """The descriptor of one BGR image; each region has unit norm."""
    patches, rows, columns = patch_gaussians(pixel_features(resized(image)))
    # Persons stand in the middle: patches count less towards the left and right border.
    weights = np.exp(-0.5 * ((columns - (WIDTH - 1) / 2) / (WIDTH / 4)) ** 2)
    strips = []
    for top in range(0, HEIGHT - STRIP + 1, STRIP // 2):
        inside = (rows >= top) & (rows < top + STRIP)
        w = weights[inside] / weights[inside].sum()
        mean = w @ patches[inside]
        centred = patches[inside] - mean
        covariance = centred.T @ (w[:, None] * centred)
        flat = flat_gaussians(mean[None], covariance[None], PATCH_RIDGE)[0]
        strips.append(flat / np.linalg.norm(flat))
    return np.concatenate(strips).astype(np.float32)


def pixel_features(image: np.ndarray) -> np.ndarray:
    """Height × width × 8: position, gradient in four directions, B, G, R, all in 0 … 1."""
    cv2 = opencv()
    colour = image.astype(np.float64) / 255
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float64) / 255
    dy, dx = np.gradient(gray)
    height = np.repeat(np.linspace(0, 1, image.shape[0])[:, None], image.shape[1], axis=1)
    gradients = [np.maximum(g, 0) for g in (dx, -dx, dy, -dy)]
    return np.stack([height, *gradients, *np.moveaxis(colour, 2, 0)], axis=2)


def patch_gaussians(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Flattened Gaussians of all patches, with the row and column of their centres."""
    height, width, d = pixels.shape
    windows = np.lib.stride_tricks.sliding_window_view(pixels, (PATCH, PATCH), axis=(0, 1))
    windows = windows[::PATCH_STEP, ::PATCH_STEP]
    rows, columns = np.indices(windows.shape[:2]) * PATCH_STEP + PATCH // 2
    samples = windows.reshape(-1, d, PATCH * PATCH)
    mean = samples.mean(axis=2)
    centred = samples - mean[:, :, None]
    covariance = centred @ centred.transpose(0, 2, 1) / (PATCH * PATCH)
    return flat_gaussians(mean, covariance, PIXEL_RIDGE), rows.ravel(), columns.ravel()


def flat_gaussians(mean: np.ndarray, covariance: np.ndarray, ridge: float) -> np.ndarray:
    """log P of Gaussians (n × d, n × d × d) as rows that keep the Frobenius inner product.

    ``ridge`` times the identity is added to each covariance, which may be singular.
    """
    n, d = mean.shape
    covariance = covariance + ridge * np.eye(d)
    P = np.empty((n, d + 1, d + 1))
    P[:, :d, :d] = covariance + mean[:, :, None] * mean[:, None, :]
    P[:, :d, d] = P[:, d, :d] = mean
    P[:, d, d] = 1
    # det P = det Σ, so the factor |Σ|^(−1/(d+1)) gives P determinant 1 and log P trace 0.
    values, vectors = np.linalg.eigh(P)
    logs = np.log(np.maximum(values, np.finfo(float).tiny))
    logs -= logs.mean(axis=1, keepdims=True)
    L = (vectors * logs[:, None, :]) @ vectors.transpose(0, 2, 1)
    i, j = np.triu_indices(d + 1)
    return L[:, i, j] * np.where(i == j, 1.0, np.sqrt(2.0))
