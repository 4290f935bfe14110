"""How the stages are called for a run: arguments, quoted for a shell."""

import json
import shlex
from pathlib import Path

from ..files.resources import mirror_dir, offline
from .identity import digest
from .image_jobs import match_words
from .overrides import has, key_of


def job_arguments(run, dataset=None, method=None):
    """What makes a stage compose this run's configuration for a job."""
    words = [f"experiment={run.choice}", f"run={run.name}"]
    if dataset is not None:
        path = run.datasets[dataset].get("path")
        own = ["dataset=file", f"dataset.path={path}", *run.for_files]
        words += own if path else [f"dataset={dataset}"]
    if method is not None:
        words.append(f"method={method}")
        keys = run.method(method)
        words += [o for o in run.for_methods if has(keys, key_of(o).partition(".")[2])]
    return _quoted(words + run.for_all)


def item_arguments(run, item, method):
    """The same for the own job of a figure."""
    return job_arguments(run, run.experiment["figures"][item]["dataset"], method)


def match_arguments(run, *job):
    """What makes metriclearn match do a job (images, feature, method)."""
    data = ",".join(run.matches.features(*job[:2]))
    return _quoted([*match_words(run, *job), f"data=[{data}]"])


def run_options(run):
    """The options of the stages that gather results."""
    changes = ["--overrides", *run.overrides] if run.overrides else []
    return _quoted(["--experiment", run.choice, *changes])


def item_command(run):
    """What makes {item} of this run again, for a terminal."""
    words = [] if run.choice == "paper" else [f"experiment={run.choice}"]
    words += [f"overrides=[{','.join(run.overrides)}]"] if run.overrides else []
    config = f" --config {_quoted(words)}".replace("{", "{{").replace("}", "}}") if words else ""
    return f"snakemake --cores 8 {{item}}{config}"


def fetch_source(run, dataset):
    """What fetch is asked for: a name, or the path of a file and how it is read."""
    facts = run.datasets[dataset]
    if "path" not in facts:
        return shlex.quote(dataset)
    reading = ["--reading", json.dumps(facts["reading"])] if facts["reading"] else []
    return _quoted([facts["path"], *reading])


def fetch_files(run, dataset):
    """The file of a data set of one's own, for the workflow to watch."""
    path = run.datasets[dataset].get("path") if dataset in run.datasets else None
    return [path] if path else []


def fetch_attempt(run, dataset, strict=False):
    """A mark of the state in which fetching is tried; a new mark asks for a new try."""
    if run.datasets[dataset]["shipped"]:
        return "shipped"
    return _attempt(run.places.note(dataset), strict)


def fetch_images_attempt(run, images, strict=False):
    """The same for an image set."""
    return _attempt(run.places.images_note(images), strict)


def _attempt(note_path, strict):
    """The mark of a data set's note while it is available, else one of the state of the sources.

    So one that is unavailable is tried again when the sources have changed, or when the run has
    become strict, and one that is available is not.
    """
    now = digest([str(mirror_dir()), offline(), bool(strict)])
    try:
        note = json.loads(Path(note_path).read_text("utf-8"))
    except (OSError, ValueError):
        return now
    parts = [note, *note.get("features", {}).values()]
    return note["attempt"] if all(part["status"] == "ok" for part in parts) else now


def _quoted(words):
    return " ".join(map(shlex.quote, words))
