"""LMNN: large margin nearest neighbours (Weinberger & Saul, JMLR 10, 2009)."""

import warnings

import numba
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ._neighbors import class_neighbors
from .base import MetricLearner, check_number, factor

_TILE = 1024  # samples per side of a tile of distances
_MAX_PAIRS = 20_000_000  # impostors kept at a time: 160 MB of indices
_RIDGE = 1e-6  # of the mean eigenvalue of the pull matrix, where that matrix is singular


class LMNN(MetricLearner):
    """Large margin nearest neighbours, on the paper's convex objective.

    With j -> i for the k target neighbours j of sample i (the nearest of its class in the
    Euclidean distance, fixed) and k running over *all* samples of other classes::

        min over M >= 0:  (1 - c) sum_{i, j->i} d_M(i,j)
                          + c sum_{i, j->i, k} [1 + d_M(i,j) - d_M(i,k)]_+

    d_M is the squared distance (x_i - x_j)^T M (x_i - x_j). The paper descends along
    subgradients of this in M; the authors' later code and pylmnn square the hinge and descend in
    L, and version 2.5 of the code keeps a tenth of the constraints: other problems. Here it is
    the paper's hinge and every triplet.

    The solver works where the pull term is the trace (whitened by sum (x_i-x_j)(x_i-x_j)^T),
    which makes it independent of the scaling of the features. It runs accelerated projected
    gradient on a hinge rounded over a width h, on the impostors within reach, searched exactly in
    tiles; h falls until the duality gap of the *unrounded* problem over all triplets is small.
    The dual is max sum lambda, 0 <= lambda <= c, sum lambda (X_ik - X_ij) <= pull matrix, and any
    lambda, scaled down, is feasible: the gap is a certificate.

    Where the target neighbours do not span the data (more features than samples, duplicates) the
    pull matrix is singular and pushing in the directions it misses would be free: 1e-6 times its
    mean eigenvalue is then added to its diagonal, and a direction in which the data do not vary
    gets no weight. Samples alone in their class have no target and are impostors only.

    There is no ``fit_pairs``: the method needs triplets, and no ``threshold_``.

    Parameters
    ----------
    k : int, default 3
        Target neighbours per sample; where a class has fewer, those that there are.
    c : float, default 0.5
        Weight of push against pull, between 0 and 1.
    tol : float, default 1e-3
        Stop when the duality gap is at most ``tol`` times the objective.
    max_iter : int, default 1000
        Gradient steps; a ConvergenceWarning says so when they end the fit.
    verbose : bool, default False

    Attributes
    ----------
    components_ : array (r, d)
        L with M = L^T L; r is the number of dimensions the data span.
    objective_, dual_, gap_ : float
        The objective above at M, its lower bound, and the difference.
    n_triplets_ : int
        Triplets that violate the margin at M.
    targets_ : array (n, k)
        Target neighbours of each sample, -1 where there is none.
    n_iter_ : int
    history_ : dict of arrays
        Per stage (one h, one search): h, n_iter, objective, dual.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from metriclearn import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LMNN().fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * model.objective_)
    True
    """

    def __init__(self, *, k=3, c=0.5, tol=1e-3, max_iter=1000, verbose=False):
        self.k = k
        self.c = c
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y):
        """Learn the metric from labelled samples."""
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        classes, y = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"LMNN needs at least 2 classes, got one class only: {classes[0]!r}.")
        self.targets_ = find_targets(X, y, self.k)
        space = _Whitened(X, self.targets_, self.c)
        problem = _Problem(space.X, y, self.targets_, self.c)
        M = self._solve(problem)
        self.components_ = _signed(factor(M) @ space.W.T)
        return self

    def _check_parameters(self):
        check_number("k", self.k, at_least=1, integer=True)
        check_number("c", self.c, above=0)
        if self.c >= 1:
            raise ValueError(f"c must be a number between 0 and 1, got {self.c!r}.")
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, at_least=1, integer=True)

    def _solve(self, problem):
        """Rounded hinges of falling width, each to a gap in line with its own error."""
        M = problem.start()
        objective, best, dual, n_triplets = np.inf, M, 0.0, 0
        history = []
        h, step, n_iter = 0.3, None, 0
        while True:
            index = problem.search(M, reach=h)
            primal, count = problem.objective(M, index)
            if primal < objective:
                objective, best, n_triplets = primal, M, count
            history.append((h, n_iter, objective, dual))
            if self.verbose:
                print(
                    f"LMNN {n_iter:4d}: h {h:.2g}, {len(index)} impostors, objective "
                    f"{objective:.6g}, dual {dual:.6g}",
                    flush=True,
                )
            done = objective - dual <= self.tol * objective
            if done or n_iter >= self.max_iter:
                break
            M, step, used, bound, settled = _accelerated(
                problem, M, index, h, step, self.tol, min(100, self.max_iter - n_iter)
            )
            n_iter += used
            dual = max(dual, bound)
            if settled:
                h *= 0.3
        self.objective_, self.dual_, self.gap_ = objective, dual, objective - dual
        self.n_triplets_, self.n_iter_ = n_triplets, n_iter
        names = ("h", "n_iter", "objective", "dual")
        self.history_ = dict(zip(names, np.array(history).T, strict=True))
        if not done:
            warnings.warn(
                f"LMNN stopped after {n_iter} iterations (max_iter={self.max_iter}) at a relative "
                f"gap of {self.gap_ / objective:.3g}, above tol={self.tol:.3g}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best


def find_targets(X, y, k):
    """The k nearest samples of the same class, -1 where there are fewer."""
    targets, _ = class_neighbors(X, y, k)
    if not (targets >= 0).any():
        raise ValueError("no class has two samples: LMNN needs target neighbours.")
    short = np.sum(targets[:, -1] < 0)
    if short:
        warnings.warn(
            f"{short} samples have fewer than k={k} others in their class and get those as "
            "targets.",
            UserWarning,
            stacklevel=3,
        )
    return targets


def _signed(L):
    leading = np.take_along_axis(L, np.argmax(np.abs(L), axis=1)[:, None], axis=1)
    return L * np.where(leading < 0.0, -1.0, 1.0)


class _Whitened:
    """Coordinates X W in which the pull term is the trace of the metric."""

    def __init__(self, X, targets, c):
        X = X - X.mean(axis=0)
        _, s, Vt = np.linalg.svd(X, full_matrices=False)
        if s[0] == 0.0:
            raise ValueError("all samples are identical: there is nothing to learn a metric from.")
        Vt = Vt[s > s[0] * max(X.shape) * np.finfo(float).eps]
        X = X @ Vt.T
        i, column = np.nonzero(targets >= 0)
        delta = X[i] - X[targets[i, column]]
        w, U = np.linalg.eigh((1.0 - c) * (delta.T @ delta))
        if w[0] <= 1e-10 * w[-1]:
            w = np.maximum(w, 0.0) + _RIDGE * (w.mean() if w[-1] > 0.0 else np.sum(X * X))
        self.W = Vt.T @ (U / np.sqrt(w))
        self.X = np.ascontiguousarray(X @ (U / np.sqrt(w)))


class _Problem:
    """min over M >= 0 of tr M + c sum [1 + d_M(i,j) - d_M(i,k)]_+ and its dual."""

    def __init__(self, X, y, targets, c):
        self.X, self.y, self.targets, self.c = X, y.astype(np.int32), targets, c
        self._flow = np.zeros_like(X)

    def start(self):
        """The multiple of the identity that is best for the nearest impostors of some samples."""
        X = self.X
        some = np.flatnonzero(self.targets[:, 0] >= 0)
        some = some[:: max(1, len(some) // 100)]
        pull = np.full((len(some), self.targets.shape[1]), np.nan)
        push = np.full((len(some), min(200, len(X))), np.inf)
        for row, i in enumerate(some):
            near = self.targets[i][self.targets[i] >= 0]
            pull[row, : len(near)] = np.sum((X[i] - X[near]) ** 2, axis=1)
            far = np.sum((X[i] - X[self.y != self.y[i]]) ** 2, axis=1)
            far = np.sort(far)[: push.shape[1]]
            push[row, : len(far)] = far
        pull, push = pull[:, :, None], push[:, None, :]
        weight = self.c * len(X) / len(some)

        def value(s):
            hinge = np.maximum(1.0 + s * (pull - push), 0.0)
            return s * X.shape[1] + weight * np.nansum(hinge)

        scales = 2.0 ** np.arange(-40.0, 41.0) * len(X) / X.shape[1]
        return np.eye(X.shape[1]) * min(scales, key=value)

    def search(self, M, reach):
        """All (i, k) with d(i,k) < 1 + max_j d(i,j) + reach."""
        Z = self.X @ factor(M).T
        radius = np.full(len(Z), -np.inf)
        for column in self.targets.T:
            has = column >= 0
            distance = np.sum((Z[has] - Z[column[has]]) ** 2, axis=1)
            radius[has] = np.maximum(radius[has], 1.0 + reach + distance)
        Z = Z - Z.mean(axis=0)
        single = Z.astype(np.float32)
        norms = np.einsum("ij,ij->i", Z, Z)
        slack = 4.0 * (Z.shape[1] + 8) * np.finfo(np.float32).eps * norms.max()
        norms, limit = norms.astype(np.float32), (radius + slack).astype(np.float32)
        buffer = np.empty((2 * _TILE * _TILE, 2), dtype=np.int32)
        found, total = [], 0
        for top in range(0, len(Z), _TILE):
            for left in range(top, len(Z), _TILE):
                product = single[top : top + _TILE] @ single[left : left + _TILE].T
                count = _scan(product, top, left, norms, limit, Z, radius, self.y, buffer)
                found.append(buffer[:count].copy())
                total += count
                if total > _MAX_PAIRS:
                    raise ValueError(
                        f"more than {_MAX_PAIRS} pairs of a sample and an impostor: the classes "
                        f"overlap too much for LMNN with {len(Z)} samples; fit fewer of them."
                    )
        return np.concatenate(found)

    def objective(self, M, index):
        """The objective proper and the number of violated triplets."""
        *_, hinge, count = self.evaluate(M, index, 1e-300)
        return np.trace(M) + self.c * hinge, count

    def rounded(self, M, index, h):
        """Rounded objective, its gradient, and the lower bounds its lambda gives: on the objective
        proper and on the rounded one."""
        smooth, total, squares, _, _ = self.evaluate(M, index, h, fill=True)
        B = self.c * (self.X.T @ self._flow)
        B = 0.5 * (B + B.T)
        scale = 1.0 / max(1.0, np.linalg.eigvalsh(B)[-1])
        bound = self.c * scale * total
        bounds = np.array([bound, bound - 0.5 * self.c * h * scale**2 * squares])
        return np.trace(M) + self.c * smooth, np.eye(len(M)) - B, bounds

    def evaluate(self, M, index, h, fill=False):
        return _hinges(self.X, self.X @ M, self.targets, index, h, self._flow, fill)


def _accelerated(problem, M, index, h, step, tol, max_iter):
    """Projected gradient with momentum and restart on the rounded hinge."""
    V, t, bounds = M, 1.0, np.zeros(2)
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        value, G, lower = problem.rounded(V, index, h)
        bounds = np.maximum(bounds, lower)
        if step is None:
            step = np.linalg.norm(M) / np.linalg.norm(G)
        while True:
            w, U = np.linalg.eigh(V - step * G)
            new = (U * np.maximum(w, 0.0)) @ U.T
            move = new - V
            model = value + np.sum(G * move) + np.sum(move * move) / (2.0 * step)
            smooth, _, _, hinge, _ = problem.evaluate(new, index, h)
            trace = np.trace(new)
            smooth = trace + problem.c * smooth
            if smooth <= model + 1e-10 * abs(model):
                break
            step *= 0.5
        hinge = trace + problem.c * hinge
        # What rounding costs at this width sets how far it is worth going.
        close = smooth - bounds[1] <= 0.1 * (hinge - smooth)
        if close or hinge - bounds[0] <= 0.9 * tol * hinge:
            return new, step, n_iter, bounds[0], True
        if np.sum((V - new) * (new - M)) > 0.0:
            t = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        M, V, t = new, new + (t - 1.0) / faster * (new - M), faster
        step *= 1.1
    return M, step, n_iter, bounds[0], False


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _scan(product, top, left, norms, limit, Z, radius, y, buffer):
    """Pairs (sample, impostor) of a tile, in both roles; single precision first, then double."""
    count = 0
    for r in range(product.shape[0]):
        i = top + r
        for s in range(max(0, i + 1 - left), product.shape[1]):
            j = left + s
            v = norms[i] + norms[j] - np.float32(2.0) * product[r, s]
            if (v <= limit[i] or v <= limit[j]) and y[i] != y[j]:
                exact = 0.0
                for f in range(Z.shape[1]):
                    exact += (Z[i, f] - Z[j, f]) ** 2
                if exact < radius[i]:
                    buffer[count, 0], buffer[count, 1] = i, j
                    count += 1
                if exact < radius[j]:
                    buffer[count, 0], buffer[count, 1] = j, i
                    count += 1
    return count


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _hinges(X, Y, targets, index, h, flow, fill):
    """Sums over triplets: rounded hinge, lambda, its square, hinge, violations; Y is X M.

    With ``fill``, ``flow`` becomes F with X^T F = sum lambda ((x_i-x_k)(x_i-x_k)^T - (x_i-x_j)(x_i-x_j)^T).
    """
    n, k = targets.shape
    d = X.shape[1]
    near = np.empty((n, k))
    pulled = np.zeros((n, k))
    flow[:] = 0.0
    for i in range(n):
        for a in range(k):
            near[i, a] = -np.inf
            j = targets[i, a]
            if j >= 0:
                s = 0.0
                for f in range(d):
                    s += (X[i, f] - X[j, f]) * (Y[i, f] - Y[j, f])
                near[i, a] = s
    rounded, total, squares, hinge, count = 0.0, 0.0, 0.0, 0.0, 0
    for p in range(len(index)):
        i, m = index[p, 0], index[p, 1]
        s = 0.0
        for f in range(d):
            s += (X[i, f] - X[m, f]) * (Y[i, f] - Y[m, f])
        weight = 0.0
        for a in range(k):
            v = 1.0 + near[i, a] - s
            if v > 0.0:
                count += 1
                hinge += v
                lam = min(1.0, v / h)
                rounded += lam * (v - 0.5 * h * lam)
                squares += lam * lam
                weight += lam
                pulled[i, a] += lam
        total += weight
        if fill and weight > 0.0:
            for f in range(d):
                z = weight * (X[i, f] - X[m, f])
                flow[i, f] += z
                flow[m, f] -= z
    for i in range(n):
        for a in range(k):
            if fill and pulled[i, a] > 0.0:
                j = targets[i, a]
                for f in range(d):
                    z = pulled[i, a] * (X[i, f] - X[j, f])
                    flow[i, f] -= z
                    flow[j, f] += z
    return rounded, total, squares, hinge, count
