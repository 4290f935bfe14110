"""What is kept in git is what the rows give."""

import csv
import gzip
import json
import re
import shutil
from collections import Counter

import pytest

from metriclearn.stages.compare import row_name

PUBLISHED = "results/published"


@pytest.fixture(scope="module")
def published(kit, finished, tmp_path_factory):
    """A clone with the tiny run and its publication."""
    folder = tmp_path_factory.mktemp("published") / "clone"
    shutil.copytree(finished[0], folder, ignore=shutil.ignore_patterns(".snakemake"))
    (folder / "README.md").write_text("it includes nothing\n")
    done = kit.module(folder, "publish", "--experiment", "tiny")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def copy(published, tmp_path):
    return shutil.copytree(published, tmp_path / "clone")


def check(kit, folder):
    return kit.module(folder, "publish", "--experiment", "tiny", "--check")


def test_a_publication_holds_rows_tables_figures_and_provenance(published):
    folders = [published / "results/published", published / "figures/published"]
    kept = sorted(
        path.relative_to(published).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    )
    rows = [
        f"{PUBLISHED}/{name}.csv.gz"
        for name in (
            "own.data",
            "own.rows",
            "own.times",
            "tiny_faces.curve",
            "tiny_faces.rows",
            "tiny_faces.times",
        )
    ]
    tables = [
        f"{PUBLISHED}/tables/{t}.{end}"
        for t in ("faces", "table3")
        for end in ("csv", "json", "md", "tex")
    ]
    figures = [f"figures/published/faces_roc.{end}" for end in ("csv", "json", "png", "svg")]
    badges = [f"{PUBLISHED}/badges/{name}.svg" for name in ("licence", "python", "version")]
    assert kept == sorted([*rows, *tables, *figures, *badges, f"{PUBLISHED}/provenance.json"])
    packed = (published / PUBLISHED / "own.rows.csv.gz").read_bytes()
    assert gzip.decompress(packed) == (published / "results/tiny/own.rows.csv").read_bytes()


def test_provenance_says_code_machine_seeds_and_what_each_stage_took(published):
    facts = json.loads((published / PUBLISHED / "provenance.json").read_text())
    assert facts["run"] == "tiny" and facts["seeds"]["classification"] == 0
    assert facts["stages"]["train"]["jobs"] == 6 and facts["stages"]["match"]["jobs"] == 2
    assert facts["stages"]["train"]["wall_s"] > 0
    assert facts["stages"]["report"]["jobs"] == 1 and not any("." in x for x in facts["stages"])
    assert facts["made by"]["threads"] == ["1"] and len(facts["made by"]["numpy"]) == 1
    here = facts["published on"]
    assert here["cores"] >= 1 and facts["made by"].get("processor", [""]) == [here["processor"]]
    assert facts["items"] == ["table3", "faces", "faces_roc"]


def test_tables_are_made_again_from_the_published_rows_alone(kit, copy):
    shutil.rmtree(copy / "results/tiny")
    shutil.rmtree(copy / "results/data")
    done = check(kit, copy)
    assert done.returncode == 0, done.stderr


def test_a_number_that_was_typed_in_is_found(kit, copy):
    table = copy / PUBLISHED / "tables/table3.md"
    table.write_text(re.sub(r"\d\.\d\d", "0.01", table.read_text(), count=1))
    done = check(kit, copy)
    assert done.returncode != 0
    assert done.stderr == f"error: not what the published rows give: {PUBLISHED}/tables/table3.md\n"


def test_rows_that_were_changed_are_found(kit, copy):
    path = copy / PUBLISHED / "own.rows.csv.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    path.write_bytes(gzip.compress(re.sub(r",ok,", ",failed,", text, count=1).encode()))
    done = check(kit, copy)
    assert f"{PUBLISHED}/tables/table3.csv" in done.stderr


def test_an_unfinished_run_is_not_published(kit, copy):
    (copy / "results/tiny/tables/table3.md").unlink()
    before = (copy / PUBLISHED / "provenance.json").read_bytes()
    done = kit.module(copy, "publish", "--experiment", "tiny")
    assert done.returncode != 0
    assert done.stderr.startswith("error: results/tiny/tables/table3.md and 0 more are missing")
    assert (copy / PUBLISHED / "provenance.json").read_bytes() == before


def test_a_page_that_was_edited_is_found(kit, copy):
    page = copy / "results/report.html"
    page.write_text(page.read_text().replace("</body>", "<p>better</p></body>"))
    done = check(kit, copy)
    assert done.stderr == "error: not what the published rows give: results/report.html\n"


def test_a_badge_that_is_not_true_is_found(kit, copy):
    name = f"{PUBLISHED}/badges/python.svg"
    badge = copy / name
    assert "<title>Python: 3.11 or later</title>" in badge.read_text()
    badge.write_text(badge.read_text().replace("3.11", "3.8"))
    done = check(kit, copy)
    assert done.stderr == f"error: not what the published rows give: {name}\n"


def test_items_that_are_finished_can_be_published_first(kit, copy):
    shutil.rmtree(copy / PUBLISHED)
    (copy / "results/tiny/tables/faces.md").unlink()
    done = kit.module(copy, "publish", "--experiment", "tiny", "table3")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (copy / PUBLISHED / "tables").iterdir()) == [
        "table3.csv",
        "table3.json",
        "table3.md",
        "table3.tex",
    ]
    assert not list((copy / "figures/published").iterdir())  # published before: gone
    done = check(kit, copy)
    assert done.returncode == 0, done.stderr
    done = kit.module(copy, "publish", "--experiment", "tiny", "table99")
    assert done.returncode != 0
    assert done.stderr == (
        "error: unknown table or figure 'table99'; there are table3, faces, faces_roc\n"
    )


def add(kit, folder, *items):
    return kit.module(folder, "publish", "--experiment", "tiny", "--add", *items)


def files(folder):
    """What is published, but for the provenance and the page that shows it."""
    places = [folder / PUBLISHED, folder / "figures/published"]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for place in places
        for path in place.rglob("*.*")
        if path.name != "provenance.json"
    }


def test_items_that_are_added_join_those_that_are_published(kit, published, copy):
    done = kit.module(copy, "publish", "--experiment", "tiny", "table3")
    assert done.returncode == 0, done.stderr
    before = json.loads((copy / PUBLISHED / "provenance.json").read_text())
    # What an item shares with those that are published comes from there, not from the run.
    shutil.rmtree(copy / "results/tiny/tables")
    (copy / "results/tiny/own.rows.csv").unlink()
    done = add(kit, copy, "faces_roc", "faces")
    assert done.returncode == 0, done.stderr
    assert files(copy) == files(published)
    after = json.loads((copy / PUBLISHED / "provenance.json").read_text())
    [added] = after.pop("added")
    assert before.pop("items") == ["table3"]
    assert after.pop("items") == ["table3", "faces", "faces_roc"]
    assert after == before
    assert added["items"] == ["faces", "faces_roc"] and added["made by"]["threads"] == ["1"]
    done = check(kit, copy)
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_added_changes_nothing(kit, copy):
    assert add(kit, copy, "faces").stderr == (
        "error: faces: published already; name only what is new\n"
    )
    done = kit.module(copy, "publish", "--experiment", "tiny", "table3")
    assert done.returncode == 0, done.stderr
    (copy / "results/tiny/tiny_faces.rows.csv").unlink()
    before = files(copy)
    done = add(kit, copy, "faces")
    assert done.returncode == 1
    assert done.stderr == (
        "error: results/tiny/tiny_faces.rows.csv and 0 more are missing: finish the run tiny "
        "first, snakemake --cores 8\n"
    )
    assert files(copy) == before
    assert add(kit, copy).returncode == 2  # of everything: publish without --add


def again(kit, folder, *groups):
    return kit.module(folder, "publish", "--experiment", "tiny", "--again", *groups)


@pytest.fixture
def older(kit, copy):
    """Without the image set, and with another error in a row of the data sets."""
    done = kit.module(copy, "publish", "--experiment", "tiny", "table3")
    assert done.returncode == 0, done.stderr
    path = copy / PUBLISHED / "own.rows.csv.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    path.write_bytes(gzip.compress(text.replace(",ok,", ",failed,", 1).encode(), mtime=0))
    assert again(kit, copy).returncode == 0
    return copy


@pytest.mark.parametrize("names", [("tiny_faces", "own"), ("faces", "table3")])
def test_rows_of_a_group_or_table_are_renewed_with_what_they_give(kit, published, older, names):
    before = json.loads((older / PUBLISHED / "provenance.json").read_text())
    done = again(kit, older, *names)
    assert done.returncode == 0, done.stderr
    rows = (older / "results/tiny").glob("*.times.csv")
    n_rows = sum(len(path.read_text().splitlines()) - 1 for path in rows)
    assert done.stdout == (
        f"{n_rows} rows renewed, 3 tables and figures made; commit results/ and figures/\n"
    )
    assert files(older) == files(published)
    after = json.loads((older / PUBLISHED / "provenance.json").read_text())
    [added] = after.pop("added")
    assert before.pop("items") == ["table3"]
    assert after.pop("items") == ["table3", "faces", "faces_roc"]
    assert after == before
    assert set(added["rows"]) == set(names) and sum(added["rows"].values()) == n_rows
    assert added["made by"]["threads"] == ["1"]
    assert check(kit, older).returncode == 0


def test_what_cannot_be_renewed_changes_nothing(kit, older):
    before = files(older)
    (older / "results/tiny/tiny_faces.curve.csv").unlink()
    assert again(kit, older, "tiny_faces").stderr == (
        "error: results/tiny/tiny_faces.curve.csv and 0 more are missing: finish the run tiny "
        "first, snakemake --cores 8\n"
    )
    assert again(kit, older, "face").stderr == (
        "error: --again takes groups of rows (own, tiny_faces) or tables and figures "
        "(table3, faces, faces_roc), got 'face'\n"
    )
    assert files(older) == before


def test_everything_is_made_again_from_the_published_rows(kit, published, copy):
    shutil.rmtree(copy / "results/tiny")
    (copy / PUBLISHED / "tables/table3.md").write_text("typed in\n")
    (copy / "figures/published/faces_roc.csv").unlink()
    (copy / "results/report.html").unlink()
    done = again(kit, copy)
    assert done.returncode == 0, done.stderr
    assert files(copy) == files(published)
    for name in ("results/report.html", f"{PUBLISHED}/provenance.json"):
        assert (copy / name).read_bytes() == (published / name).read_bytes()


def test_published_files_stand_in_the_readme_between_their_marks(kit, copy):
    readme, name = copy / "README.md", f"{PUBLISHED}/tables/table3.md"
    readme.write_text(f"above\n<!-- {name} -->\nold\n<!-- end -->\nbelow\n")
    assert check(kit, copy).stderr == "error: not what the published rows give: README.md\n"
    done = kit.module(copy, "publish", "--experiment", "tiny")
    assert done.returncode == 0, done.stderr
    table = (copy / name).read_text()
    assert readme.read_text() == f"above\n<!-- {name} -->\n{table}<!-- end -->\nbelow\n"
    assert check(kit, copy).returncode == 0
    readme.write_text(f"<!-- {PUBLISHED}/tables/table99.md -->\n<!-- end -->\n")
    assert check(kit, copy).stderr == (
        f"error: README.md includes {PUBLISHED}/tables/table99.md, which is not published\n"
    )


@pytest.mark.parametrize("name", ["answer.md", "findings.md"])
def test_a_number_typed_into_a_text_is_found(kit, copy, name):
    text = copy / PUBLISHED / name
    table = (copy / PUBLISHED / "tables/table3.md").read_text()
    known = re.search(r"\d+\.\d\d", table).group()
    text.write_text(f"An error of {known}.\n")
    assert again(kit, copy).returncode == 0
    assert check(kit, copy).stderr == ""
    text.write_text(f"An error of {known}, not of 77.77.\n")
    assert again(kit, copy).returncode == 0
    assert check(kit, copy).stderr == (
        f"error: {PUBLISHED}/{name}: no published table has 77.77; correct the text\n"
    )


# A run of one's own beside the published one ---------------------------------------------------


def compare(kit, folder):
    """Exit code, the counts of the last line, and what went to stderr."""
    done = kit.module(folder, "compare", "--experiment", "tiny")
    lines = done.stdout.splitlines()
    assert lines[0].split("  ")[0] == "rows" and lines[-1].startswith("all ")
    return done.returncode, [int(cell) for cell in lines[-1].split()[1:]], done.stderr


def change(folder, old, new):
    path = folder / "results/tiny/own.rows.csv"
    text = path.read_text()
    assert re.search(old, text)
    path.write_text(re.sub(old, new, text, count=1))


def test_the_same_run_has_the_same_rows(kit, copy):
    assert compare(kit, copy) == (0, [22, 22, 0, 0, 0, 0, 0], "")


def test_rows_that_differ_are_counted_by_what_differs(kit, copy):
    change(copy, r"(?m)^(tiny,\S+,pcml,0,0,.*),ok,", r"\1,unavailable,")
    change(copy, r"(?m)^tiny,\S+,pcml,0,1,.*\n", "")
    change(copy, r"(?m)^(tiny,\S+,pcml,0,2,\d+),\w+,", r"\1,0123456789,")
    assert compare(kit, copy) == (0, [22, 19, 1, 0, 0, 1, 1], "")


def test_another_result_is_named_and_the_exit_code_says_so(kit, copy):
    change(copy, r"(?m)^(tiny,toy,euclidean,1,2,.*),ok,", r"\1,timeout,")
    code, counts, message = compare(kit, copy)
    assert (code, counts) == (1, [22, 21, 0, 1, 0, 0, 0])
    assert message == (
        "error: 1 rows have another result than the published ones, the first of them tiny toy "
        "euclidean 1 2: status 'timeout' instead of 'ok'\n"
    )


def test_without_a_run_nothing_is_compared(kit, copy):
    shutil.rmtree(copy / "results/tiny")
    assert compare(kit, copy) == (0, [22, 0, 0, 0, 0, 0, 22], "")


def test_another_run_is_compared_where_both_have_rows(kit, copy):
    (copy / "conf/experiment/other.yaml").write_text(
        (copy / "conf/experiment/tiny.yaml").read_text().replace("name: tiny", "name: other")
    )
    rows = copy / "results/other/own.rows.csv"
    rows.parent.mkdir()
    text = (copy / "results/tiny/own.rows.csv").read_text().replace("tiny,toy,", "other,toy,")
    rows.write_text(text.replace(",ok,", ",timeout,", 1))
    done = kit.module(copy, "compare", "--experiment", "other")
    assert (done.returncode, done.stderr) == (0, "")
    assert [int(cell) for cell in done.stdout.splitlines()[-1].split()[1:]] == [
        22,
        0,
        17,
        0,
        1,
        0,
        4,
    ]


# The results in this checkout ----------------------------------------------------------------


def test_no_two_published_rows_have_one_name(kit):
    """Else ``compare`` would hold a row against another one."""
    for path in sorted((kit.root / PUBLISHED).rglob("*.rows.csv.gz")):
        with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
            names = Counter(row_name(row) for row in csv.DictReader(file))
        assert names and set(names.values()) == {1}, path.name


def test_the_published_tables_are_what_the_published_rows_give(kit):
    done = kit.module(kit.root, "publish", "--check")
    assert done.returncode == 0, done.stderr


def test_published_results_name_no_folder_of_a_machine(kit):
    folders = [kit.root / PUBLISHED, kit.root / "figures/published"]
    paths = [path for folder in folders for path in folder.rglob("*.*")]
    assert len(paths) > 20
    for path in [*paths, kit.root / "results/report.html"]:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        assert not re.search(rb"(?<![\w.~])/(home|root|tmp|work|mnt|Users)/", content), path


def test_the_published_page_does_not_explain_the_tables_in_text(kit):
    """A legend is of the tables in text; the page has the paper's numbers and differences apart."""
    table, page = (kit.root / PUBLISHED / "tables/table2.md", kit.root / "results/report.html")
    words = "paper's number is given where ours differs"
    assert words in table.read_text(encoding="utf-8")
    assert words not in page.read_text(encoding="utf-8")
