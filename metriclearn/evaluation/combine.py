"""Several features of the same images, combined at the level of scores.

The rule: each feature has a metric of its own. The scores of its pairs are standardised with the
mean and the standard deviation of the *training* pairs' scores, and added with equal weights. The
threshold is then chosen on the sums of the training pairs. So no feature counts more for its
scale or its dimension, and nothing is learned from the test pairs.
"""

import numpy as np


def combine(scores):
    """(training, test) scores of several features -> their standardised sums; one is kept as is."""
    if len(scores) == 1:
        return scores[0]
    train, test = np.zeros(len(scores[0][0])), np.zeros(len(scores[0][1]))
    for of_train, of_test in scores:
        mean, spread = np.mean(of_train), np.std(of_train)
        spread = spread if spread > 0.0 else 1.0  # a metric that tells nothing adds nothing
        train += (of_train - mean) / spread
        test += (of_test - mean) / spread
    return train, test
