"""The projection onto the cone of the pairs, where nothing is left of it."""

import numpy as np

from metriclearn.solvers.projections import GeneratedProjection
from metriclearn.solvers.spaces import LinearPairs


def test_without_a_generator_in_use_the_derivative_is_zero(capfd):
    space = LinearPairs(np.random.default_rng(0).normal(size=(12, 3)))
    projection = GeneratedProjection(space, 1e-8)
    projection.at(-np.ones(12))  # in the polar cone
    assert projection.norm2 == 0.0 and not projection.derivative(np.arange(5)).any()
    assert "".join(capfd.readouterr()) == ""  # nothing from LAPACK
