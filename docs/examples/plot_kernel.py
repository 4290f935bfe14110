"""
A kernel metric where a linear one fails
========================================

Synthetic data: two rings. Which ring a point is on depends on its distance from the middle, and no
linear map brings the two sides of one ring together. A metric in the space of a kernel does.
"""

# %%
# Pairs of points, and whether they are on the same ring
# ------------------------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.metrics import roc_auc_score

from metriclearn import NCML, PCML, Euclidean
from metriclearn.plot import plot_roc

X, ring = make_circles(600, factor=0.5, noise=0.05, random_state=0)
index = np.random.default_rng(0).permutation(600).reshape(-1, 2)  # no point is in two pairs
pairs, y = X[index], np.where(ring[index[:, 0]] == ring[index[:, 1]], 1, -1)
train, test = slice(0, 150), slice(150, 300)

models = {
    "Euclidean": Euclidean(),
    "PCML": PCML(C=10.0),
    "NCML, rbf kernel": NCML(C=10.0, kernel="rbf", gamma=1.0),
}
for name, model in models.items():
    model.fit_pairs(pairs[train], y[train])
    area = roc_auc_score(y[test], model.pair_score(pairs[test]))
    print(f"{name:17} area under the ROC curve {area:.3f}")

# %%
# An area of 0.5 is a coin.

fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
for name, model in models.items():
    plot_roc(model, pairs[test], y[test], label=name, ax=ax)
plt.show()

# %%
# What the distances look like
# ----------------------------
# Distance of every point of the plane from the one marked with a cross. The linear metric sees a
# disc around it, the kernel metric the whole ring.

grid = np.stack(np.meshgrid(*[np.linspace(-1.3, 1.3, 121)] * 2), axis=-1).reshape(-1, 2)
centre = np.array([[1.0, 0.0]])
fig, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
for ax, name in zip(axes, ("Euclidean", "NCML, rbf kernel")):
    distance = models[name].pairwise_distance(centre, grid).reshape(121, 121)
    ax.contourf(distance, levels=12, extent=(-1.3, 1.3, -1.3, 1.3), cmap="viridis_r")
    ax.scatter(*X.T, s=4, c=np.where(ring, "white", "black"))
    ax.plot(*centre.T, "x", color="#D55E00", markersize=12, markeredgewidth=3)
    ax.set(title=name, aspect="equal")
plt.show()
