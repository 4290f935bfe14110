"""OpenCV, imported when an image is read, so that everything else works without it."""

from ...datasets import DatasetError


def opencv():
    """The module ``cv2``."""
    try:
        import cv2
    except ImportError as error:
        raise DatasetError(
            f"images need OpenCV ({error}); pip install opencv-python-headless scikit-image"
        ) from error
    return cv2
