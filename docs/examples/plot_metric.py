"""
Looking at a learned metric
===========================

``metriclearn.plot`` draws the matrix M, the samples under it, and the path of a fit to its
certified optimum.
"""

# %%
# Two features: an ellipse
# ------------------------
# All points on the ellipse are at distance 1 from the middle. It is short where a difference
# counts much.

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from metriclearn import NCML, PCML
from metriclearn.plot import plot_embedding, plot_gap, plot_metric

iris = load_iris(as_frame=True)
two = iris.data[["sepal width (cm)", "petal width (cm)"]]
plot_metric(PCML(C=0.1).fit(two, iris.target))
plt.show()

# %%
# More features: a heat map
# -------------------------
# Wine, each feature scaled to [0, 1]. Two features of different sign in one row work against each
# other: a difference in one can be undone by a difference in the other.

wine = load_wine(as_frame=True)
X = wine.data.copy()
X[:] = minmax_scale(X)
pcml = PCML(C=1.0, k=3).fit(X, wine.target)
fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
plot_metric(pcml, ax=ax)
plt.show()

# %%
# The samples, before and after
# -----------------------------
# With ``n_components=2`` the leading two directions of M are kept, and the picture on the right is
# the learned distance itself. These are the samples of the fit: how well the classes are apart on
# new ones is a question for a test part.

plot_embedding(PCML(C=1.0, k=3, n_components=2).fit(X, wine.target), X, wine.target)
plt.show()

# %%
# The certificate
# ---------------
# The relative duality gap bounds how far the objective is above its optimum; see
# :doc:`/guide/certificates`.

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
plot_gap(pcml, ax=ax)
plot_gap(NCML(C=1.0, k=3).fit(X, wine.target), ax=ax)
plt.show()
