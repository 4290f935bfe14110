"""LibSVM from two places solves the same problem, and the bounded one stops where it is told."""

import numpy as np
import pytest

from metriclearn.solvers.spaces import KernelPairs, LinearPairs
from metriclearn.solvers.svr import Bounded, Official


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 4)), rng.normal(size=31)


def spaces(delta):
    gram = (delta @ delta.T) ** 2
    kernel = KernelPairs(lambda rows, columns: gram[np.ix_(rows, columns)], len(delta))
    return [LinearPairs(delta), kernel]


def test_both_give_the_same_coefficients_for_both_kinds_of_pairs(problem):
    delta, z = problem
    found = []
    for space in spaces(delta):
        for engine in (Bounded, Official):
            coef, iterations = engine(space, 1).train(z, 0.1, 0.2, 1e-9, 10**6)
            assert 0 < iterations < 10**5
            found.append(coef)
    assert np.count_nonzero(found[0]) > 10 and abs(found[0].sum()) < 1e-12
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=1e-5)


def test_the_bounded_one_stops_at_its_limit(problem):
    delta, z = problem
    _, iterations = Bounded(LinearPairs(delta), 1).train(z, 10.0, 0.2, 1e-9, 7)
    assert iterations == 7
