"""DoubletSVM: a pairwise SVM, made positive semidefinite afterwards (Wang et al. 2014)."""

from ..solvers.cones import clip_eigenvalues
from ..solvers.hinge import best_bias
from ..solvers.libsvm import doublet_svm
from .base import factor
from .iterated_svm import IteratedSVM

__all__ = ["DoubletSVM"]


class DoubletSVM(IteratedSVM):
    """The two-step predecessor of PCML: no cone while training, a PSD clip at the end.

    Parameters and attributes are those of ``PCML``. ``primal_``, ``dual_`` and ``gap_`` certify
    the SVM, whose matrix before the clip is ``unclipped_``; ``intercept_`` is the best bias for
    the clipped matrix, since clipping lengthens the distances.
    """

    _cone = "symmetric"
    _algorithm = staticmethod(doublet_svm)

    def _set_metric(self, M, space, h):
        self.unclipped_ = 0.5 * (M + M.T)
        self._certify(space, h, self.unclipped_, self.intercept_)
        self.components_ = factor(clip_eigenvalues(self.unclipped_))
        a = space.evaluate(self.get_mahalanobis_matrix())
        self.intercept_ = float(best_bias(a, h))
