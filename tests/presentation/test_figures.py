"""Kinds of figures: their charts are valid Vega-Lite with every value, and their colours stay."""

import re

import pytest
import small_run
import vl_convert

from metriclearn.experiment.methods import list_methods
from metriclearn.presentation.figure import FigureData
from metriclearn.presentation.figures._chart import powers_of_ten
from metriclearn.presentation.figures._style import PALETTE, colour
from metriclearn.presentation.figures.curves import (
    curve_panel,
    draw_curves,
    shown_preprocessings,
)
from metriclearn.presentation.figures.gap import gap_panel, linear_part
from metriclearn.presentation.figures.sweep import error_chart, time_chart
from metriclearn.presentation.figures.times import time_panels
from metriclearn.presentation.kinds import list_kinds, load_kind
from metriclearn.presentation.missing import summarise_missing, table_missing


def field(spec, key):
    """The values of a field of all points."""
    return [point.get(key) for point in spec["data"]["values"]]


def test_kinds_of_figures():
    assert list_kinds("figures") == [
        "agreement",
        "curves",
        "gap",
        "grid",
        "ranks",
        "sweep",
        "times",
    ]
    for kind in list_kinds("figures"):
        assert callable(load_kind("figures", "figure", kind).make)


def test_every_chart_compiles_and_is_described():
    for figure in small_run.figures():
        for panel in figure.panels:
            assert panel.spec["description"] and panel.spec["width"] == "container"
            assert vl_convert.vegalite_to_vega(panel.spec)["marks"]


def test_what_is_saved_is_read_again():
    for figure in small_run.figures():
        assert FigureData.from_dict(figure.to_dict()) == figure


def test_sweep_chart():
    spec = error_chart("Errors.", small_run.sweep_rows(), "C", "method.C")
    assert list(zip(field(spec, "series"), field(spec, "x"), field(spec, "y"), strict=True)) == [
        ("PCML", 0.01, 25.0),
        ("PCML", 0.1, 24.5),
        ("PCML", 1.0, 26.25),
        ("NCML", 0.01, 28.0),
        ("NCML", 0.1, 27.0),
    ]
    assert spec["encoding"]["x"]["scale"]["type"] == "log"
    assert spec["encoding"]["x"]["axis"]["values"] == [0.01, 0.1, 1.0]
    assert "type" not in spec["encoding"]["y"]["scale"]


def test_times_over_a_setting_have_a_band():
    times = {"fit_cpu_s": 2.0, "fit_cpu_s_low": 1.0, "fit_cpu_s_high": 3.0}
    rows = [{"method": "pcml", "title": "PCML", "value": "20", **times}]
    spec = time_chart("Times.", rows, "PCA dimension", "protocol.pca")
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "point"]
    assert (field(spec, "low"), field(spec, "y"), field(spec, "high")) == ([1.0], [2.0], [3.0])
    assert spec["encoding"]["y"]["scale"]["zero"]


def test_gaps_may_be_negative():
    rows = small_run.gap_rows()
    panel = gap_panel("PCML on Toy, C = 0.9", rows)
    assert panel.title == "alternation with LibSVM: 1,000 samples, 4,000 pairs"
    assert field(panel.spec, "gap") == [100.0, 1.0, 0.01, 160.0, -30.0]
    y = panel.spec["encoding"]["y"]
    assert y["scale"]["type"] == "symlog" and y["scale"]["constant"] == linear_part(rows) == 0.1
    low, high = y["scale"]["domain"]
    assert low < -30.0 and high > 160.0
    assert y["axis"]["values"] == [-10.0, -1.0, -0.1, 0.0, 0.1, 1.0, 10.0, 100.0]


def test_bars_of_times():
    toy, other = time_panels(small_run.time_rows())  # Lost has no result: no panel
    assert (toy.title, other.title) == ("Toy", small_run.HOSTILE)
    assert field(toy.spec, "value") == [0.25, 12.5] and field(toy.spec, "text") == ["0.25", "12"]
    assert field(other.spec, "value") == [300.0, None]
    assert field(other.spec, "text") == ["300", "no result"]
    assert field(other.spec, "said") == [
        "300 s, mean of 10 folds",
        f"no result, timeout: {small_run.LATE}",
    ]
    scales = [panel.spec["layer"][0]["encoding"]["x"]["scale"] for panel in (toy, other)]
    assert scales[0] == scales[1] and scales[0]["type"] == "log"  # bars of panels compare


def test_curves_have_the_papers_methods_on_top_and_first_in_the_legend():
    panel = curve_panel("ROC", "sift + attribute", small_run.curve_rows(), "roc")
    assert panel.title == "sift + attribute"
    drawn = list(dict.fromkeys(field(panel.spec, "series")))
    assert drawn == ["Euclidean (85.9 %)", "PCML (85.9 %)", "NCML (85.9 %)"]
    assert panel.spec["encoding"]["color"]["scale"]["domain"] == drawn[::-1]
    assert field(panel.spec, "y")[:3] == [0.3, 0.5, 1.0]
    assert field(panel.spec, "std")[:3] == [0.05] * 3
    ends = {one["as"]: one["calculate"] for one in panel.spec["transform"]}
    assert ends == {"low": "datum.y - datum.std", "high": "datum.y + datum.std"}
    ranks = curve_panel("CMC", "sift + attribute", small_run.curve_rows(), "cmc")
    assert field(ranks.spec, "y")[:3] == [30.0, 50.0, 100.0]  # in percent


def test_curves_of_a_feature_stand_side_by_side():
    table = {"preprocess": ["plain", "whiten", "chosen"]}
    assert shown_preprocessings({"preprocess": None}, table) == ["plain", "chosen"]
    assert shown_preprocessings({"preprocess": None}, {"preprocess": ["plain"]}) == ["plain"]
    assert shown_preprocessings({"preprocess": "whiten"}, table) == ["whiten"]
    names = [("a", "PCA"), ("a", "chosen"), ("b", "PCA")]
    shown = {name: small_run.curve_rows() for name in names}
    panels = draw_curves(shown, "Faces", "roc", 2).axes
    assert [axes.get_title() for axes in panels[:3]] == [
        "Faces, a\nPCA",
        "Faces, a\nchosen",
        "Faces, b\nPCA",
    ]
    assert [axes.axison for axes in panels] == [True, True, True, False]  # a gap stays empty


def test_ticks():
    assert powers_of_ten(5e-5, 2e4, 5) == [1e-4, 1e-2, 1.0, 100.0, 1e4]
    assert powers_of_ten(1.0, 10.0) == [1.0, 10.0]


def test_colours_are_those_of_the_methods_files():
    assert (colour("pcml"), colour("ncml")) == ("#D55E00", "#0072B2")
    assert all(re.fullmatch("#[0-9A-F]{6}", colour(method)) for method in list_methods())
    assert colour("no_such_method") == colour("no_such_method") in PALETTE


def test_what_is_missing_is_said_shortly():
    late, lost = "timeout: late", "unavailable: lost"
    cells = {
        ("Toy", "A"): None,
        ("Toy", "B"): late,
        ("Big", "A"): None,
        ("Big", "B"): late,
        ("Gone", "A"): lost,
        ("Gone", "B"): lost,
        ("Odd", "A"): late,
        ("Odd", "B"): None,
        ("Odd", "C"): late,
        ("Toy", "C"): None,
    }
    assert summarise_missing(cells) == [
        ("Gone", lost),
        ("Toy: B", late),
        ("Big: B", late),
        ("Odd: A, C", late),
    ]
    rows = {("x", "A"): late, ("y", "A"): late, ("x", "B"): None, ("y", "B"): None}
    assert summarise_missing(rows) == [("A", late)]
    assert summarise_missing({("x", "A"): lost, ("y", "B"): lost}) == [("everything", lost)]
    assert summarise_missing({("x", "A"): None}) == []


@pytest.mark.parametrize(
    "name, expected",
    [
        ("table3", [("NCA: Toy", f"timeout: {small_run.LATE}")]),
        ("table2", [("Lost", "unavailable: no file")]),
        ("table8", []),
        ("pairwise", [(f"NCA: Toy, {small_run.HOSTILE}", "timeout: NCA _late_")]),
    ],
)
def test_missing_values_of_a_table(name, expected):
    table = next(table for table in small_run.tables() if table.name == name)
    assert table_missing(table) == expected
