"""Stage 1: make a data set available, or note why it cannot be had.

    python -m metriclearn.fetch sonar results/data/sonar.fetch.json

A data set that no source has is not an error unless ``--strict``: the note it leaves becomes a
hole with a footnote in the tables, and the rest of the run goes on.
"""

from .datasets import DatasetUnavailable, load_dataset
from .pipeline.cli import make_parser
from .pipeline.errors import guard, one_line
from .pipeline.store import write_json


def fetch(dataset, out, *, strict=False, attempt=""):
    """Fetch ``dataset`` (a name, or the path of a csv file) and write a note about it."""
    note = {"dataset": dataset, "status": "ok", "message": "", "attempt": attempt}
    try:
        loaded = load_dataset(dataset)
        note["content_hash"] = loaded.content_hash
        print(f"{loaded.name}: {len(loaded.X)} rows from {loaded.source}")
    except DatasetUnavailable as error:
        if strict:
            raise
        note.update(status="unavailable", message=one_line(error))
        print(f"{dataset}: not to be had; its results will be holes")
    write_json(out, note)
    return note


def main():
    parser = make_parser("fetch", __doc__)
    parser.add_argument("dataset", help="a name in conf/dataset, or the path of a csv file")
    parser.add_argument("out", help="the note to write (json)")
    parser.add_argument("--strict", action="store_true", help="fail if it cannot be had")
    parser.add_argument("--attempt", default="", help="a mark to keep in the note")
    options = parser.parse_args()
    guard(lambda: fetch(options.dataset, options.out, strict=options.strict,
                        attempt=options.attempt))  # fmt: skip


if __name__ == "__main__":
    main()
