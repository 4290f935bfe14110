"""A run's results as they are kept in git: compressed rows, and the tables that they give.

``results/published`` holds the collected rows of a run, each file under the name it has in the run
with .gz, its tables and its provenance; ``figures/published`` its figures. So that no number can
drift or be typed in, the tables can be made again from the rows, anywhere.
"""

import gzip
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from .._atomic import write_atomically
from .errors import PipelineError
from .store import write_rows

RESULTS = Path("results/published")
FIGURES = Path("figures/published")
TABLE_ENDS = ("csv", "md", "tex")
FIGURE_ENDS = ("csv", "svg", "png")


def row_files(run):
    """The files that tables and figures are made from, without results/<run>/, each once."""
    inputs = [run.table_inputs(item) for item in run.experiment["tables"]]
    inputs += [run.figure_inputs(item) for item in run.experiment["figures"]]
    paths = [path for lists in inputs for files in lists.values() for path in files]
    return list(dict.fromkeys(os.path.relpath(path, f"results/{run.name}") for path in paths))


def planned_files(run):
    """(from, to) of every file to publish; rows are compressed on the way."""
    rows = [(Path(f"results/{run.name}/{name}"), RESULTS / f"{name}.gz") for name in row_files(run)]
    tables = [(Path(f"results/{run.name}/tables/{item}.{end}"), RESULTS / f"tables/{item}.{end}")
              for item in run.experiment["tables"] for end in TABLE_ENDS]  # fmt: skip
    figures = [(Path(f"figures/{run.name}/{item}.{end}"), FIGURES / f"{item}.{end}")
               for item in run.experiment["figures"] for end in FIGURE_ENDS]  # fmt: skip
    return rows + tables + figures


def copy_results(run):
    """Publish rows, tables and figures of a finished run; what was published before goes."""
    plan = planned_files(run)
    absent = [source for source, _ in plan if not source.is_file()]
    if absent:
        raise PipelineError(
            f"{absent[0]} and {len(absent) - 1} more are missing: finish the run "
            f"{run.name} first, snakemake --cores 8"
        )
    for source, target in plan:
        content = source.read_bytes()
        if target.suffix == ".gz":
            content = gzip.compress(content, 9, mtime=0)
        write_atomically(target, content)
    keep = {target for _, target in plan}
    for folder in (RESULTS, FIGURES):
        for path in [p for p in folder.rglob("*") if p.is_file()]:
            if path not in keep and path.suffix in (".gz", *(f".{e}" for e in
                                                            (*TABLE_ENDS, *FIGURE_ENDS))):
                path.unlink()  # fmt: skip
    return keep


def drifted(run, root, scratch):
    """Published tables and figures' csv files that are not exactly what the rows give.

    ``root`` holds results/published and figures/published; ``scratch`` is an empty folder.
    """
    from ..figures import figure_content
    from ..tables import make_table

    root, scratch = Path(root).resolve(), Path(scratch)
    run.check()  # csv files of one's own are looked up from here
    for name in row_files(run):
        target = scratch / "results" / run.name / name
        target.parent.mkdir(parents=True, exist_ok=True)
        packed = root / RESULTS / f"{name}.gz"
        try:
            with gzip.open(packed, "rb") as source, open(target, "wb") as unpacked:
                shutil.copyfileobj(source, unpacked)
        except OSError as error:
            raise PipelineError(f"{packed}: cannot be read ({error}); publish the run") from error
    wrong = []
    with _inside(scratch):
        for item in run.experiment["tables"]:
            make_table(run, item)
            wrong += [f"{RESULTS}/tables/{item}.{end}" for end in TABLE_ENDS
                      if _bytes(root / RESULTS / f"tables/{item}.{end}")
                      != _bytes(Path(f"results/{run.name}/tables/{item}.{end}"))]  # fmt: skip
        for item in run.experiment["figures"]:
            columns, rows, _ = figure_content(run, item)
            write_rows(f"figures/{item}.csv", columns, rows)
            if _bytes(root / FIGURES / f"{item}.csv") != _bytes(Path(f"figures/{item}.csv")):
                wrong.append(f"{FIGURES}/{item}.csv")
    return wrong


def _bytes(path):
    return path.read_bytes() if path.is_file() else None


@contextmanager
def _inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
