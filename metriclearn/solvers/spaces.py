"""The space the pairs live in: X_p = Delta_p Delta_p^T, or an element of a kernel's feature space.

A solver only needs four operations on it: combine pairs into an element, evaluate an element at
pairs, the inner product of two elements, and a block of the pair kernel (8). Elements are numpy
arrays, so they can be added and scaled: d x d matrices for ``LinearPairs``, vectors of
coefficients for ``KernelPairs``.
"""

import numpy as np

_BLOCK = 4096  # pairs handled at once where a full product would need too much memory
_LARGE = 1 << 17  # pairs from which a copy of them is too much


class LinearPairs:
    """Pairs by their differences: <X_p, X_q> = (Delta_p . Delta_q)^2, equation (8)."""

    def __init__(self, delta):
        self.delta = np.ascontiguousarray(delta)
        self.n_pairs, self.dim = self.delta.shape
        self.norms = np.einsum("ij,ij->i", self.delta, self.delta)  # |X_p| = <I, X_p>
        self.unit_norm2 = float(self.dim)  # |I|^2, see ``unit`` below

    def zero(self):
        return np.zeros((self.dim, self.dim))

    def combine(self, coef, index=None):
        """sum_p coef_p X_p over the pairs in ``index`` (default: all)."""
        support = np.flatnonzero(coef)
        if support.size < coef.size:
            coef = coef[support]
            index = support if index is None else index[support]
        if len(coef) > _LARGE:  # one part at a time, since each is copied
            index = np.arange(len(coef)) if index is None else index
            parts = range(0, len(coef), _LARGE)
            return sum(self.combine(coef[i : i + _LARGE], index[i : i + _LARGE]) for i in parts)
        rows = self.delta if index is None else self.delta[index]
        element = rows.T @ (rows * coef[:, None])
        return 0.5 * (element + element.T)

    def evaluate(self, element, index=None):
        """<element, X_p> for the pairs in ``index`` (default: all)."""
        rows = self.delta if index is None else self.delta[index]
        if len(rows) <= _BLOCK:
            return np.einsum("ij,ij->i", rows @ element, rows)
        out = np.empty(len(rows))
        for start in range(0, len(rows), _BLOCK):
            part = rows[start : start + _BLOCK]
            out[start : start + _BLOCK] = np.einsum("ij,ij->i", part @ element, part)
        return out

    def inner(self, first, second):
        return float(np.vdot(first, second))

    def unit(self, element):
        """<I, element>: the identity is a strictly positive functional on the pairs."""
        return float(np.trace(element))

    def block(self, rows, columns):
        """The kernel (8) between two sets of pairs."""
        return (self.delta[rows] @ self.delta[columns].T) ** 2

    def restrict(self, index):
        """The problem of some pairs alone."""
        return LinearPairs(self.delta[index])

    def at(self, index):
        """The same space, seen from some of its pairs: for combine and evaluate."""
        return self if len(index) == self.n_pairs else self.restrict(index)


class KernelPairs:
    """Pairs by a kernel matrix on pairs, for the nonlinear extensions (33) and (34).

    ``kernel`` is called with two index arrays and returns the block of kernel values; the whole
    matrix is kept when it fits into ``cache_bytes``. An element is a vector of coefficients.
    """

    def __init__(self, kernel, n_pairs, *, cache_bytes=1 << 30):
        self._kernel = kernel
        self.n_pairs = n_pairs
        self.dim = int(np.sqrt(n_pairs))  # a pass costs n_pairs^2
        everything = np.arange(n_pairs)
        self._matrix = kernel(everything, everything) if 8 * n_pairs**2 <= cache_bytes else None
        if self._matrix is not None:
            diagonal = np.diag(self._matrix)
        else:
            diagonal = np.concatenate(
                [
                    np.diag(kernel(rows, rows))
                    for rows in np.array_split(everything, n_pairs // 256 + 1)
                ]
            )
        # The strictly positive functional: sum of all normalised pairs. Kernel values are
        # nonnegative (a distance must be), so each pair contributes at least its own norm.
        self._unit = 1.0 / (np.sqrt(diagonal) * n_pairs)
        self.norms = self.evaluate(self._unit)
        self.unit_norm2 = float(self._unit @ self.norms)

    def zero(self):
        return np.zeros(self.n_pairs)

    def combine(self, coef, index=None):
        if index is None:
            return coef.copy()
        element = np.zeros(self.n_pairs)
        np.add.at(element, index, coef)
        return element

    def evaluate(self, element, index=None):
        support = np.flatnonzero(element)
        rows = np.arange(self.n_pairs) if index is None else index
        return np.concatenate(
            [
                self.block(part, support) @ element[support]
                for part in np.array_split(rows, len(rows) // _BLOCK + 1)
            ]
        )

    def inner(self, first, second):
        support = np.flatnonzero(first)
        return float(first[support] @ self.evaluate(second, support))

    def unit(self, element):
        return float(self.norms @ element)

    def at(self, index):
        return _KernelRows(self, index)

    def block(self, rows, columns):
        if self._matrix is None:
            return self._kernel(rows, columns)
        return self._matrix[np.ix_(rows, columns)]


class _KernelRows:
    """Some pairs of a ``KernelPairs``; elements still have a coefficient for every pair."""

    def __init__(self, space, index):
        self._space, self._index = space, index

    def combine(self, coef):
        return self._space.combine(coef, self._index)

    def evaluate(self, element):
        return self._space.evaluate(element, self._index)
