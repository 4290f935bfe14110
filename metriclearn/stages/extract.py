"""Stage: the features of an image set as one npz.

    metriclearn extract lfw sift results/features/lfw-sift.npz

Nothing is fitted here: PCA and whitening belong to the training part of each fold. A set that
cannot be had is not an error unless ``--strict``: the file then holds the reason, which becomes a
hole with a footnote in the tables. With ``--note``, what ``metriclearn fetch`` found to be missing
is not tried again.
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
    """Write the features to ``out``; returns the facts in it."""
    spec = load_image_spec(name)
    feature = spec.feature(feature)
    try:
        if note is not None:
            believe(read_json(note), feature)
        features = load_features(name, feature, quiet=quiet)
    except DatasetUnavailable as error:
        if strict:
            raise
        print(f"{name}-{feature}: not to be had; its results will be holes")
        return save_unavailable(out, spec, feature, one_line(error))
    features.save(out)
    print(features)
    return features.facts()


def believe(note, feature):
    """``DatasetUnavailable`` if a fetch note says that the feature's files are not to be had."""
    found = note.get("features", {}).get(feature, note)
    if found["status"] != "ok":
        raise DatasetUnavailable(found["message"])


def main():
    parser = make_parser("extract", __doc__)
    parser.add_argument("name", help="a name in conf/images")
    parser.add_argument("feature", help="one of its features")
    parser.add_argument("out", help="the npz to write")
    parser.add_argument("--note", help="what metriclearn fetch wrote about the set")
    parser.add_argument("--strict", action="store_true", help="fail if it cannot be had")
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
