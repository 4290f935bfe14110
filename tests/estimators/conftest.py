import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for helpers


@pytest.fixture
def blobs():
    """Three overlapping classes in 5 dimensions, of which two matter."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.standard_normal((90, 5))
    X[:, 0] += 2.0 * y
    X[:, 1] += 2.0 * (y == 1)
    return X, y
