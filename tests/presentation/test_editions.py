"""Our errors under the paper's protocol beside those tuned on training parts."""

import json

import pytest

from metriclearn.analysis.compared import comparisons
from metriclearn.experiment.run import Run
from metriclearn.presentation.figures import grid as grid_figure
from metriclearn.presentation.figures import times
from metriclearn.presentation.figures.ranks import rank_rows
from metriclearn.presentation.render import latex, markdown
from metriclearn.presentation.table import Table
from metriclearn.presentation.tables import average_ranks, claims, errors, statistics
from metriclearn.stages.collect import DATA_COLUMNS

DATASETS = ("breast_tissue", "ilpd", "parkinsons", "segmentation", "sonar", "cardiotocography")
METHODS = ("euclidean", "nca", "pcml", "ncml", "kissme")
ITEM = {"kind": "errors", "group": "uci", "paper": "table3"}
ALL = {"group": "all"}


@pytest.fixture(scope="module")
def run():
    names, methods = (",".join(found) for found in (DATASETS, METHODS))
    changes = [f"experiment.datasets=[{names}]", f"experiment.methods=[{methods}]"]
    small = ["protocol.repeats=2", "protocol.folds=2", "experiment.grid_repeats.small=2"]
    return Run("smoke", [*changes, *small, "experiment.banner=null"])


def fold_row(dataset, method, repeat, fold, error):
    return {
        "dataset": dataset,
        "method": method,
        "repeat": str(repeat),
        "fold": str(fold),
        "status": "ok",
        "message": "",
        "n_train": "90",
        "n_test": "10",
        "error": str(error),
    }


@pytest.fixture(scope="module")
def collected(run):
    """By the training parts KISSME is best and PCML worst, by the test parts the reverse."""
    folds = [(d, repeat, fold) for d in DATASETS for repeat in range(2) for fold in range(2)]
    tuned = {"euclidean": 0.20, "nca": 0.21, "pcml": 0.30, "ncml": 0.25, "kissme": 0.10}
    rows = [
        fold_row(d, method, r, f, error + 0.01 * r)
        for method, error in tuned.items()
        for d, r, f in folds
    ]
    by_C = {0.01: 0.18, 0.1: 0.12, 1.0: 0.14}
    grids = {
        "euclidean": [({}, 0.20)],
        "nca": [({}, 0.21)],
        "pcml": [({"C": C, "k": k}, e + 0.1 * (k - 1)) for C, e in by_C.items() for k in (1, 2)],
        "ncml": [({"C": C, "k": k}, e + 0.03 * k) for C, e in by_C.items() for k in (1, 2)],
        "kissme": [({"k": 1}, 0.4)],
    }
    grid = [
        {**fold_row(d, method, r, f, error + 0.01 * r), "candidate": json.dumps(candidate)}
        for method, candidates in grids.items()
        for candidate, error in candidates
        for d, r, f in folds
    ]
    data = [
        {**dict.fromkeys(DATA_COLUMNS, ""), "dataset": d, "title": run.dataset_title(d)}
        for d in DATASETS
    ]
    return {"rows": rows, "grid": grid, "data": data, "times": []}


@pytest.fixture(scope="module")
def table3(run, collected):
    return errors.make(run, "table3", ITEM, collected)


def cells(table):
    return {
        (*row.keys, column.key): cell
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    }


def test_a_cell_has_three_numbers_and_each_of_ours_its_verdict(table3):
    found = cells(table3)
    ours, protocol = (found["sonar", edition, "pcml"] for edition in ("ours", "protocol"))
    assert ours.value == pytest.approx(30.5) and protocol.value == pytest.approx(12.5)
    assert ours.paper == protocol.paper == 12.71
    assert (ours.verdict, protocol.verdict) == ("higher", "reproduced")
    assert protocol.facts["chosen"] == '{"C": 0.1, "k": 1}' and "chosen" not in ours.facts
    assert protocol.deviation == pytest.approx(0.5**0.5) and protocol.facts["folds"] == 4
    assert protocol.behind["chosen"] == [["C = 0.1, k = 1", 4]]
    assert protocol.behind["parts"] == [[0, 12.0], [1, 13.0]]
    assert ours.behind["parts"] == [[0, 30.0], [1, 31.0]]
    assert table3.sources == ["uci.rows.csv", "uci_grid.rows.csv"]
    assert found["sonar", "ours", "kissme"].best and not found["sonar", "protocol", "kissme"].best


def test_ranks_and_means_of_both_editions_with_and_without_other_methods(table3):
    found = cells(table3)

    def values(key, edition):
        return [found[key, edition, m].value for m in METHODS]

    assert values("average_rank", "ours") == [1.0, 2.0, 4.0, 3.0, None]
    assert values("average_rank", "protocol") == [3.0, 4.0, 1.0, 2.0, None]
    assert values("average_rank_every", "ours") == [2.0, 3.0, 5.0, 4.0, 1.0]
    assert values("average_rank_every", "protocol") == [3.0, 4.0, 1.0, 2.0, 5.0]
    assert values("mean_error", "protocol")[:4] == pytest.approx([20.5, 21.5, 12.5, 15.5])
    papers = [38.00, 33.96, 5.68, 2.12, 12.71, 18.50]  # PCML in Table 3
    assert found["mean_error", "ours", "pcml"].paper == pytest.approx(sum(papers) / 6)


def test_text_of_three_numbers(table3):
    lines = markdown(table3).splitlines()
    assert lines[2] == "| Data set |  | Euclidean | NCA | PCML | NCML | KISSME |"
    first = next(i for i, line in enumerate(lines) if line.startswith("| Sonar"))
    assert lines[first : first + 3] == [
        "| Sonar | ours | 20.50 ≠ | 21.50 ≠ | 30.50 ≠ | 25.50 ≠ | **10.50** |",
        "|  | paper's protocol | 20.50 ≠ | 21.50 ≠ | **12.50 ≈** | 15.50 ≠ | 40.50 |",
        "|  | paper | 12.98 | 15.40 | 12.71 | 13.29 |  |",
    ]
    text = "\n".join(lines)
    assert "chosen by test errors, as the paper seems to have done it" in text
    assert "repetitions: at most 2, on the larger sets 1 where there is something to choose" in text
    assert Table.from_dict(json.loads(json.dumps(table3.to_dict()))) == table3
    assert latex(table3).count("\\hline") < 16  # none between the editions of a data set


def test_claims_under_both_protocols(run, collected):
    table = claims.make(run, "claims", ALL, collected)
    assert [column.key for column in table.columns] == [
        "paper",
        "protocol",
        "protocol_holds",
        "ours",
        "holds",
    ]
    said = {row.keys[0]: [cell.value for cell in row.cells] for row in table.rows}
    _, protocol, holds_by_it, ours, holds = said["best_ranks"]
    assert (holds_by_it, holds) == ("yes", "no")
    assert protocol.startswith("PCML 1.00, NCML 2.00, Euclidean 3.00")
    assert ours.startswith("Euclidean 1.00, NCA 2.00")
    assert said["best_ranks_every"][3].startswith("KISSME 1.00")
    assert said["best_ranks_every"][2] == "yes"
    notes = {row.keys[0]: row.cells[1].note for row in table.rows}
    assert notes["best_ranks"].startswith("over 6 data sets")
    assert "do not differ (Nemenyi)" in notes["best_ranks"]
    assert said["errors_pcml"][3] == "0 of 6 reproduced"
    # By test errors 12.50 everywhere; the highest error of the grid is 18 + 10 + 0.5.
    assert "Breast Tissue 12.50 (38.00), nearest 28.50 with C = 0.01, k = 2" in notes["errors_pcml"]
    assert "Sonar" not in notes["errors_pcml"]
    assert said["fastest_uci"][1:3] == [None, None]  # the protocol says nothing of times


def test_without_grids_there_is_one_edition(run, collected):
    alone = {**collected, "grid": []}
    table = errors.make(run, "table3", ITEM, alone)
    assert [column.key for column in table.stub] == ["dataset"]
    assert [row.keys[0] for row in table.rows[6:]] == ["average_rank", "average_rank_printed"]
    columns = claims.make(run, "claims", ALL, alone).columns
    assert [column.key for column in columns] == ["paper", "ours", "holds"]


def test_comparisons_of_all_three_and_with_every_method(run, collected):
    found = {c.scope: c for c in comparisons(run, ALL, collected["rows"], collected["grid"])}
    assert list(found)[:3] == ["ours_all_methods", "protocol_all_methods", "paper_all_methods"]
    assert list(found)[-2:] == ["ours_all_every", "protocol_all_every"]
    assert found["protocol_all_methods"].methods == ["euclidean", "nca", "pcml", "ncml"]
    assert "kissme" in found["ours_all_every"].methods
    table = statistics.make(run, "statistics", ALL, collected)
    titles = [column.title for column in table.columns]
    assert titles[1] == "paper's protocol, all methods"
    assert titles[-1] == "paper's protocol, with methods that the paper lacks"
    panels = {row["scope"] for row in rank_rows(run, ALL, collected["rows"], collected["grid"])}
    assert panels == set(found)


def test_average_ranks_and_mean_errors_side_by_side(run, collected):
    found = cells(average_ranks.make(run, "average_ranks", ALL, collected))
    assert found["methods", "pcml", "ours_rank"].value == 4.0
    assert found["methods", "pcml", "protocol_rank"].value == 1.0
    assert found["methods", "pcml", "protocol_error"].value == pytest.approx(12.5)
    assert found["every", "kissme", "ours_rank"].value == 1.0
    assert found["every", "kissme", "paper_rank"].value is None
    assert found["methods", "datasets", "paper_rank"].value == 9  # all of Table 3
    assert found["methods", "friedman", "ours_rank"].value == pytest.approx(18.0)  # 3 · 6
    limit = found["methods", "critical_difference", "ours_rank"].value
    assert limit == pytest.approx(2.569 * (20 / 36) ** 0.5, abs=1e-3)
    assert [found["methods", m, "ours_rank"].best for m in METHODS[:4]] == [
        True,
        True,
        False,
        False,
    ]


def test_error_against_a_parameter_with_the_others_as_chosen(run, collected):
    item = {"group": "all", "methods": ["pcml", "ncml"], "key": "C"}
    figure = grid_figure.make(run, "figure3", item, collected)
    own = [r for r in figure.rows if (r["dataset"], r["method"]) == ("sonar", "pcml")]
    assert [(r["value"], r["chosen"], r["others"]) for r in own] == [
        (0.01, 0, '{"k": 1}'),
        (0.1, 1, '{"k": 1}'),
        (1.0, 0, '{"k": 1}'),
    ]
    assert [r["error"] for r in own] == pytest.approx([18.5, 12.5, 14.5])
    assert {r["paper"] for r in own} == {12.71} and not figure.missing
    assert len(figure.panels) == 6 and len(figure.draw().axes) == 6
    assert figure.draw().axes[0].get_title() == f"{figure.panels[0].title}\nk = 1"
    for row in own:
        row["others"] = '{"k": 2}'
    (title,) = [a.get_title() for a in figure.draw().axes if a.get_title().startswith("Sonar")]
    assert title == "Sonar\nk = 2, NCML 1"
    series = {point["series"] for point in figure.panels[0].spec["data"]["values"]}
    assert series == {"PCML, k = 1", "PCML, paper", "NCML, k = 1", "NCML, paper"}
    empty = grid_figure.make(run, "figure3", item, {"grid": []})
    assert empty.missing and not empty.panels and empty.draw is None


def test_times_are_those_of_fits_that_ran_alone(run, collected):
    head = {"dataset": "sonar", "method": "pcml", "status": "ok", "message": ""}
    timing = [{**head, "fit_cpu_s": "2.0"}, {**head, "fit_cpu_s": "4.0"}]
    found = {**collected, "times": [{**head, "fit_cpu_s": "9.0"}]}
    for more, seconds in (({}, 9.0), ({"timing": timing, "timing_rows": timing}, 3.0)):
        figure = times.make(run, "figure4", ALL, {**found, **more})
        (row,) = [r for r in figure.rows if r.get("fit_cpu_s")]
        assert row["fit_cpu_s"] == seconds
        assert ("that ran alone" in figure.caption) == bool(more)
    (notes,) = {text.get_text() for text in figure.draw().axes[0].texts if "methods" in str(text)}
    assert notes == f"no result: {len(run.methods) - 1} methods"  # all but PCML
