"""What a solver returns."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Solution:
    """The best feasible pair (M, lambda) found, in the units of the pairs that came in."""

    M: np.ndarray
    b: float
    lam: np.ndarray
    alpha: np.ndarray | None
    primal: float
    dual: float
    n_iter: int
    converged: bool
    history: list = field(default_factory=list)
