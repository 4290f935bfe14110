"""Compare the rows of your run with the published ones, times aside.

    metriclearn compare
    metriclearn compare --experiment smoke

With the published run's versions of the libraries, under Linux on an x86-64 processor with AVX2,
every row comes out the same, digit for digit. Elsewhere the last digits of an objective may differ
and, rarely, a result; exit code 1 says that one does. What was not run, or lacks its data, is
counted and is no error. Rows of another experiment than the published one are compared where both
have them; they were made with other settings, so a difference says nothing and is no error either.
"""

import csv
import gzip
from collections import Counter
from pathlib import Path

from ..experiment.run import Run
from ..files.columns import IDENTITY, MATCH_IDENTITY
from ..files.errors import PipelineError, guard
from ..files.store import read_rows
from ..presentation.publication import Publication, choose_items, row_files
from .cli import make_parser

# Which row it is: the identity of a fold without the run, with what ablations, sweeps, stopping
# rules, curves of the gap and grids add to it; and what came out.
ADDED = {"variant", "key", "value", "rule", "solver", "iteration", "candidate"}
NAMES = {*IDENTITY, *MATCH_IDENTITY, *ADDED} - {"experiment"}
OUTCOME = ("status", "wrong", "error", "accuracy", "rank1", "rank10", "rank25", "rank50", "rank100")
VERDICTS = (
    "identical",
    "same result",
    "other result",
    "other settings",
    "no data here",
    "not run",
)


def compare(run):
    """Print how many rows of each published file come out the same; fail if a result does not."""
    published = Publication()
    total, different = Counter(), []
    _print_line("rows", "published", *VERDICTS)
    for name in _names(run, published):
        counts, others = _compare_file(published.rows(name), Path(run.places.results(name)))
        _print_line(name, counts.total(), *(counts[verdict] for verdict in VERDICTS))
        total += counts
        different += others
    _print_line("all", total.total(), *(total[verdict] for verdict in VERDICTS))
    if different:
        raise PipelineError(
            f"{len(different)} rows have another result than the published ones, the first of "
            f"them {different[0]}"
        )


def _names(run, published):
    """The files of rows to compare: all of the published run, of another what both have."""
    items, other = published.items(), run.name != published.run()
    if other:
        own = [name for kind in choose_items(run, ()) for name in kind]
        items = [name for name in items if name in own]
        if not items:
            raise PipelineError(f"the run {run.name} has no table or figure that is published")
    files = row_files(run, *choose_items(run, items))
    names = [name for name in files if name.endswith(".rows.csv")]
    return [name for name in names if published.rows(name).is_file()] if other else names


def _print_line(name, *cells):
    print(
        f"{name:<32}",
        *(
            f"{cell:>{max(9, len(head))}}"
            for cell, head in zip(cells, ("published", *VERDICTS), strict=True)
        ),
        sep="  ",
    )


def _compare_file(published, own_file):
    """How many rows have which verdict, and what the differing results are."""
    rows = {row_name(row): row for row in read_rows(own_file)} if own_file.is_file() else {}
    counts, different = Counter(), []
    for published_row in _unpacked(published):
        if published_row["status"] == "unavailable":
            continue  # no published result to compare with
        own = rows.get(row_name(published_row), {})
        verdict = _compare_rows(own, published_row)
        counts[verdict] += 1
        if verdict == "other result":
            changed = [
                f"{column} {own.get(column, '')!r} instead of {published_row[column]!r}"
                for column in OUTCOME
                if column in published_row and own.get(column) != published_row[column]
            ]
            name = " ".join([published_row["experiment"], *row_name(published_row)])
            different.append(f"{name}: {', '.join(changed)}")
    return counts, different


def _compare_rows(own, published_row):
    if not own:
        return "not run"
    if own["status"] == "unavailable":
        return "no data here"
    if own == published_row:
        return "identical"
    same = all(own.get(column) == published_row.get(column) for column in OUTCOME)
    if same:
        return "same result"
    other = own["experiment"] != published_row["experiment"]
    return "other settings" if other else "other result"


def row_name(row):
    """What tells a row from all others of its file."""
    return tuple(value for column, value in row.items() if column in NAMES)


def _unpacked(path):
    try:
        with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise PipelineError(f"{path}: cannot be read ({error}); git checkout {path}") from error


def main():
    parser = make_parser("compare", __doc__)
    parser.add_argument("--experiment", default="paper", help="a file of conf/experiment")
    options = parser.parse_args()
    guard(lambda: compare(Run(options.experiment)))
