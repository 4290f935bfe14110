"""Fetch a data set or an image set, or record why it is unavailable.

    metriclearn fetch sonar results/data/sonar.fetch.json
    metriclearn fetch lfw results/images/lfw.fetch.json

An unavailable data set is not an error unless ``--strict``: the reason is written to the note, its
results are missing from the tables with a footnote, and the rest of the run continues. For an image
set the note has a status for each feature.
"""

import json
import warnings

from ..datasets import DatasetUnavailable, DatasetWarning, load_dataset
from ..files.errors import guard, one_line
from ..files.store import write_json
from ..vision.files import fetch_features
from ..vision.spec import list_image_sets, load_image_spec
from .cli import make_parser


def fetch(dataset, out, *, strict=False, attempt="", reading=None):
    """Fetch ``dataset`` (a name, or the path of a file) and write the note ``out``.

    ``reading`` says how a file is read, as ``load_dataset`` takes it.
    """
    note = {"dataset": dataset, "status": "ok", "message": "", "attempt": attempt}
    if reading:
        note["reading"] = reading
    if dataset in list_image_sets():
        note.update(fetch_images(dataset, strict))
    else:
        note.update(fetch_table(dataset, strict, reading or {}))
    if note["status"] != "ok":
        print(f"{dataset}: unavailable; its results will be missing")
    write_json(out, note)
    return note


def fetch_table(dataset, strict, reading):
    """Status, message and content hash of a data set for classification."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DatasetWarning)
            loaded = load_dataset(dataset, **reading)
    except DatasetUnavailable as error:
        if strict:
            raise
        return {"status": "unavailable", "message": one_line(error)}
    layout = f" ({loaded.layout})" if loaded.layout else ""
    print(f"{loaded.name}: {len(loaded.X)} rows from {loaded.source}{layout}")
    for warning in caught:
        print(f"warning: {warning.message}")
    return {"content_hash": loaded.content_hash}


def fetch_images(name, strict):
    """Status and message of an image set and of each of its features.

    The set is available if one of its features is. A feature marked ``extra`` is made from a file
    that only some users have: neither the status nor ``strict`` depends on it.
    """
    spec = load_image_spec(name)
    features = {}
    for feature, facts in spec.features.items():
        try:
            fetch_features(name, feature)
            features[feature] = {"status": "ok", "message": ""}
            print(f"{name}-{feature}: files available")
        except DatasetUnavailable as error:
            if strict and not facts.get("extra"):
                raise
            features[feature] = {"status": "unavailable", "message": one_line(error)}
            print(f"{name}-{feature}: unavailable")
    main = [features[key] for key, facts in spec.features.items() if not facts.get("extra")]
    missing = [found["message"] for found in main if found["status"] != "ok"]
    if len(missing) < len(main):
        return {"features": features}
    return {"status": "unavailable", "message": missing[0], "features": features}


def main():
    parser = make_parser("fetch", __doc__)
    parser.add_argument(
        "dataset", help="a name in conf/dataset or conf/images, or the path of a file"
    )
    parser.add_argument("out", help="the note to write (json)")
    parser.add_argument("--strict", action="store_true", help="fail if it is unavailable")
    parser.add_argument(
        "--reading",
        type=json.loads,
        metavar="JSON",
        help='how a file is read, e.g. \'{"label": "kind", "missing": "drop"}\'',
    )
    parser.add_argument("--attempt", default="", help="an identifier to store in the note")
    options = parser.parse_args()
    guard(
        lambda: fetch(
            options.dataset,
            options.out,
            strict=options.strict,
            attempt=options.attempt,
            reading=options.reading,
        )
    )
