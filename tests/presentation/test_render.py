"""A table made by hand: json and back, csv, Markdown, LaTeX; and a kind that is a new file."""

import json

import pytest

from metriclearn.files.errors import PipelineError
from metriclearn.files.store import read_rows, write_rows
from metriclearn.presentation import kinds, tables
from metriclearn.presentation.render import csv_rows, latex, markdown, number_text, signed
from metriclearn.presentation.table import Cell, Column, Row, Table


def example(**options):
    """Two methods on two data sets; a hidden row; a row that only the paper has."""
    return Table(
        "table_x",
        "A & B: error_rate",
        [Column("dataset", "Data set", words=True)],
        [Column("pcml", "PCML"), Column("nca", "N|C*A")],
        [
            Row(
                ["d_1"],
                ["d_1 <new>"],
                [
                    Cell(
                        1.0049,
                        0.25,
                        1.5,
                        limit=0.5,
                        verdict="reproduced",
                        best=True,
                        facts={"folds": 10},
                    ),
                    Cell(3.0, 0.25, 2.0, limit=0.5, verdict="higher", label="NCA"),
                ],
            ),
            Row(
                ["e"],
                ["E"],
                [Cell(note="50% gone"), Cell(2.0, paper=2.125, detail="x", facts={"p": 0.5})],
                note="all of {it}",
                rule=True,
            ),
            Row(["all"], ["all"], [Cell(7.0), Cell(8.0)], hidden=True),
            Row(["printed"], ["printed"], [Cell(paper=4.0), Cell()], rule=True),
        ],
        remarks=["10 % of a_b"],
        legend="how to read it",
        **options,
    )


# The model -----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"stacked": True, "kind": "errors"}])
def test_a_table_goes_to_json_and_back(options):
    table = example(**options)
    text = json.dumps(table.to_dict())
    assert Table.from_dict(json.loads(text)) == table
    assert '"label": ""' not in text  # what has its default is left out


def test_difference_and_missing():
    assert Cell(3.0, paper=2.0).difference == 1.0
    assert Cell("none", paper=2.0).difference is None and Cell(3.0).difference is None
    assert Cell(note="gone").missing
    assert not Cell().missing and not Cell(1.0, note="but").missing


def test_footnotes_in_order_of_appearance_without_hidden_ones():
    table = example()
    table.rows[2].note = "hidden"
    assert table.notes() == ["all of {it}", "50% gone"]


# csv -----------------------------------------------------------------------------------------


def test_csv_has_a_line_per_cell_with_all_digits(tmp_path):
    write_rows(tmp_path / "x.csv", *csv_rows(example()))
    rows = {(r["dataset"], r["column"]): r for r in read_rows(tmp_path / "x.csv")}
    assert len(rows) == 8
    first = rows["d_1", "pcml"]
    assert list(first) == [
        "dataset",
        "column",
        "value",
        "deviation",
        "paper",
        "difference",
        "limit",
        "verdict",
        "best",
        "label",
        "detail",
        "note",
        "folds",
        "p",
    ]
    assert first["value"] == "1.0049" and float(first["difference"]) == 1.0049 - 1.5
    assert (first["limit"], first["verdict"], first["best"]) == ("0.5", "reproduced", "1")
    assert (first["folds"], first["p"]) == ("10", "")
    assert rows["e", "pcml"]["note"] == "50% gone" and rows["e", "pcml"]["value"] == ""
    assert rows["e", "nca"]["note"] == "all of {it}" and rows["e", "nca"]["p"] == "0.5"
    assert rows["all", "nca"]["value"] == "8.0"  # hidden in the others
    assert (rows["printed", "pcml"]["value"], rows["printed", "pcml"]["paper"]) == ("", "4.0")


# Markdown and LaTeX ------------------------------------------------------------------------------


def test_markdown():
    assert markdown(example()).splitlines() == [
        "**A & B: error\\_rate**",
        "",
        "| Data set | PCML | N\\|C\\*A |",
        "| --- | --: | --: |",
        "| d\\_1 &lt;new> | **1.00 ± 0.25 ≈ 1.50** | NCA 3.00 ± 0.25 ≠ 2.00 |",
        "| E<sup>a</sup> | −<sup>b</sup> | 2.00 (x), paper 2.12 |",
        "| printed | 4.00 |  |",
        "",
        "<sup>a</sup> all of {it}",
        "",
        "<sup>b</sup> 50% gone",
        "",
        "10 % of a\\_b",
        "",
        "how to read it",
    ]


def test_markdown_of_a_stacked_table():
    lines = markdown(example(stacked=True)).splitlines()
    assert lines[2:10] == [
        "| Data set |  | PCML | N\\|C\\*A |",
        "| --- | --- | --: | --: |",
        "| d\\_1 &lt;new> | ours | **1.00** | 3.00 |",
        "|  | paper | ≈ 1.50 | ≠ 2.00 |",
        "|  | difference | −0.50 | +1.00 |",
        "| E<sup>a</sup> | ours | −<sup>b</sup> | 2.00 |",
        "|  | paper |  | 2.12 |",
        "|  | difference |  | −0.12 |",
    ]
    assert lines[10] == "| printed | paper | 4.00 |  |"


@pytest.mark.parametrize(
    ("style", "cell", "text"),
    [
        ("beside", Cell(1.0, 0.5, 2.0), "1.00 ± 0.50, paper 2.00"),
        ("beside", Cell(paper=2.0, note="gone"), "−, paper 2.00<sup>a</sup>"),
        ("differing", Cell(2.001, paper=2.0), "2.00"),
        ("differing", Cell(3.0, paper=2.0), "3.00, paper 2.00"),
        ("differing", Cell("none", paper=None), "none"),
        ("difference", Cell(1.0, 0.5, 2.0, verdict="lower"), "1.00 (−1.00 ≠)"),
        ("difference", Cell(1.0, 0.5, 1.0, verdict="reproduced"), "1.00 (0.00 ≈)"),
        ("difference", Cell(1.0, 0.5, 2.0), "1.00 (−1.00)"),
        ("apart", Cell(1.0, 0.5, 2.0, detail="+0.25"), "1.00 (+0.25)"),
        ("apart", Cell(paper=2.0), "2.00"),
    ],
)
def test_ways_to_print_the_papers_value(style, cell, text):
    column = Column("c", "C", paper=style)
    table = Table("t", "T", [Column("r", "R")], [column], [Row(["r"], ["r"], [cell])])
    assert markdown(table).splitlines()[4] == f"| r | {text} |"


def test_latex():
    text = latex(example())
    assert "\\caption{A \\& B: error\\_rate}" in text and "\\label{tab:table_x}" in text
    assert "\\begin{tabular}{lrr}" in text
    assert "d\\_1 $<$new$>$ & \\textbf{1.00 $\\pm$ 0.25 $\\approx$ 1.50}" in text
    assert "E$^{\\mathrm{a}}$ & $-$$^{\\mathrm{b}}$ & 2.00 (x), paper 2.12 \\\\" in text
    assert "$^{\\mathrm{a}}$ all of \\{it\\}" in text and "$^{\\mathrm{b}}$ 50\\% gone" in text
    assert "10 \\% of a\\_b" in text and "how to read it" in text
    assert text.count("\\hline") == 5  # the frame of three, and two rules
    assert "7.00" not in text


def test_latex_of_a_stacked_table_has_a_rule_per_row_of_the_table():
    table = example(stacked=True)
    for row in table.rows:
        row.rule = True
    text = latex(table)
    assert "\\begin{tabular}{llrr}" in text
    assert text.count("\\hline") == 5
    assert "\\hline\nprinted & paper & 4.00 &  \\\\" in text


def test_more_footnotes_than_letters():
    cells = [Cell(note=f"note {i}") for i in range(28)]
    rows = [Row([str(i)], [str(i)], [cell]) for i, cell in enumerate(cells)]
    text = markdown(Table("t", "T", [Column("r", "R")], [Column("c", "C")], rows))
    assert "| 25 | −<sup>z</sup> |" in text and "| 26 | −<sup>aa</sup> |" in text
    assert "<sup>ab</sup> note 27" in text


@pytest.mark.parametrize(
    ("value", "number", "text"),
    [
        (1234567, ",d", "1,234,567"),
        (-0.001, ".2f", "0.00"),
        (-1.5, ".2f", "−1.50"),
        (1.7e-4, ".1e", "1.7e-04"),
        (0.843, ".3g", "0.843"),
        (1931.5, ".3g", "1,932"),
        (0.0004, "p", "<0.001"),
        (0.0123, "p", "0.012"),
        ("none", ".2f", "none"),
    ],
)
def test_numbers_as_text(value, number, text):
    assert number_text(value, number) == text


def test_differences_have_a_sign():
    assert [signed(d) for d in (0.5, -0.5, 0.001, -0.001)] == ["+0.50", "−0.50", "0.00", "0.00"]
    assert signed(-1200, ",d") == "−1,200"


# Kinds ---------------------------------------------------------------------------------------

NEW_KIND = """\
from metriclearn.presentation.table import Cell, Column, Row, Table


def make(run, name, item, collected):
    row = Row(["x"], ["X"], [Cell(1)])
    return Table(name, "New", [Column("a", "A")], [Column("b", "B")], [row])
"""


def test_a_kind_is_a_file_in_the_folder(tmp_path, monkeypatch):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/brand_new.py").write_text(NEW_KIND)
    (tmp_path / "tables/_helper.py").write_text("")
    monkeypatch.setattr(kinds, "__file__", str(tmp_path / "kinds.py"))
    monkeypatch.setattr(tables, "__path__", [*tables.__path__, str(tmp_path / "tables")])
    assert kinds.list_kinds("tables") == ["brand_new"]
    made = kinds.load_kind("tables", "mine", "brand_new").make(None, "mine", {}, {})
    assert markdown(made).splitlines()[4] == "| X | 1.00 |"


def test_the_kinds_of_tables():
    assert kinds.list_kinds("tables") == [
        "average_ranks",
        "claims",
        "datasets",
        "errors",
        "headline",
        "matching",
        "pairwise",
        "pairwise_images",
        "statistics",
        "stopping",
        "variants",
    ]
    for kind in kinds.list_kinds("tables"):
        module = kinds.load_kind("tables", "x", kind)
        assert callable(module.make)
        assert hasattr(module, "paper") == (kind not in ("pairwise_images", "stopping"))
        own_inputs = kind in ("average_ranks", "claims", "errors", "pairwise_images", "statistics")
        assert hasattr(module, "inputs") == own_inputs
    with pytest.raises(
        PipelineError, match="x: unknown kind 'nope'; kinds of tables are average_ranks, claims,"
    ):
        kinds.load_kind("tables", "x", "nope")
