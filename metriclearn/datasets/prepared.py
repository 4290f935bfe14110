"""Prepared data sets: one npz with values, labels, the fixed split if any, and facts.

Nothing is scaled or projected here: this is fitted on the training part of each fold.
"""

import numpy as np

from ..files.store import load_arrays
from .load import load_dataset
from .spec import list_datasets, load_spec


def prepared(note):
    """Facts and arrays of the data set of a fetch note; empty arrays if it is unavailable."""
    if note["status"] != "ok":
        spec = load_spec(note["dataset"])
        facts = {
            "name": spec.name,
            "title": spec.title,
            "group": spec.group,
            "pca": spec.pca,
            "status": note["status"],
            "message": note["message"],
            "content_hash": "",
            "n_samples": 0,
            "n_features": 0,
            "n_classes": 0,
            "n_train": 0,
            "n_test": 0,
        }
        return facts, {"X": np.empty((0, 0)), "y": np.empty(0, dtype=np.int64)}
    dataset = load_dataset(note["dataset"], **note.get("reading", {}))
    known = note["dataset"] in list_datasets(variants=True)
    facts = facts_of(dataset, load_spec(note["dataset"]).group if known else "own")
    arrays = {"X": dataset.X, "y": dataset.y}
    if dataset.train is not None and dataset.test is not None:
        arrays.update(train=dataset.train, test=dataset.test)
    return facts, arrays


def facts_of(dataset, group):
    """The counts for the tables, taken from the data."""
    fixed = dataset.train is not None
    return {
        "name": dataset.name,
        "title": dataset.title,
        "group": group,
        "pca": dataset.pca,
        "status": "ok",
        "message": "",
        "content_hash": dataset.content_hash,
        "n_samples": len(dataset.X),
        "n_features": dataset.X.shape[1],
        "n_classes": len(np.unique(dataset.y)),
        "n_train": len(dataset.train) if fixed else 0,
        "n_test": len(dataset.test) if fixed else 0,
        "gaps": dataset.gaps,
        "layout": dataset.layout,
    }


def read_prepared(path):
    """Facts and arrays X, y (and train, test) of a prepared data set."""
    return load_arrays(path)
