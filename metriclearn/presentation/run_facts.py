"""Where a run's results come from: code, libraries, machine, seeds, and what each stage took."""

import os
import platform
from datetime import date
from pathlib import Path

import pandas as pd

from ..files.provenance import COLUMNS, processor
from ..files.store import read_rows


def read_times(run, files):
    """The rows of the times among the collected files of a run."""
    return [
        row
        for name in files
        if name.endswith(".times.csv")
        for row in read_rows(run.places.results(name))
    ]


def run_facts(run, times):
    """A dict for provenance.json, from the times of rows of a run and from its benchmark files."""
    return {
        "run": run.name,
        "command": "snakemake --cores N",
        "date": date.today().isoformat(),
        "made by": _origin(times),
        "seeds": {"classification": run.protocol["seed"], "folds": "column seed of the rows"},
        "published on": machine(),
        "stages": stages(run.name),
    }


def _origin(times):
    """The values of the columns of provenance, without those that no row has."""
    values = {key: sorted({row[key] for row in times if row.get(key)}) for key in COLUMNS}
    return {key: found for key, found in values.items() if found}


def machine():
    """This machine, which need not be the one that ran: the rows name their processor."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _memory():
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (AttributeError, ValueError, OSError):
        return None


def stages(name):
    """Jobs, wall and CPU seconds and the largest memory of each stage, from benchmark files."""
    parts = []
    for folder in (Path("results/benchmarks"), Path(f"results/{name}/benchmarks")):
        for path in sorted(folder.rglob("*.tsv")):
            part = pd.read_csv(path, sep="\t", usecols=["s", "cpu_time", "max_rss"])
            stage = Path(path.relative_to(folder).parts[0]).stem  # a folder, or report.tsv
            parts.append(part.assign(stage=stage))
    if not parts:
        return {}
    # Not numbers: the job was too short to be measured.
    jobs = pd.concat(parts).set_index("stage").apply(pd.to_numeric, errors="coerce").fillna(0.0)
    found = jobs.groupby("stage", sort=False).agg(
        jobs=("s", "size"),
        wall_s=("s", "sum"),
        cpu_s=("cpu_time", "sum"),
        max_memory_mb=("max_rss", "max"),
    )
    return {
        stage: {"jobs": int(row["jobs"]), **row.drop("jobs").round(1).to_dict()}
        for stage, row in found.iterrows()
    }
