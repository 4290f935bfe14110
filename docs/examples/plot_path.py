"""
Choosing C and k with a path
============================

``fit_path`` fits one model per value of C. The pairs are made once and each fit starts from the
one before, so a whole path costs little more than its hardest fit.
"""

# %%
# Three parts: train, choose, test
# --------------------------------
# C and k are chosen on the middle part. The test part is used once, at the end.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from metriclearn import PCML, Euclidean

X, y = load_digits(return_X_y=True)
X_rest, X_test, y_rest, y_test = train_test_split(X / 16, y, test_size=0.3, random_state=0)
X_train, X_choose, y_train, y_choose = train_test_split(X_rest, y_rest, random_state=0)


def error(model, X_new, y_new, X_known, y_known):
    """1-NN error in percent, under the learned distance."""
    nearest = KNeighborsClassifier(n_neighbors=1).fit(model.transform(X_known), y_known)
    return 100 * (1 - nearest.score(model.transform(X_new), y_new))


# %%
# The path
# --------

C = np.logspace(-4, 1, 11)
paths = {k: PCML(k=k).fit_path(X_train, y_train, C=C) for k in (1, 2, 3)}
errors = {
    k: [error(model, X_choose, y_choose, X_train, y_train) for model in path]
    for k, path in paths.items()
}
euclidean = error(Euclidean().fit(X_train), X_choose, y_choose, X_train, y_train)

fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for (k, values), marker in zip(errors.items(), "os^"):
    ax.semilogx(C, values, marker=marker, label=f"PCML, k = {k}")
ax.axhline(euclidean, color="grey", linestyle="--", label="Euclidean")
ax.set(xlabel="C", ylabel="1-NN error (%)")
ax.legend()
plt.show()

# %%
# The choice, fitted again on everything but the test part
# --------------------------------------------------------
# Of equally good values the smallest C is taken: the stronger regularisation.

best = min((value, c, k) for k, values in errors.items() for value, c in zip(values, C))
_, best_C, best_k = best
print(f"chosen: C = {best_C:.3g}, k = {best_k}")
for model in (PCML(C=best_C, k=best_k), Euclidean()):
    model.fit(X_rest, y_rest)
    result = error(model, X_test, y_test, X_rest, y_rest)
    print(f"{type(model).__name__:10} test error {result:.2f} %")

# %%
# Differences of some tenths of a point on a few hundred images are chance. The experiments of the
# paper choose within each training part, many times: see :doc:`/guide/choosing`.
