"""What PCML, NCML and DoubletSVM share: one model, three cones.

    min over M in the cone, b:   1/2 |M|^2 + C sum_p [1 - h_p (<M, X_p> + b)]_+

with X_p = Delta_p Delta_p^T for the difference Delta_p of pair p and the paper's indicator (3),
h_p = +1 for a dissimilar and -1 for a similar pair.
"""

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import qr
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..solvers import newton
from ..solvers.hinge import best_bias
from ..solvers.spaces import LinearPairs
from ..solvers.threads import blas_threads
from .base import SupervisedMetricLearner, check_choice, check_number, factor
from .certificate import gap_in
from .pairs import check_pair_parameters, make_pairs

SOLVERS = ("fast", "libsvm")
STOPPING = ("certified", "authors")
_BLOCK = 1 << 16  # differences of pairs that are copied at once
_HARD = 1e6  # from about here on C, for pairs of unit length, costs many iterations


class IteratedSVM(SupervisedMetricLearner):
    """Base of the three estimators; a subclass names its cone and sets its solvers.

    See ``PCML`` for the parameters and attributes.
    """

    path_parameter = "C"
    _cone = ""  # its name, for the fast solver and the certificate
    _algorithm: Any = None  # the paper's algorithm on LibSVM

    def __init__(
        self,
        *,
        C=1.0,
        k=1,
        dissimilar="nearest",
        n_anchors=None,
        solver="fast",
        tol=1e-3,
        max_iter=200,
        stopping="certified",
        n_components=None,
        random_state=None,
        verbose=False,
    ):
        self.C = C
        self.k = k
        self.dissimilar = dissimilar
        self.n_anchors = n_anchors
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.stopping = stopping
        self.n_components = n_components
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Learn the metric from labelled samples; pairs are made as ``k``, ``dissimilar`` say."""
        self._check_parameters()
        X, y = self._check_labelled(X, y)
        pairs = make_pairs(X, y, **self._pair_parameters())
        need_both_kinds(pairs.y)
        self.pairs_, self.pair_labels_ = pairs.index, pairs.y
        return self._fit_differences(partial(_differences, X, pairs.index), -pairs.y)

    def fit_pairs(self, pairs, y):
        """Learn the metric from pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        self._check_parameters()
        pairs, y = self._check_distinct_pairs(pairs, y)
        need_both_kinds(y)
        self.pairs_, self.pair_labels_ = pairs, y
        return self._fit_differences(lambda: pairs[:, 0] - pairs[:, 1], -y)

    def _pair_parameters(self):
        names = ("k", "dissimilar", "n_anchors", "random_state")
        return {name: getattr(self, name) for name in names}

    def _check_parameters(self):
        check_number("C", self.C, above=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)
        check_pair_parameters(self.k, self.dissimilar, self.n_anchors)
        check_choice("solver", self.solver, SOLVERS)
        check_choice("stopping", self.stopping, STOPPING)
        if self.stopping == "authors" and self.solver != "libsvm":
            raise ValueError("stopping='authors' is a rule for solver='libsvm'.")

    def fit_path(self, X, y, C):
        """Fit a copy of this estimator for each value of C; returns them in the order given.

        The pairs are made once, and each fit starts from the one for the next smaller C, which
        together costs little more than the hardest of them alone. Every copy has the attributes
        of a fit of its own, certified to the same ``tol``.
        """
        models = self._path_models(C)
        if not models:
            return models
        first = models[0]
        X, y = first._check_labelled(X, y)
        pairs = make_pairs(X, y, **self._pair_parameters())
        need_both_kinds(pairs.y)
        differences = partial(_differences, X, pairs.index)
        return self._fit_models(models, pairs.index, pairs.y, differences)

    def fit_path_pairs(self, pairs, y, C):
        """``fit_path`` on pairs (n, 2, d) and labels y: +1 similar, -1 dissimilar."""
        models = self._path_models(C)
        if not models:
            return models
        pairs, y = models[0]._check_distinct_pairs(pairs, y)
        need_both_kinds(y)
        return self._fit_models(models, pairs, y, lambda: pairs[:, 0] - pairs[:, 1])

    def _path_models(self, C):
        models = [clone(self).set_params(C=value) for value in C]
        for model in models:
            model._check_parameters()
        return models

    def _fit_models(self, models, pairs, y, differences):
        checked = dict(vars(models[0]))
        del checked["C"]
        problem, previous = _Problem(differences, -y), None
        for model in sorted(models, key=lambda model: model.C):
            vars(model).update(checked)
            model.pairs_, model.pair_labels_ = pairs, y
            previous = model._fit_problem(problem, previous)
        return models

    def _fit_differences(self, differences, h):
        self._fit_problem(_Problem(differences, h))
        return self

    def _fit_problem(self, problem, start=None):
        """Fit to scaled pairs, from the solution for a smaller C; returns the solution."""
        with np.errstate(over="ignore", under="ignore"):
            unit4 = problem.unit**4
        scaled = self._solve(problem.scaled, problem.h, unit4, start)
        M = scaled.M / problem.unit**2
        if problem.basis is not None:
            M = problem.basis @ M @ problem.basis.T
        self.intercept_ = float(scaled.b)
        space = LinearPairs(problem.differences())
        self._set_metric(M, space, problem.h)
        self.threshold_ = -self.intercept_
        if self.n_components is not None:
            self.components_ = self._leading(self.components_)
            a = space.evaluate(self.get_mahalanobis_matrix())
            self.threshold_ = -float(best_bias(a, problem.h))  # for the distances that are left
        if not self.components_.any():
            warnings.warn(
                "the optimum is M = 0: similar pairs are not closer than dissimilar ones.",
                UserWarning,
                stacklevel=4,
            )
        return scaled

    def _set_metric(self, M, space, h):
        """From the optimal M to the attributes that use it; the certificate is for this M."""
        self.components_ = factor(M)
        self._certify(space, h, self.get_mahalanobis_matrix(), self.intercept_)

    def _certify(self, space, h, M, b):
        gap = gap_in(space, h, self.C, self._cone, M, b, self.dual_coef_)
        self.primal_, self.dual_, self.gap_ = gap

    def _solve(self, space, h, unit4, start=None):
        """Run the chosen solver on scaled pairs; ``unit4`` is the unit of their objective."""
        C = self.C * unit4
        if not (np.isfinite(C) and min(C, unit4) > np.finfo(float).tiny):
            raise ValueError(
                f"differences whose length to the fourth power is about {unit4:.3g} are out of "
                f"range with C={self.C!r}: scale the features."
            )
        options = {"tol": self.tol, "max_iter": self.max_iter}
        if self.verbose:
            options["report"] = _Progress(type(self).__name__, unit4)
        with blas_threads(space.n_pairs, space.dim):
            if self.solver == "fast":
                solution = newton.solve(space, h, C, self._cone, start=start, **options)
            else:
                options["random_state"] = self.random_state
                options["authors_unit"] = unit4 if self.stopping == "authors" else None
                solution = self._algorithm(space, h, C, **options)
        self.dual_coef_ = solution.lam / unit4
        self.n_iter_ = len(solution.history)
        self.history_ = {
            name: np.array([row[name] for row in solution.history])
            / (1.0 if name == "seconds" else unit4)
            for name in ("seconds", "primal", "dual", "gap", "paper_gap")
        }
        if not solution.converged:
            gap = (solution.primal - solution.dual) / solution.primal
            bar = f"tol={self.tol:.3g}" if gap > self.tol else "a tenth of what M gains over M = 0"
            length = f"{unit4**0.25:.3g}"
            advice = (
                f" The pairs are about {length} apart: scale the features." if C > _HARD else ""
            )
            limit = "max_iter=" if self.n_iter_ == self.max_iter else ""
            warnings.warn(
                f"{type(self).__name__} stopped after {limit}{self.n_iter_} iterations at a "
                f"relative gap of {gap:.3g}, above {bar}."
                f"{solution.remark}{advice}",
                ConvergenceWarning,
                stacklevel=4,
            )
        return solution


class _Problem:
    """Pairs in the solver's units and coordinates; their differences are made again as needed."""

    def __init__(self, differences, h):
        self.differences, self.h = differences, h
        delta = differences()
        # M lives in the span of the differences: with fewer pairs than features, work there.
        self.basis = None
        if len(delta) < delta.shape[1]:
            self.basis, R = qr(delta.T, mode="economic")
            delta = R.T
        self.unit = _typical_length(delta)
        delta /= self.unit
        self.scaled = LinearPairs(delta)


class _Progress:
    """A line per outer iteration."""

    def __init__(self, name, unit4):
        self.name, self.unit4 = name, unit4

    def __call__(self, iteration, row, n_pairs):
        primal, dual = row["primal"] / self.unit4, row["dual"] / self.unit4
        print(
            f"{self.name} {iteration:3d}: {n_pairs} pairs, primal {primal:.6g}, dual {dual:.6g}, "
            f"relative gap {(primal - dual) / primal:.2e}, {row['seconds']:.2f} s",
            flush=True,
        )


def _differences(X, index):
    delta = X[index[:, 0]]
    delta -= X[index[:, 1]]
    return delta


def _typical_length(delta):
    """Root mean square length of the differences, safe from overflow."""
    largest = max(delta.max(), -delta.min())
    parts = np.array_split(delta, len(delta) // _BLOCK + 1)
    return largest * np.sqrt(
        np.mean(np.concatenate([np.sum((part / largest) ** 2, axis=1) for part in parts]))
    )


def need_both_kinds(y):
    for label, kind in ((1, "similar"), (-1, "dissimilar")):
        if not (y == label).any():
            raise ValueError(f"no {kind} pair is left: a metric needs pairs of both kinds.")
