"""
A result that proves itself
===========================

A fit ends with a matrix M, a bias b and one multiplier per pair. From these and the pairs alone
anybody can compute how far M is from the optimum: no trust in the solver is needed.
"""

# %%
# Two solvers, one optimum
# ------------------------
# ``solver="libsvm"`` is the paper's Algorithm 1 step by step, ``solver="fast"`` a proximal Newton
# method. Both stop when the certified relative gap is below ``tol``.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import minmax_scale

from metriclearn import PCML, duality_gap
from metriclearn.plot import plot_gap

X, y = load_breast_cancer(return_X_y=True)
X = minmax_scale(X)
models = {solver: PCML(C=10.0, solver=solver).fit(X, y) for solver in ("fast", "libsvm")}

for solver, model in models.items():
    M, pairs = model.get_mahalanobis_matrix(), X[model.pairs_]
    gap = duality_gap(M, model.intercept_, model.dual_coef_, pairs, model.pair_labels_, C=10.0)
    print(
        f"{solver:6}: {model.n_iter_:3d} iterations, primal {gap.primal:.5f}, dual {gap.dual:.5f}, "
        f"relative gap {gap.gap / gap.primal:.1e}"
    )

# %%
# The optimum M is unique, so the two agree, as far as their gaps allow:

first, second = (model.get_mahalanobis_matrix() for model in models.values())
difference = np.abs(first - second).max() / np.abs(first).max()
print(f"largest difference {difference:.1e} times the largest entry")

# %%
# A matrix that is not optimal
# ----------------------------
# Doubling M gives a gap far above the tolerance: the certificate notices.

fast = models["fast"]
b, dual_coef, labels = fast.intercept_, fast.dual_coef_, fast.pair_labels_
wrong = duality_gap(2 * first, b, dual_coef, X[fast.pairs_], labels, C=10.0)
print(f"relative gap {wrong.gap / wrong.primal:.2f}")

# %%
# The gap along the way
# ---------------------

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
plot_gap(models["fast"], label="Newton", ax=ax)
plot_gap(models["libsvm"], label="Algorithm 1", ax=ax)
plt.show()
