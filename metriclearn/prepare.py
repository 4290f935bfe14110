"""Stage 2: the canonical data set as one npz, with its hash and what Tables 2 and 4 count.

    python -m metriclearn.prepare results/data/sonar.fetch.json results/data/sonar.npz

Nothing is scaled or projected here: that is fitted on the training part of each fold, see
``pipeline/preprocess.py``.
"""

import numpy as np

from .datasets import list_datasets, load_dataset, load_spec
from .pipeline.cli import make_parser
from .pipeline.errors import PipelineError, guard
from .pipeline.store import load_arrays, read_json, write_arrays


def prepare(note, out):
    """Write the data set of a fetch note as an npz; an empty one where it could not be had."""
    facts, arrays = prepared(read_json(note))
    write_arrays(out, facts, **arrays)
    print(f"{facts['name']}: {facts['n_samples']} × {facts['n_features']}, "
          f"{facts['n_classes']} classes")  # fmt: skip
    return facts


def prepared(note):
    """The same in memory."""
    if note["status"] != "ok":
        spec = load_spec(note["dataset"])
        facts = {
            "name": spec.name, "title": spec.title, "group": spec.group, "pca": spec.pca,
            "status": note["status"], "message": note["message"], "content_hash": "",
            "n_samples": 0, "n_features": 0, "n_classes": 0, "n_train": 0, "n_test": 0,
        }  # fmt: skip
        return facts, {"X": np.empty((0, 0)), "y": np.empty(0, dtype=np.int64)}
    dataset = load_dataset(note["dataset"])
    known = note["dataset"] in list_datasets(variants=True)
    facts = facts_of(dataset, load_spec(note["dataset"]).group if known else "own")
    arrays = {"X": dataset.X, "y": dataset.y}
    if dataset.train is not None and dataset.test is not None:
        arrays.update(train=dataset.train, test=dataset.test)
    return facts, arrays


def facts_of(dataset, group):
    """What the tables count, from the data themselves."""
    counts = np.bincount(dataset.y, minlength=len(dataset.target_names))
    if (counts > 0).sum() < 2:
        raise PipelineError(
            f"{dataset.source}: a metric needs samples of at least 2 classes, got "
            f"{(counts > 0).sum()}"
        )
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
        "n_classes": int((counts > 0).sum()),
        "n_train": len(dataset.train) if fixed else 0,
        "n_test": len(dataset.test) if fixed else 0,
    }


def read_prepared(path):
    """Facts and arrays X, y (and train, test) of a prepared data set."""
    return load_arrays(path)


def main():
    parser = make_parser("prepare", __doc__)
    parser.add_argument("note", help="what metriclearn.fetch wrote")
    parser.add_argument("out", help="the npz to write")
    options = parser.parse_args()
    guard(prepare, options.note, options.out)


if __name__ == "__main__":
    main()
