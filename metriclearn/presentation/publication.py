"""A run's results as they are kept in git: compressed rows, and the tables that they give.

``results/published`` holds the collected rows of a run, each file under the name it has in the run
with .gz, its tables and its provenance; ``figures/published`` its figures; ``results/report.html``
shows them, and the README has the answer. So that no number can drift or be typed in, all of
that can be made again from the rows, anywhere.
"""

import gzip
import os
import re
from pathlib import Path

from ..experiment.run import FIGURE_ENDS, TABLE_ENDS
from ..files.atomic import write_atomically
from ..files.errors import PipelineError
from ..files.store import read_json
from .badges import badges
from .kinds import inputs_of
from .traceable import untraceable

PUBLISHED_FIGURE_ENDS = tuple(end for end in FIGURE_ENDS if end != "pdf")
# In the README: <!-- file of results/published -->, its text, <!-- end -->.
INCLUDED = re.compile(r"(<!-- (results/published/\S+\.md) -->\n).*?(<!-- end -->)", re.DOTALL)


class Publication:
    """What is published in a checkout."""

    def __init__(self, root="."):
        self.root = Path(root)
        self.results = self.root / "results/published"
        self.figures = self.root / "figures/published"
        self.page = self.root / "results/report.html"
        self.readme = self.root / "README.md"
        self.badges = self.results / "badges"
        self.provenance = self.results / "provenance.json"
        # Written by hand: the answer in the README, and what is behind it.
        self.prose = [self.results / name for name in ("answer.md", "findings.md")]

    def items(self):
        """The names of the published tables and figures, by the provenance file."""
        try:
            return read_json(self.provenance)["items"]
        except (OSError, ValueError, KeyError) as error:
            raise PipelineError(
                f"{self.provenance}: no list of items ({error}); publish the run"
            ) from error

    def run(self):
        """The name of the published run."""
        return read_json(self.provenance)["run"]

    def rows(self, name):
        """The published file of a file of rows."""
        return self.results / f"{name}.gz"

    def targets(self, tables, figures):
        """{published file: how to find it in a run} of tables and figures."""
        found = {
            self.results / f"tables/{item}.{end}": (item, "table", end)
            for item in tables
            for end in TABLE_ENDS
        }
        return found | {
            self.figures / f"{item}.{end}": (item, "figure", end)
            for item in figures
            for end in PUBLISHED_FIGURE_ENDS
        }

    def store(self, run, row_names, tables, figures):
        """Copy files of a run to where git keeps them; none of them if one is missing.

        Empty files are the pictures of figures without data, and stay behind.
        """
        plan = {self.rows(name): Path(run.places.results(name)) for name in row_names}
        for target, (item, kind, end) in self.targets(tables, figures).items():
            plan[target] = Path(getattr(run.places, kind)(item, end))
        _check_present(run, plan.values())
        plan = {target: source for target, source in plan.items() if source.stat().st_size}
        for target, source in plan.items():
            content = source.read_bytes()
            if target.suffix == ".gz":
                content = gzip.compress(content, 9, mtime=0)
            write_atomically(target, content)
        return list(plan)

    def remove_others(self, kept):
        """Delete what was published before and is not among these files."""
        found = {*self.results.rglob("*.gz"), *self.results.glob("tables/*")}
        for path in (found | {*self.figures.glob("*")}) - set(kept):
            path.unlink()

    def unpack(self, run, names):
        """Write the published rows to where the run has them."""
        for name in names:
            packed = self.rows(name)
            try:
                content = gzip.decompress(packed.read_bytes())
            except (OSError, EOFError) as error:
                raise PipelineError(
                    f"{packed}: cannot be read ({error}); publish the run"
                ) from error
            write_atomically(Path(run.places.results(name)), content)

    def unknown_numbers(self):
        """{text written by hand: its numbers that no published table has}, where there are some."""
        tables = [path.read_text(encoding="utf-8") for path in self.results.glob("tables/*.md")]
        texts = {path: path.read_text(encoding="utf-8") for path in self.prose if path.is_file()}
        unknown = {path: untraceable(text, tables) for path, text in texts.items()}
        return {path: numbers for path, numbers in unknown.items() if numbers}

    def made_badges(self):
        """{file of a badge: its text, by what is published}."""
        return {self.badges / name: text for name, text in badges(self.results).items()}

    def renewed_readme(self):
        """The text of the README with the published files between their marks, as they are now."""

        def renewed(found):
            before, name, after = found.groups()
            path = self.root / name
            if not path.is_file():
                raise PipelineError(f"{self.readme} includes {name}, which is not published")
            return before + path.read_text(encoding="utf-8") + after

        return INCLUDED.sub(renewed, self.readme.read_text(encoding="utf-8"))


def choose_items(run, names):
    """(tables, figures) of these names; of all, if there are none."""
    tables, figures = list(run.experiment["tables"]), list(run.experiment["figures"])
    for name in names:
        if name not in tables + figures:
            known = ", ".join(tables + figures)
            raise PipelineError(f"unknown table or figure {name!r}; there are {known}")
    chosen = names or tables + figures
    return [t for t in tables if t in chosen], [f for f in figures if f in chosen]


def row_files(run, tables, figures):
    """The files that tables and figures are made from, named below results/<run>, each once."""
    inputs = [inputs_of(run, "tables", item) for item in tables]
    inputs += [inputs_of(run, "figures", item) for item in figures]
    paths = [path for lists in inputs for files in lists.values() for path in files]
    return list(dict.fromkeys(os.path.relpath(path, run.places.results("")) for path in paths))


def copy_rows(run, names, other):
    """Copy files of rows of a run to where the other run has them."""
    sources = {name: Path(run.places.results(name)) for name in names}
    _check_present(run, sources.values())
    for name, source in sources.items():
        write_atomically(Path(other.places.results(name)), source.read_bytes())


def _check_present(run, paths):
    absent = [path for path in paths if not path.is_file()]
    if absent:
        raise PipelineError(
            f"{absent[0]} and {len(absent) - 1} more are missing: finish the run "
            f"{run.name} first, snakemake --cores 8"
        )


def renew_rows(run, name, unpacked):
    """Put the run's rows of a group, or behind a table or figure, in the place of the unpacked.

    Returns the files.
    """
    groups, items = run.groups(), sum(choose_items(run, []), [])
    if name not in groups + items:
        raise PipelineError(
            f"--again takes groups of rows ({', '.join(groups)}) or tables and figures "
            f"({', '.join(items)}), got {name!r}"
        )
    if name in groups:
        paths = run.collected(name).values()
        files = [os.path.relpath(path, run.places.results("")) for path in paths]
    else:
        files = row_files(run, *choose_items(run, [name]))
    copy_rows(run, files, unpacked)
    return files


def complete_items(unpacked):
    """The names of the tables and figures that can be made from the unpacked rows."""
    tables, figures = choose_items(unpacked, [])
    items = [("tables", name) for name in tables] + [("figures", name) for name in figures]
    return [name for folder, name in items if _is_complete(unpacked, folder, name)]


def _is_complete(unpacked, folder, name):
    lists = inputs_of(unpacked, folder, name).values()
    return all(Path(path).is_file() for paths in lists for path in paths)
