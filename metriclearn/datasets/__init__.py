"""Data sets of the paper, and your own files.

>>> from metriclearn.datasets import load_dataset, list_datasets
>>> d = load_dataset("sonar")
>>> d.X.shape, d.target_names
((208, 60), ('M', 'R'))
"""

from .errors import DatasetError, DatasetUnavailable, DatasetWarning, DownloadError, UnknownDataset
from .load import Dataset, load_dataset
from .spec import DatasetSpec, list_datasets, load_spec

__all__ = [
    "Dataset",
    "DatasetError",
    "DatasetSpec",
    "DatasetUnavailable",
    "DatasetWarning",
    "DownloadError",
    "UnknownDataset",
    "list_datasets",
    "load_dataset",
    "load_spec",
]
