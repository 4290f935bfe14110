"""Stage 2: the canonical data set as one npz, with its hash and what Tables 2 and 4 count.

    metriclearn prepare results/data/sonar.fetch.json results/data/sonar.npz

Nothing is scaled or projected here: that is fitted on the training part of each fold, see
``evaluation/scaling.py``.
"""

from ..datasets.prepared import prepared
from ..files.errors import guard
from ..files.store import read_json, write_arrays
from .cli import make_parser


def prepare(note, out):
    """Write the data set of a fetch note as an npz; an empty one where it could not be had."""
    facts, arrays = prepared(read_json(note))
    write_arrays(out, facts, **arrays)
    print(
        f"{facts['name']}: {facts['n_samples']} × {facts['n_features']}, "
        f"{facts['n_classes']} classes"
    )
    return facts


def main():
    parser = make_parser("prepare", __doc__)
    parser.add_argument("note", help="what metriclearn fetch wrote")
    parser.add_argument("out", help="the npz to write")
    options = parser.parse_args()
    guard(prepare, options.note, options.out)
