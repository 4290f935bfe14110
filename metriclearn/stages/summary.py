"""Say what a run made, where it lies, what is missing and why.

    metriclearn summary --experiment paper

The workflow calls it when a run ends.
"""

import shutil
from pathlib import Path

from ..files.errors import guard
from ..files.job import beside
from ..files.store import read_rows
from .cli import add_run, make_parser, run_of

SLOWEST = 3
FULL = 1 << 16  # bytes
ENDINGS = {"failed": "did not finish", "interrupted": "was interrupted"}
INTERRUPTED = "error: interrupted"  # the last line of a job that Ctrl-C ended


def summary(run, ending=""):
    """The lines of the summary; ``ending`` is one of ENDINGS if the run did not come to its end."""
    lines = ["", f"run {run.name} {ENDINGS.get(ending, '')}".rstrip()]
    rows, times, missing = [], [], 0
    planned = run.all_rows() + run.matches.all_rows()
    for path in planned:
        if Path(path).is_file():
            rows += read_rows(path)
            times += read_rows(beside(path, "times"))
        else:
            missing += 1
    jobs = len(planned)
    good = sum(row["status"] == "ok" for row in rows)
    lines.append(f"  jobs      {jobs - missing} of {jobs} done, {good} folds scored")
    for kind, places in (("tables", run.table), ("figures", run.figure)):
        items = run.experiment[kind]
        made = [name for name in items if all(Path(p).is_file() for p in places(name))]
        folder = run.places.results("tables") if kind == "tables" else run.places.figures()
        lines.append(
            f"  {kind:<9} {len(made)} of {len(items)} in {folder}/: {', '.join(made) or 'none'}"
        )
    for path in run.all_collected():
        if Path(path).is_file() and path.endswith(".rows.csv"):
            lines.append(f"  rows      {path}, times in {beside(path, 'times')}")
    if Path(run.places.report()).is_file():
        lines.append(f"  page      {run.places.report()}")
    lines += _missing(rows) + _slow(times)
    if ending == "interrupted":
        lines += _stopped(run, planned)
        lines.append("            to continue, run the same command: finished jobs are kept")
    elif ending == "failed":
        lines += _failures(["results/logs", run.places.results("logs")])
        lines += _silent(run, planned) + _full_disk()
        lines.append("            fix it and run the same command: finished jobs are kept")
    return lines


def _failures(folders):
    """The last line of each log that ends with an error; a job that succeeds clears its log."""
    lines = []
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.log")):
        said = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if said and (said[-1].startswith("error: ") or "Traceback" in said[0]):
            lines.append(f"  failed    {path}: {said[-1]}")
    return lines


def _full_disk():
    """On a full disk the logs are empty too, so that nobody else would say it."""
    if Path("results").is_dir() and shutil.disk_usage("results").free < FULL:
        return ["  failed    results/: No space left on device; free some and run again"]
    return []


def _silent(run, planned):
    """Jobs without rows whose log says nothing: they were killed, by hand or for their memory."""
    return [
        f"  failed    {log}: ended without a message: killed, possibly for its memory"
        for log, said in _unfinished(run, planned)
        if not said
    ]


def _stopped(run, planned):
    """Jobs that were under way when the run was interrupted."""
    logs = [
        log for log, said in _unfinished(run, planned) if not said or said.endswith(INTERRUPTED)
    ]
    if not logs:
        return []
    base = Path(run.places.results("logs"))
    names = [log.relative_to(base).with_suffix("").as_posix() for log in logs]
    return [f"  stopped   {_short(names)}: will start over"]


def _unfinished(run, planned):
    """(log, what it says) of the jobs that were started and have no rows."""
    rows, logs = run.places.results(""), run.places.results("logs/")
    for path in planned:
        log = Path(path.replace(rows, logs, 1).replace(".rows.csv", ".log"))
        if not Path(path).is_file() and log.is_file():
            yield log, log.read_text(encoding="utf-8", errors="replace").strip()


def _missing(rows):
    """Rows without a result, grouped by what is missing and why."""
    groups = {}
    for row in rows:
        if row["status"] != "ok":
            groups.setdefault((row["status"], row["message"]), []).append(row)
    lines = []
    for (status, message), members in groups.items():
        datasets = sorted({_data(row) for row in members})
        methods = sorted({row["method"] for row in members})
        what = f"{_short(datasets)} with {_short(methods)}"
        lines.append(f"  missing   {what}, {len(members)} rows {status}: {message}")
    if any(status == "unavailable" for status, _ in groups):
        lines.append("            to try the data again: snakemake --forcerun fetch")
    return lines


def _data(row):
    """What a row is about: a data set, or an image set with its feature."""
    return row["dataset"] if "dataset" in row else f"{row['images']} {row['feature']}"


def _short(names):
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} ({', '.join(names[:3])}, …)"


def _slow(times):
    spent = {}
    for row in times:
        key = _data(row), row["method"]
        parts = [float(row[k]) for k in ("tune_s", "fit_s", "predict_s") if row[k]]
        spent[key] = spent.get(key, 0.0) + sum(parts)
    slowest = sorted(spent.items(), key=lambda entry: -entry[1])[:SLOWEST]
    if not slowest:
        return []
    text = ", ".join(f"{d} {m} {seconds:.0f} s" for (d, m), seconds in slowest)
    return [f"  slowest   {text} (of {sum(spent.values()):.0f} s in all folds)"]


def main():
    parser = make_parser("summary", __doc__)
    add_run(parser)
    for ending, text in ENDINGS.items():
        parser.add_argument(
            f"--{ending}",
            dest="ending",
            action="store_const",
            const=ending,
            default="",
            help=f"the run {text}",
        )
    options = parser.parse_args()
    guard(lambda: print("\n".join(summary(run_of(options), options.ending))))
