"""What is compared with what, the table of tests over data sets, and the diagram of ranks."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from metriclearn.analysis.compared import Comparison, all_titles, comparisons
from metriclearn.analysis.ranks import average_ranks
from metriclearn.experiment.run import Run
from metriclearn.files.columns import ROW_COLUMNS, TIME_COLUMNS
from metriclearn.files.store import read_rows, write_rows
from metriclearn.presentation.figures.ranks import comparison_ranks, draw_ranks
from metriclearn.presentation.kinds import depends_on, inputs_of
from metriclearn.presentation.make import make_figure, make_table
from metriclearn.presentation.render import csv_rows, markdown
from metriclearn.presentation.tables.statistics import comparison_rows, statistics_table
from metriclearn.stages.collect import DATA_COLUMNS

ITEM = {"group": "all"}


@pytest.fixture(scope="module")
def paper():
    """The run of the paper, of which no job is done: what is left are the paper's numbers."""
    run = Run("paper")
    found = {c.scope: c for c in comparisons(run, ITEM, []) if c.source == "paper"}
    return SimpleNamespace(run=run, scopes=found, titles=all_titles(run, ITEM))


def part_of(run, *datasets):
    """A run as far as comparisons look at it, of these data sets only."""
    names = ("experiment", "protocol", "repeats", "methods", "datasets")
    return SimpleNamespace(
        **{name: getattr(run, name) for name in names}, group=lambda group: list(datasets)
    )


def toy(errors, left_out=None):
    frame = pd.DataFrame.from_dict(errors, orient="index")
    return Comparison("ours", "methods", frame, left_out or {})


# What is compared ---------------------------------------------------------------------------


def test_the_papers_numbers_with_all_methods_and_on_all_data_sets(paper):
    methods, datasets = paper.scopes.values()
    assert (len(methods.errors), len(methods.methods)) == (12, 10)
    assert methods.left_out == {"mnist": ["mcml"]}
    assert (len(datasets.errors), len(datasets.methods)) == (13, 9)
    assert datasets.left_out == {"mcml": ["mnist"]}
    assert not {"doublet_svm", "kissme"} & set(methods.methods)


def test_missing_results_and_extra_methods_are_not_compared(paper):
    small = part_of(paper.run, "letter", "usps")
    rows = [
        {
            "dataset": d,
            "method": m,
            "repeat": str(seed),
            "fold": "0",
            "status": "ok",
            "message": "",
            "error": "0.25",
        }
        for d in ("letter", "usps")
        for m in ("euclidean", "pcml", "kissme")
        for seed in range(1 if m == "euclidean" else 10)
    ]
    rows[-11].update(status="failed", error="")  # pcml on usps
    ours = {c.scope: c for c in comparisons(small, ITEM, rows) if c.source == "ours"}
    assert ours["ours_all_methods"].errors.to_dict("index") == {
        "letter": {"euclidean": 25.0, "pcml": 25.0}
    }
    assert ours["ours_all_datasets"].errors.to_dict("index") == {
        "letter": {"euclidean": 25.0},
        "usps": {"euclidean": 25.0},
    }
    left_out = ours["ours_all_methods"].left_out
    assert left_out["usps"][-2:] == ["pcml", "ncml"] and left_out["ncml"] == []
    assert "pcml" not in left_out and "euclidean" not in left_out


# Over all data sets -------------------------------------------------------------------------


def test_rows_of_the_papers_own_numbers(paper):
    comparison = paper.scopes["paper_all_methods"]
    rows = comparison_rows(comparison, paper.titles)
    counts = {
        test: sum(row["test"] == test for row in rows)
        for test in dict.fromkeys(row["test"] for row in rows)
    }
    assert counts == {
        "scope": 1,
        "average_rank": 10,
        "friedman": 1,
        "iman_davenport": 1,
        "nemenyi_cd": 1,
        "nemenyi": 45,
        "wilcoxon": 45,
        "wilcoxon_pcml": 9,
        "wilcoxon_ncml": 9,
    }
    assert rows[0]["note"] == "left out: MNIST (lacks MCML)"
    ranks = {row["method_a"]: row["statistic"] for row in rows if row["test"] == "average_rank"}
    assert ranks == pytest.approx(average_ranks(comparison.errors).to_dict())
    by_test = {row["test"]: row for row in rows}
    assert by_test["nemenyi_cd"]["statistic"] == pytest.approx(3.164 * (110 / 72) ** 0.5, abs=1e-3)


def test_the_table_shows_the_tests_and_the_csv_has_all_pairs(paper):
    rows = [row for scope in paper.scopes.values() for row in comparison_rows(scope, paper.titles)]
    table = statistics_table(rows, paper.titles)
    lines = markdown(table).splitlines()
    assert lines[2] == "| Test | Method | Against | paper, all methods | paper, all data sets |"
    assert lines[4] == "| Data sets |  |  | 12<sup>a</sup> | 13<sup>b</sup> |"
    assert (
        "| Friedman: chi-square (p) |  |  | **34.79 (&lt;0.001)** | **35.22 (&lt;0.001)** |"
        in lines
    )
    assert "| Pairs that differ, Nemenyi |  |  | 5 of 45 | 5 of 36 |" in lines
    assert "| Average rank | PCML |  | **3.17** | **3.23** |" in lines
    assert "| Average rank | MCML |  | **6.96** |  |" in lines
    assert "| Wilcoxon: p (wins–losses) | PCML | NCA | 0.463 (9–3) | 0.287 (10–3) |" in lines
    _, made = csv_rows(table)
    assert sum(row.hidden for row in table.rows) == 2 * 45
    found = {(r["test"], r["method_a"], r["method_b"], r["column"]): r for r in made}
    for row in rows:
        if row["test"] != "scope":
            key = row["test"], row.get("method_a") or "", row.get("method_b") or "", row["scope"]
            for fact in ("statistic", "p", "p_holm", "significant", "wins", "losses"):
                assert found[key].get(fact) == row.get(fact)


@pytest.mark.parametrize("scope", ["paper_all_methods", "paper_all_datasets"])
def test_how_certain_the_papers_claim_is_by_its_own_numbers(paper, scope):
    rows = comparison_rows(paper.scopes[scope], paper.titles)

    def beaten(test, first):
        return {
            ({r["method_a"], r["method_b"]} - {first}).pop()
            for r in rows
            if r["test"] == test and r["significant"] and first in (r["method_a"], r["method_b"])
        }

    assert next(r for r in rows if r["test"] == "friedman")["significant"] == 1
    assert beaten("wilcoxon_pcml", "pcml") == beaten("wilcoxon_ncml", "ncml") == {"ldml"}
    assert beaten("nemenyi", "pcml") == {"ldml", "dml_eig"}


def test_wins_are_where_the_first_method_errs_less():
    errors = {
        f"d{i}": {"pcml": float(i), "ncml": i + 0.5 - 2.0 * (i == 0), "nca": float(i)}
        for i in range(7)
    }
    rows = comparison_rows(toy(errors), {})
    against = {row["method_b"]: row for row in rows if row["test"] == "wilcoxon_pcml"}
    assert (against["ncml"]["wins"], against["ncml"]["losses"]) == (6, 1)
    assert (against["nca"]["wins"], against["nca"]["losses"], against["nca"]["p"]) == (0, 0, 1.0)
    p = against["ncml"]["p"]
    assert against["ncml"]["p_holm"] == pytest.approx(min(1.0, 2 * p))  # of two comparisons


@pytest.mark.parametrize(
    ("size", "methods", "reason"),
    [
        (2, "abc", "2 data sets: too few for a test, which needs at least 6"),
        (1, "abc", "1 data set: too few for a test, which needs at least 6"),
        (6, "ab", "2 methods: too few for a test, which needs at least 3"),
    ],
)
def test_too_few(size, methods, reason):
    errors = {f"d{i}": {m: float(ord(m)) for m in methods} for i in range(size)}
    rows = comparison_rows(toy(errors), {})
    ranks = [row["statistic"] for row in rows if row["test"] == "average_rank"]
    assert ranks == list(range(1, len(methods) + 1))
    assert [row["note"] for row in rows if row["test"] == "friedman"] == [reason]
    assert {row["test"] for row in rows} == {"scope", "average_rank", "friedman"}


def test_nothing_to_compare():
    rows = comparison_rows(toy({}, {"gone": []}), {"gone": "Gone"})
    assert rows[0]["note"] == "left out: Gone (no results)"
    assert [row["test"] for row in rows] == ["scope", "friedman"]
    assert rows[1]["note"].startswith("0 data sets: too few")


# The diagram --------------------------------------------------------------------------------


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def lines_of(axes):
    return {line.get_gid(): np.asarray(line.get_xydata()) for line in axes.lines if line.get_gid()}


def test_the_diagram_shows_ranks_and_groups_where_they_are(paper):
    rows = comparison_ranks(paper.scopes["paper_all_methods"], paper.titles)
    figure = draw_ranks(rows)
    (axes,) = figure.axes
    found = lines_of(axes)
    for row in rows:
        assert found[row["method"]][0] == pytest.approx([row["rank"], 0.0])
        below = [np.interp(row["rank"], *found[f"group{g}"].T) for g in row["groups"].split()]
        assert all(found[row["method"]][1][1] < y < 0 for y in below)  # its line crosses its groups
    limit = rows[0]["critical_difference"]
    assert np.diff(found["critical_difference"][:, 0]) == pytest.approx([limit])
    shown = texts(figure)
    assert "The paper's numbers: 10 methods, 12 data sets" in shown
    assert "  critical difference 3.91" in shown
    assert "PCML  3.17" in shown and "8.79  LDML" in shown
    assert [row["groups"] for row in rows[:2]] == ["1", "1 2"]
    heights = [text.get_position()[1] for text in axes.texts if "  " in text.get_text()[1:]]
    assert len(set(np.round(heights, 6))) == 5 and len(heights) == 10  # five names on either side


def test_names_stay_inside_the_picture(paper):
    figure = draw_ranks(comparison_ranks(paper.scopes["paper_all_datasets"], paper.titles))
    figure.canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height


def test_a_breadth_that_changes_nothing_is_left_out(paper):
    """Ours without missing results, the paper's with one."""
    run = part_of(paper.run, "letter", "usps")
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": "0",
            "fold": "0",
            "status": "ok",
            "message": "",
            "error": "0.25",
        }
        for dataset in ("letter", "usps")
        for method in run.methods
    ]
    found = comparisons(run, ITEM, rows)
    scopes = [comparison.scope for comparison in found]
    assert scopes == ["ours_all_methods", "paper_all_methods", "paper_all_datasets"]


def test_the_diagram_has_a_panel_for_each_comparison_below_the_other(paper):
    rows = comparison_ranks(paper.scopes["paper_all_methods"], paper.titles)
    ours = [{**row, "scope": "ours_all_methods", "source": "ours"} for row in rows]
    upper, lower = draw_ranks(ours + rows).axes
    assert upper.texts[0].get_text() == "Ours: 10 methods, 12 data sets"
    assert lower.texts[0].get_text() == "The paper's numbers: 10 methods, 12 data sets"
    assert upper.get_position().y0 >= lower.get_position().y1


# As items of a run --------------------------------------------------------------------------


def test_two_data_sets_make_tables_and_a_figure_that_say_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = Run("smoke")
    for item in ("statistics", "pairwise"):
        assert inputs_of(run, "tables", item)["rows"] == ["results/smoke/uci.rows.csv"]
    assert inputs_of(run, "figures", "ranks")["rows"] == ["results/smoke/uci.rows.csv"]
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": repeat,
            "fold": fold,
            "status": "ok",
            "error": (i + fold) / 100,
            "n_train": 90,
            "n_test": 10,
        }
        for dataset in run.main_datasets()
        for i, method in enumerate(run.methods)
        for repeat in range(run.repeats(dataset))
        for fold in range(2)
    ]
    write_rows("results/smoke/uci.rows.csv", ROW_COLUMNS, rows)
    write_rows("results/smoke/uci.times.csv", TIME_COLUMNS, [])
    write_rows("results/smoke/uci.data.csv", DATA_COLUMNS, [])
    write_rows("results/smoke/uci_grid.rows.csv", ROW_COLUMNS, [])
    make_table(run, "statistics")
    text = (tmp_path / "results/smoke/tables/statistics.md").read_text(encoding="utf-8")
    assert "2 data sets: too few for a test, which needs at least 6" in text
    # Nothing is missing: all methods and all data sets are the same.
    assert "| Test | Method | Against | ours, all methods | paper, all methods |\n" in text
    assert "Doublet-SVM and KISSME are not in the paper's Table 3, and are left out of all" in text
    made = read_rows("results/smoke/tables/statistics.csv")
    assert {row["column"] for row in made} == {"ours_all_methods", "paper_all_methods"}
    made = make_table(run, "pairwise").rows[:-2]
    values = [cell.value for row in made for cell in row.cells if cell.value is not None]
    assert len(values) == 2 * (17 + 1)  # PCML and NCML are seen from both sides
    figure = make_figure(run, "ranks")
    assert figure.rows[0]["note"].startswith("2 data sets: too few")
    few = "2 data sets: too few for a test, which needs at least 6"
    assert figure.missing == [("Ours: 10 methods, 2 data sets", few)]
    shown = texts(figure.draw())  # the paper's numbers, of nine data sets
    assert "The paper's numbers: 10 methods, 9 data sets" in shown
    assert not any("Ours" in text or "too few" in text for text in shown)


def test_a_change_of_the_papers_numbers_reruns_them(paper, monkeypatch):
    def config():
        return depends_on(paper.run, "tables", "statistics"), depends_on(
            paper.run, "figures", "ranks"
        )

    before, times = config(), depends_on(paper.run, "figures", "figure4")
    for kind in ("tables.statistics", "figures.ranks"):
        monkeypatch.setattr(f"metriclearn.presentation.{kind}.paper", lambda run, item: ["changed"])
    after = config()
    assert all(a["paper"] != b["paper"] for a, b in zip(before, after, strict=True))
    assert depends_on(paper.run, "figures", "figure4") == times
