"""Write a fetched data set as one npz, with its content hash and counts.

    metriclearn prepare results/data/sonar.fetch.json results/data/sonar.npz

Nothing is scaled or projected here: this is fitted on the training part of each fold, see
``evaluation/scaling.py``.
"""

from ..datasets.prepared import prepared
from ..files.errors import guard
from ..files.store import read_json, write_arrays
from .cli import make_parser


def prepare(note, out):
    """Write the data set of a fetch note as an npz; an empty one if it is unavailable."""
    facts, arrays = prepared(read_json(note))
    write_arrays(out, facts, **arrays)
    print(
        f"{facts['name']}: {facts['n_samples']} × {facts['n_features']}, "
        f"{facts['n_classes']} classes"
    )
    return facts


def main():
    parser = make_parser("prepare", __doc__)
    parser.add_argument("note", help="the note that metriclearn fetch wrote")
    parser.add_argument("out", help="the npz to write")
    options = parser.parse_args()
    guard(prepare, options.note, options.out)
