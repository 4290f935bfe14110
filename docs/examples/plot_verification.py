"""
Verification: are two images the same digit?
============================================

A metric and a threshold are learned on pairs of some images, and tested on pairs of others.
"""

# %%
# Pairs of images
# ---------------
# As many similar as dissimilar pairs, drawn at random. ``PairClassifier`` takes rows of
# ``samples``, so no image is copied before it is needed.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from metriclearn import PCML, Euclidean, PairClassifier
from metriclearn.plot import plot_roc

X, digit = load_digits(return_X_y=True)
X = X / 16
rng = np.random.default_rng(0)


def draw_pairs(rows, n):
    """n similar and n dissimilar pairs of these rows of X."""
    pairs = rng.choice(rows, size=(50 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = digit[pairs[:, 0]] == digit[pairs[:, 1]]
    chosen = np.concatenate([np.flatnonzero(same)[:n], np.flatnonzero(~same)[:n]])
    return pairs[chosen], same[chosen]


train, train_same = draw_pairs(np.arange(900), 1500)
test, test_same = draw_pairs(np.arange(900, len(X)), 1500)

# %%
# A threshold for at most 5 % false positives
# -------------------------------------------
# The threshold is chosen on the training pairs. On new pairs the rate is near it, not below it for
# sure: print both.


def show(name, model, part, pairs, same):
    said = model.predict(pairs)
    print(
        f"{name:9} {part:10}: finds {np.mean(said[same]):.3f} of the similar pairs, takes "
        f"{np.mean(said[~same]):.3f} of the dissimilar ones for similar"
    )


models = {
    "PCML": PairClassifier(PCML(C=0.01), samples=X, max_false_positive_rate=0.05),
    "Euclidean": PairClassifier(Euclidean(), samples=X, max_false_positive_rate=0.05),
}
for name, model in models.items():
    model.fit(train, train_same)
    show(name, model, "train", train, train_same)
    show(name, model, "new images", test, test_same)

# %%
# The ROC curve on the new images; the dot is the threshold in use.

fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
for name, model in models.items():
    plot_roc(model, test, test_same, label=name, ax=ax)
plt.show()

# %%
# New kinds are harder than new images
# ------------------------------------
# Learn on the digits 0 to 5, ask about 6 to 9. Six kinds say too little about how others differ:
# here the Euclidean distance is better, and the threshold is wrong. Verification of faces works
# because hundreds of persons are in training. Test on what you will ask about.

train, train_same = draw_pairs(np.flatnonzero(digit < 6), 1500)
test, test_same = draw_pairs(np.flatnonzero(digit >= 6), 1500)
for name, model in models.items():
    model.fit(train, train_same)
    show(name, model, "new kinds", test, test_same)

# %%
# With some labelled pairs of the new kinds at hand, the threshold can be chosen on these alone;
# the metric stays.

some = np.arange(len(test)) % 10 == 0
for name, model in models.items():
    model.calibrate_threshold(test[some], test_same[some])
    show(name, model, "calibrated", test[~some], test_same[~some])
