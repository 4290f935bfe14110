"""The paper's own protocol, as it seems to have been: what a job of it changes.

Features are scaled together with the test samples, dissimilar pairs are the nearest, and every
candidate of a method's grid is scored on the test parts. The choice among them, by these scores,
is made in ``analysis``.
"""

TUNING = {"kind": "grid", "extensions": 0}  # in place of a tuning on the training part


def as_the_paper(config):
    """A configuration under the paper's protocol."""
    return {
        **config,
        "protocol": {**config["protocol"], "scale": "together"},
        "pairs": {**config["pairs"], "dissimilar": "nearest"},
        "tuning": TUNING,
    }
