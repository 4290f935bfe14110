"""The certificate: primal, dual and gap from M, b, lambda, the pairs and C alone.

The paper's gap, (13) and (29), takes the slack from the KKT conditions, which hold at the optimum
only; before that it can even be negative. Here every number is feasible: any M in the cone with
its smallest slack is primal feasible, any lambda in the box with sum lambda h = 0 is dual
feasible, so the difference bounds the error of both.
"""

from typing import NamedTuple

import numpy as np

from ..solvers.cones import GeneratedCone, PSDCone, SymmetricCone, project_generated
from ..solvers.hinge import best_bias, hinge_sum
from ..solvers.spaces import KernelPairs, LinearPairs
from .base import check_choice, check_number, check_pair_labels, check_pairs

__all__ = ["DualityGap", "duality_gap"]

CONES = ("psd", "pairs", "symmetric")


class DualityGap(NamedTuple):
    """Objectives of a fit, and ``gap``, their difference: the optimum lies between them."""

    primal: float
    dual: float
    gap: float


def duality_gap(M, b, dual_coef, pairs, y, C, *, cone="psd", kernel=None):
    """Primal and dual objective of problem (4), (17) or the plain pairwise SVM, and their gap.

    Parameters
    ----------
    M : array (d, d), or (n,) for ``cone="pairs"``
        The metric, or the coefficients alpha of M = sum alpha X.
    b : float or None
        The bias; None is the best one.
    dual_coef : array (n,)
        lambda of (5), or beta of (19): one number in [0, C] per pair.
    pairs : array (n, 2, d)
        The pairs of the fit.
    y : array (n,)
        +1 for similar, -1 for dissimilar pairs.
    C : float
        The weight of the hinge loss in the fit.
    cone : {"psd", "pairs", "symmetric"}, default "psd"
        For PCML, NCML, and DoubletSVM before its clip.
    kernel : callable or None, default None
        For nonlinear NCML, a function of two arrays of pairs that returns the block of kernel
        values between them, equation (33); ``metriclearn.estimators.kernels.sample_kernel``
        makes one of a kernel on samples, equation (34). M must then be alpha.

    Returns
    -------
    DualityGap
        An infeasible M has the primal infinity, an infeasible lambda the dual minus infinity.
    """
    check_number("C", C, above=0)
    check_choice("cone", cone, CONES)
    pairs = check_pairs(pairs)
    h = -check_pair_labels(y, len(pairs))
    space: LinearPairs | KernelPairs
    if kernel is None:
        space = LinearPairs(pairs[:, 0] - pairs[:, 1])
    else:
        space = KernelPairs(lambda i, j: kernel(pairs[i], pairs[j]), len(pairs))
    M = np.asarray(M, dtype=float)
    if M.ndim == 1:
        if (M < 0.0).any() or cone != "pairs":
            raise ValueError("coefficients of the pairs need cone='pairs' and must be >= 0.")
        M = space.combine(M)
        inside = True
    else:
        inside = _is_inside(M, cone, space)
    return gap_in(space, h, C, cone, M, b, np.asarray(dual_coef, dtype=float), inside)


def gap_in(space, h, C, cone, M, b, lam, inside=True):
    """The same for pairs that are already in a space, in the paper's sign of h."""
    a = space.evaluate(M)
    primal = 0.5 * space.inner(M, M) + C * hinge_sum(a, h, best_bias(a, h) if b is None else b)
    if not inside:
        primal = np.inf
    slack = 1e-9 * max(C, float(lam.max(initial=0.0)))
    feasible = (lam >= -slack).all() and (lam <= C + slack).all()
    if feasible and abs(lam @ h) <= 1e-9 * max(lam.sum(), np.finfo(float).tiny):
        dual = float(lam.sum()) - 0.5 * _projection_norm2(space, cone, M, space.combine(lam * h))
    else:
        dual = -np.inf
    return DualityGap(float(primal), dual, float(primal) - dual)


def _projection_norm2(space, cone, M, S):
    """An upper bound of |projection of S onto the cone|^2, exact for the first two."""
    kind = {"psd": PSDCone, "pairs": GeneratedCone, "symmetric": SymmetricCone}[cone]
    return kind(space).dual_norm2(S, M)


def _is_inside(M, cone, space):
    if cone == "symmetric":
        return np.allclose(M, M.T)
    scale = np.linalg.norm(M)
    if cone == "psd":
        return bool(np.linalg.eigvalsh(M)[0] >= -1e-9 * scale)
    return bool(np.linalg.norm(project_generated(space, M) - M) <= 1e-6 * scale)
