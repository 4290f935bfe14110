"""Where a run's results come from: code, libraries, machine, seeds, and what each stage took."""

import csv
import os
import platform
from datetime import date
from pathlib import Path

from ..files.store import read_rows

ORIGIN = ("version", "commit", "python", "numpy", "scipy", "scikit-learn", "numba", "threads")


def read_times(run, files):
    """The rows of the times among the collected files of a run."""
    return [
        row
        for name in files
        if name.endswith(".times.csv")
        for row in read_rows(f"results/{run.name}/{name}")
    ]


def run_facts(run, times):
    """A dict for provenance.json, from the times of rows of a run and from its benchmark files."""
    return {
        "run": run.name,
        "command": "snakemake --cores N",
        "date": date.today().isoformat(),
        "made by": {key: sorted({row[key] for row in times if row.get(key)}) for key in ORIGIN},
        "seeds": {"classification": run.protocol["seed"], "folds": "column seed of the rows"},
        "hardware": hardware(),
        "stages": stages([run.name, *run.ablations.runs]),
    }


def hardware():
    """The machine that publishes, which should be the one that ran."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), "")


def _memory():
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (AttributeError, ValueError, OSError):
        return None


def stages(names):
    """Jobs, wall and CPU seconds and the largest memory of each stage, from benchmark files."""
    found = {}
    for folder in [Path("results/benchmarks"), *(Path(f"results/{n}/benchmarks") for n in names)]:
        for path in sorted(folder.rglob("*.tsv")):
            stage = path.relative_to(folder).parts[0]
            entry = found.setdefault(
                stage, {"jobs": 0, "wall_s": 0.0, "cpu_s": 0.0, "max_memory_mb": 0.0}
            )
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    entry["jobs"] += 1
                    entry["wall_s"] += _number(row["s"])
                    entry["cpu_s"] += _number(row["cpu_time"])
                    entry["max_memory_mb"] = max(entry["max_memory_mb"], _number(row["max_rss"]))
    return {stage: {k: round(v, 1) for k, v in entry.items()} for stage, entry in found.items()}


def _number(text):
    try:
        return float(text)
    except ValueError:  # NA: the job was too short to be measured
        return 0.0
