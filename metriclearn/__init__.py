"""Mahalanobis metric learning with certified optima: PCML and NCML.

Zuo, Wang, Zhang, Lin, Huang, Meng, Zhang: Iterated Support Vector Machines for Distance Metric
Learning.
"""

from .certificate import DualityGap, duality_gap
from .doublet_svm import DoubletSVM
from .ncml import NCML
from .pairs import make_pairs
from .pcml import PCML

__version__ = "0.1.0"

__all__ = ["NCML", "PCML", "DoubletSVM", "DualityGap", "duality_gap", "make_pairs"]
