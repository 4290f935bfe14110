"""What the jobs about the solvers share: a fit with given arguments on some training samples."""

import time
import warnings

import numpy as np

from ..evaluation.splits import stratified_part


def some_samples(train, count, seed):
    """At most ``count`` samples of a training part, evenly over the classes; None: all."""
    if count is None or count >= train.size:
        return train
    return train.some(stratified_part(train.y, count, np.random.default_rng(seed)))


def timed_fit(protocol, seed, changes, train):
    """A fitted model with changed arguments, and the CPU seconds of its fit."""
    model = protocol.estimator(seed, changes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these jobs stop solvers early on purpose
        started = time.process_time()
        protocol.fit(model, train)
        return model, time.process_time() - started
