"""Write the features of an image set as one npz.

    metriclearn extract lfw sift results/features/lfw-sift.npz

Nothing is fitted here: PCA and whitening belong to the training part of each fold. An unavailable
set is not an error unless ``--strict``: the file then holds the reason, and its results are missing
from the tables with a footnote. With ``--note``, features that ``metriclearn fetch`` found to be
unavailable are not tried again.
"""

import os

from ..datasets import DatasetUnavailable
from ..files.errors import guard, one_line
from ..files.store import read_json
from ..vision.featureset import save_unavailable
from ..vision.load import load_features
from ..vision.spec import load_image_spec
from .cli import make_parser


def extract(name, feature, out, *, note=None, strict=False, quiet=False):
    """Write the features to ``out`` and return their facts."""
    spec = load_image_spec(name)
    feature = spec.feature(feature)
    try:
        if note is not None:
            raise_if_unavailable(read_json(note), feature)
        features = load_features(name, feature, quiet=quiet)
    except DatasetUnavailable as error:
        if strict:
            raise
        print(f"{name}-{feature}: unavailable; its results will be missing")
        return save_unavailable(out, spec, feature, one_line(error))
    features.save(out)
    print(features)
    return features.facts()


def raise_if_unavailable(note, feature):
    """``DatasetUnavailable`` if the files of a feature are unavailable in a fetch note."""
    found = note.get("features", {}).get(feature, note)
    if found["status"] != "ok":
        raise DatasetUnavailable(found["message"])


def main():
    parser = make_parser("extract", __doc__)
    parser.add_argument("name", help="a name in conf/images")
    parser.add_argument("feature", help="one of its features")
    parser.add_argument("out", help="the npz to write")
    parser.add_argument("--note", help="the note that metriclearn fetch wrote for the set")
    parser.add_argument("--strict", action="store_true", help="fail if it is unavailable")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    options = parser.parse_args()
    os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")  # one job, one thread
    guard(
        lambda: extract(
            options.name,
            options.feature,
            options.out,
            note=options.note,
            strict=options.strict,
            quiet=options.quiet,
        )
    )
