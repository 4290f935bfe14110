"""Pictures of a learned metric, with matplotlib: ``pip install 'metriclearn[plot]'``.

Each function draws on ``ax``, or on new axes, and returns them; the rest is matplotlib's.
"""

from .embedding import plot_embedding
from .gap import plot_gap
from .metric import plot_metric
from .roc import plot_roc

__all__ = ["plot_embedding", "plot_gap", "plot_metric", "plot_roc"]
