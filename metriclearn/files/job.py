"""The files of one job: rows, times and, for some, a curve, side by side.

Rows and curves are the same on every run. Times and provenance are not, so they have a file of
their own.
"""

from pathlib import Path

from .provenance import COLUMNS, provenance
from .store import write_rows


def write_job(out, columns, result, threads):
    """Write rows to ``out`` (….rows.csv), times and curve beside it; the rows last."""
    rows, times, curve = result
    origin = provenance(threads)
    write_rows(beside(out, "times"), columns.times + COLUMNS, [{**t, **origin} for t in times])
    if columns.curve is not None:
        write_rows(beside(out, "curve"), columns.curve, curve)
    write_rows(out, columns.rows, rows)


def beside(out, kind):
    """repeat0-4.rows.csv -> repeat0-4.times.csv"""
    return Path(out).with_name(Path(out).name.replace(".rows.csv", f".{kind}.csv"))
