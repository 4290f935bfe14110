"""Data sets of the paper, and files of your own.

>>> from metriclearn.datasets import load_dataset, list_datasets
>>> d = load_dataset("sonar")
>>> d.X.shape, d.target_names
((208, 60), ('M', 'R'))
"""

from ._errors import DatasetError, DatasetUnavailable, DownloadError, UnknownDataset
from ._load import Dataset, load_dataset
from ._spec import DatasetSpec, list_datasets, load_spec

__all__ = [
    "Dataset",
    "DatasetError",
    "DatasetSpec",
    "DatasetUnavailable",
    "DownloadError",
    "UnknownDataset",
    "list_datasets",
    "load_dataset",
    "load_spec",
]
