"""Stage 5: the rows of all jobs of a group of data sets in one csv, their times in another.

    python -m metriclearn.collect uci --experiment paper

Groups are those of conf/dataset (uci, digits), ``own`` for csv files, ``all`` of these, and
``matching`` for the image sets.
"""

from .pipeline.columns import (
    MATCH_ROW_COLUMNS,
    MATCH_TIME_COLUMNS,
    ROW_COLUMNS,
    TIME_COLUMNS,
)
from .pipeline.command import run_command
from .pipeline.errors import PipelineError
from .pipeline.provenance import COLUMNS
from .pipeline.store import read_rows, write_rows
from .train import times_path


def collect(run, group):
    """Write results/<run>/<group>.rows.csv and .times.csv from the jobs that the run plans."""
    group = None if group == "all" else group
    columns = (ROW_COLUMNS, TIME_COLUMNS)
    if group == "matching":
        columns = (MATCH_ROW_COLUMNS, MATCH_TIME_COLUMNS)
    rows, times = [], []
    for path in run.group_rows(group):
        done = read_rows(path)
        if not done:
            raise PipelineError(f"{path} has no rows; delete it and run again")
        rows += done
        times += read_rows(times_path(path))
    rows_path, times_csv = run.collected(group)
    write_rows(times_csv, columns[1] + COLUMNS, times)
    write_rows(rows_path, columns[0], rows)
    print(f"{rows_path}: {len(rows)} rows")
    return rows


if __name__ == "__main__":
    run_command("collect", __doc__, collect)
