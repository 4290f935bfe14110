"""Cells of a saved table as the page shows them: verdicts, signs, what they sort by."""

import pytest
import small_run

from metriclearn.analysis.verdict import judge
from metriclearn.presentation.page.cells import number_in, show, view_table
from metriclearn.presentation.render import number_text, signed
from metriclearn.presentation.table import Cell, Column, Row, Table, cell_anchor


def view(name):
    return view_table(next(table for table in small_run.tables() if table.name == name))


@pytest.mark.parametrize(
    "ours, deviation, paper, expected",
    [
        (10.0, 0.5, 11.0, "reproduced"),  # exactly two deviations
        (10.0, 0.5, 11.01, "lower"),
        (10.0, 0.5, 8.99, "higher"),
        (10.0, 0.0, 10.0, "reproduced"),
        (10.0, None, 11.0, None),
        (None, None, 11.0, None),
        (10.0, 0.5, None, None),
    ],
)
def test_verdict(ours, deviation, paper, expected):
    assert judge(ours, paper, deviation)[0] == expected


def test_compared_cell():
    cell = show(small_run.judged(1234.567, 2.5, 1239.99), ",.2f")
    assert (cell.text, cell.spread, cell.paper_text) == ("1,234.57", "± 2.50", "1,239.99")
    assert (cell.change_text, cell.verdict, cell.mark) == ("−5.42", "lower", "▼")
    assert cell.meaning == "ours is lower by more than 5.00" and not cell.missing
    same = show(Cell(1.001, paper=1.0), ".2f")
    assert (same.change_text, same.verdict, same.meaning) == ("0.00", "", "")
    assert show(Cell(7, paper=7), ",.0f").change_text == "0"


@pytest.mark.parametrize(
    "change, number, expected",
    [(1200.0, ",.2f", "+1,200.00"), (-0.5, ".2f", "−0.50"), (3, "+.1f", "+3.0"), (0.0, ".0f", "0")]
    + [(-1930.4, ".3g", "−1,930"), (-0.001, ".2f", "0.00")],
)
def test_signs_of_differences(change, number, expected):
    assert signed(change, number) == expected


@pytest.mark.parametrize(
    "value, number, expected",
    [
        (-0.001, "+.2f", "0.00"),
        (-2.5, ".2f", "−2.50"),
        (1934.0, ".3g", "1,934"),
        (0.000023, ".2g", "2.3e-05"),
        (0.0004, "p", "<0.001"),
        (0.25, "p", "0.250"),
    ],
)
def test_written_numbers(value, number, expected):
    assert number_text(value, number) == expected


@pytest.mark.parametrize(
    "text, expected",
    [("<0.001", 0.001), ("1,200", 1200.0), ("−3.5", -3.5), ("2 of 3", None), ("", None)],
)
def test_numbers_in_words(text, expected):
    assert number_in(text) == expected


def test_cells_of_a_stacked_table(kit):
    errors = view("table3")
    assert errors.header == [("Data set", False), ("PCML", True), ("NCML", True), ("NCA", True)]
    assert [row[0].text for row in errors.rows] == ["Toy", kit.hostile]
    assert [row[0].text for row in errors.summaries] == ["Average rank (min)"]  # no hidden row
    assert [[c.verdict for c in row[1:]] for row in errors.rows] == [
        ["reproduced", "higher", ""],
        ["", "", ""],
    ]
    assert [[c.best for c in row[1:]] for row in [*errors.rows, *errors.summaries]] == [
        [False, True, False],
        [False, False, True],
        [False, True, False],
    ]
    assert errors.counts() == {
        "reproduced": 1,
        "higher": 1,
        "lower": 0,
        "not judged": 4,
        "missing": 1,
    }


def test_every_compared_cell_has_an_address_and_a_name(kit):
    errors = view("table3")
    assert [[c.anchor for c in row[1:]] for row in errors.rows] == [
        ["table3-toy-pcml", "table3-toy-ncml", "table3-toy-nca"],
        ["table3-fixed-pcml", "table3-fixed-ncml", ""],  # the last has no paper's value
    ]
    assert errors.rows[0][1].name == "PCML, Toy"
    assert [c.anchor for c in view("table8").rows[0]] == ["", "", "table8-pcml-plain-rank1", ""]
    assert cell_anchor("t", "a b.c", "x") == "t-a.20b.2ec-x" != cell_anchor("t", "a.20b.2ec", "x")


def test_editions_of_a_cell_stand_in_one_cell():
    table = Table("t", "", [Column("d", "Data set"), Column("e", "Edition")], [Column("m", "M")])
    table.stacked = True
    for key in ("toy", "zoo"):
        for edition, value in (("ours", 3.0), ("paper's protocol", 2.0)):
            cells = [judge_cell(value, 2.5)]
            table.rows.append(Row([key, edition], [key.title(), edition], cells))
    found = view_table(table)
    assert found.header == [("Data set", False), ("M", True)]
    assert found.editions == ["ours", "paper's protocol"]
    assert [[cell.text for cell in row] for row in found.rows] == [["Toy", "3.00"], ["Zoo", "3.00"]]
    (other,) = found.rows[1][1].others
    assert (other.text, other.edition, other.mark) == ("2.00", "paper's protocol", "✓")


def judge_cell(value, paper):
    return small_run.judged(value, 0.25, paper)


def test_the_papers_count_is_shown_where_it_differs():
    column = Column("n", "samples", ",.0f", paper="differing")
    table = Table("t", "", [Column("d", "Data set")], [column])
    table.rows = [Row([d], [d], [Cell(1440, paper=p)]) for d, p in (("a", 1440), ("b", 1441))]
    assert [row[1].paper_text for row in view_table(table).rows] == ["", "1,441"]


def test_rows_and_columns_of_other_tables():
    matching = view("table8")
    assert matching.header == [
        ("Method", False),
        ("Preprocessing", False),
        ("rank 1", True),
        ("fit (s)", True),
    ]
    assert [row[0].note for row in matching.rows] == [None, None, "no metric"]
    assert [c.text for c in matching.rows[0]] == ["PCML", "PCA", "17.00", "0.522"]
    assert [c.verdict for c in matching.rows[1]] == ["", "", "lower", ""]
    assert [c.paper_text for c in matching.rows[2]] == ["", "", "85.50", ""]
    assert matching.counts()["missing"] == 0


def test_cells_of_words_labels_and_details(kit):
    pairwise = view("pairwise")
    assert [is_number for _, is_number in pairwise.header] == [
        False,
        False,
        True,
        True,
        True,
        False,
    ]
    assert [[cell.text for cell in row] for row in pairwise.rows] == [
        ["Toy", "PCML", "", "−3.50", "<0.01", "1.25"],
        ["Toy", kit.hostile, "+1,200.00", "", "0.500", "none, all are equal"],
        ["Zoo", "PCML", "<0.001", "0.250", "<0.001", ""],
    ]
    assert [[cell.ours for cell in row[2:5]] for row in pairwise.rows] == [
        [None, -3.5, 0.01],
        [1200.0, None, 0.5],
        [0.0005, 0.25, 0.0003],
    ]
    assert (pairwise.rows[0][3].detail, pairwise.rows[0][5].label) == ("2–1", "PCML")
    late = pairwise.rows[1][3]
    assert late.missing and late.note == "timeout: NCA _late_"
    assert pairwise.counts()["missing"] == 1 and not pairwise.compared
