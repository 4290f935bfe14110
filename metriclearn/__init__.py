"""Mahalanobis metric learning with certified optima: PCML and NCML, and what they compare to.

Zuo, Wang, Zhang, Lin, Huang, Meng, Zhang: Iterated Support Vector Machines for Distance Metric
Learning.
"""

from .certificate import DualityGap, duality_gap
from .dml_eig import DMLEig
from .doublet_svm import DoubletSVM
from .euclidean import Euclidean
from .itml import ITML
from .kissme import KISSME
from .ldml import LDML
from .lmnn import LMNN
from .mcml import MCML
from .nca import NCA
from .ncml import NCML
from .pairs import make_pairs
from .pcml import PCML
from .plml import PLML

__version__ = "0.1.0"

__all__ = [
    "DMLEig",
    "DoubletSVM",
    "DualityGap",
    "Euclidean",
    "ITML",
    "KISSME",
    "LDML",
    "LMNN",
    "MCML",
    "NCA",
    "NCML",
    "PCML",
    "PLML",
    "duality_gap",
    "make_pairs",
]
