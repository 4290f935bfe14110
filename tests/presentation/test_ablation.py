"""Ablations: what a variant is, the tables by hand, and the paper's stopping rule."""

import csv
import shlex

import pytest

from metriclearn.experiment import commands
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.identity import digest
from metriclearn.experiment.run import Run
from metriclearn.files.errors import PipelineError
from metriclearn.files.job import beside
from metriclearn.files.store import read_rows, write_rows
from metriclearn.presentation.render import markdown
from metriclearn.presentation.tables import stopping as stopping_kind
from metriclearn.presentation.tables import variants
from metriclearn.stages.collect import collect
from metriclearn.stages.stopping import stopped_as_in_the_paper, stopping, stopping_iteration

ITEM = {
    "kind": "variants",
    "title": "which pairs",
    "datasets": ["sonar", "ilpd"],
    "methods": ["pcml"],
    "repeats": 2,
    "variants": {"nearest": [], "farthest": ["pairs.dissimilar=farthest"]},
}


@pytest.fixture(scope="module")
def run():
    return Run("paper")


# Variants ---------------------------------------------------------------------------------------


def sources(run, name, dataset, method):
    """Of one method on one data set: {label: [(file, experiment)]}."""
    found = {}
    for label, file, chosen in run.ablations.sources(name):
        if f"/{dataset}" in file and chosen["method"] == method:
            found.setdefault(label, []).append((file, chosen["experiment"]))
    return found


def test_a_variant_is_the_run_with_its_overrides(run):
    # What the variant does not change is the run's own job, with more repetitions.
    made = "results/paper/variants/ablation_pairs/sonar.rows.csv"
    assert sources(run, "ablation_pairs", "sonar", "pcml") == {
        "nearest": [("results/paper/train/sonar/pcml/repeat0-9.rows.csv", "paper")],
        "farthest": [(made, "paper-pairs.dissimilar_farthest")],
        "random": [(made, "paper-pairs.dissimilar_random")],
    }
    fits = run.ablations.own_fits("ablation_pairs", "sonar")
    assert [(variant.name, method) for variant, method in fits] == [
        (f"paper-pairs.dissimilar_{kind}", method)
        for kind in ("farthest", "random")
        for method in ("pcml", "ncml")
    ]
    job = fits[0][0].job("sonar", "pcml")
    assert job["pairs"]["dissimilar"] == "farthest"
    assert {**job, "pairs": None} == {**run.job("sonar", "pcml"), "pairs": None}


def test_a_fit_that_two_tables_have_is_made_once(run):
    # The earlier table makes it; both take it from there.
    untuned = [("results/paper/variants/ablation_tuning/semeion.rows.csv", "paper-tuning_none")]
    assert sources(run, "ablation_tuning", "semeion", "lmnn")["untuned"] == untuned
    assert sources(run, "ablation_semeion", "semeion", "lmnn")["100 dimensions"] == untuned
    # Nothing is tuned for the Euclidean metric: the run itself has these rows.
    own = [("results/paper/train/semeion/euclidean/repeat0-1.rows.csv", "paper")]
    assert sources(run, "ablation_semeion", "semeion", "euclidean")["100 dimensions"] == own
    made = [(v.name, method) for v, method in run.ablations.own_fits("ablation_semeion", "semeion")]
    assert [method for name, method in made if name == "paper-tuning_none"] == ["pcml", "ncml"]


@pytest.mark.parametrize("choice", ["paper", "smoke"])
def test_no_configuration_is_run_twice_on_a_data_set(choice):
    run = Run(choice)
    fits = [(run, dataset, method) for dataset in run.main_datasets() for method in run.methods]
    for name, item in run.ablations.tables.items():
        for dataset in item["datasets"] if item["kind"] == "variants" else []:
            own = run.ablations.own_fits(name, dataset)
            fits += [(variant, dataset, method) for variant, method in own]
    # Two tables of Semeion have the Euclidean metric without PCA: there is nothing to be saved.
    jobs = [digest(one.job(data, method)) for one, data, method in fits if method != "euclidean"]
    assert len(jobs) == len(set(jobs)) > len(run.main_datasets()) * len(run.methods)


def test_a_fit_has_the_configuration_of_the_command_line(run):
    for table in ("authors", "ablation_kernel"):
        for variant, method in run.ablations.own_fits(table, "sonar"):
            words = shlex.split(commands.job_arguments(variant, "sonar", method))
            assert variant.job_settings("sonar", method) == compose_config(words)


def test_a_table_takes_its_repetitions_of_jobs_that_have_more(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    item = "experiment.tables.ablation_pairs"
    run = Run(
        "smoke",
        [
            f"++{item}.repeats=2",
            f"{item}.methods=[pcml]",
            "protocol.repeats=4",
            "++experiment.repeats_per_job=3",
        ],
    )
    files = [source.file for source in run.ablations.sources("ablation_pairs")]
    assert [path.rpartition("/")[2] for path in files] == [
        "repeat0-2.rows.csv",
        "breast_tissue.rows.csv",
    ]
    names = [run.name, run.ablations.variant(["pairs.dissimilar=farthest"]).name]
    for path, name, count in zip(files, names, (3, 2), strict=True):
        for place in (path, beside(path, "times")):
            heads = [
                {"experiment": name, "method": method, "repeat": repeat, "fold": fold}
                for method in ("pcml", "ncml")  # the file may have rows that the table lacks
                for repeat in range(count)
                for fold in range(2)
            ]
            write_rows(place, list(heads[0]), heads)
    rows = collect(run, "ablation_pairs")
    assert {row["method"] for row in rows} == {"pcml"}
    assert [(row["variant"], row["repeat"], row["fold"]) for row in rows] == [
        (variant, repeat, fold)
        for variant in ("nearest", "farthest")
        for repeat in "01"
        for fold in "01"
    ]
    times = read_rows(run.collected("ablation_pairs")["times"])
    assert [row["repeat"] for row in times] == [row["repeat"] for row in rows]


def test_k_is_not_tuned_where_a_variant_sets_it(run):
    job = run.ablations.variant(["pairs.k=2"]).job("sonar", "pcml")
    assert job["pairs"]["k"] == 2 and list(job["method"]["tune"]) == ["C"]


def fold(dataset, variant, repeat, error, status="ok"):
    return {
        "dataset": dataset,
        "method": "pcml",
        "variant": variant,
        "repeat": str(repeat),
        "status": status,
        "message": "no" if status != "ok" else "",
        "error": str(error),
        "fit_cpu_s": "2.0",
    }


def cells(table):
    return {
        (*row.keys, column.key): cell
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    }


def make(run, item, rows):
    return variants.make(run, "ablation", item, {"rows": rows, "times": rows})


def test_variants_by_hand(run):
    rows = [
        fold("sonar", "nearest", 0, 0.1),
        fold("sonar", "nearest", 1, 0.2),
        fold("sonar", "farthest", 0, 0.3),
        fold("sonar", "farthest", 1, 0.5),
        fold("ilpd", "nearest", 0, 0.3),
        fold("ilpd", "farthest", 0, "", "failed"),
    ]
    table = make(run, ITEM, rows)
    found = cells(table)
    nearest, farthest = (found["pcml", variant, "sonar"] for variant in ITEM["variants"])
    assert nearest.value == pytest.approx(15.0)
    assert farthest.facts["change"] == pytest.approx(25.0)
    assert farthest.deviation == pytest.approx(200.0**0.5)
    assert (nearest.best, farthest.best) == (True, False)
    assert (nearest.paper, nearest.verdict) == (12.71, None)  # not judged
    assert nearest.facts == {"folds": 2, "fit_cpu_s": 2.0}
    missing = found["pcml", "farthest", "ilpd"]
    assert missing.value is None
    assert missing.note == "failed: no"
    # The mean is over sonar alone: ilpd lacks a result of one of the variants.
    assert found["pcml", "farthest", "mean"].value == pytest.approx(40.0)
    assert table.columns[-1].title == "Mean of 1"
    assert found["pcml", "paper", "sonar"].paper == 12.71
    assert markdown(table).splitlines()[2:7] == [
        "| Method | Variant | Sonar | ILPD | Mean of 1 |",
        "| --- | --- | --: | --: | --: |",
        "| PCML | nearest | **15.00** | **30.00** | **15.00** |",
        "| PCML | farthest | 40.00 (+25.00) | −<sup>a</sup> | 40.00 (+25.00) |",
        "| PCML | paper | 12.71 | 33.96 |  |",
    ]


def test_means_of_all_methods_are_over_the_same_data_sets(run):
    item = {**ITEM, "methods": ["pcml", "ncml"]}
    rows = [
        {**fold(dataset, variant, 0, error), "method": method}
        for method in ("pcml", "ncml")
        for variant in ("nearest", "farthest")
        for dataset, error in (("sonar", 0.1), ("ilpd", 0.3))
        if (method, variant, dataset) != ("ncml", "farthest", "ilpd")
    ]
    rows.append({**fold("ilpd", "farthest", 0, "", "failed"), "method": "ncml"})
    table = make(run, item, rows)
    assert table.columns[-1].title == "Mean of 1"
    means = [row.cells[-1].value for row in table.rows if row.keys[1] != "paper"]
    assert means == pytest.approx([10.0] * 4)


def test_one_data_set_has_no_mean(run):
    item = {**ITEM, "datasets": ["sonar"]}
    rows = [fold("sonar", "nearest", 0, 0.1), fold("sonar", "farthest", 0, 0.3)]
    assert list(cells(make(run, item, rows))) == [
        ("pcml", "nearest", "sonar"),
        ("pcml", "farthest", "sonar"),
        ("pcml", "paper", "sonar"),
    ]


def test_methods_are_compared_where_there_is_one_variant(run):
    item = {
        **ITEM,
        "datasets": ["sonar"],
        "methods": ["ncml", "ncml_kernel"],
        "variants": {"tuned": []},
    }
    rows = [
        {**fold("sonar", "tuned", 0, error), "method": method}
        for method, error in (("ncml", 0.2), ("ncml_kernel", 0.15))
    ]
    table = make(run, item, rows)
    changes = [row.cells[0].facts.get("change") for row in table.rows[:2]]
    assert changes == [None, pytest.approx(-5.0)]
    text = markdown(table).splitlines()
    assert text[4:7] == [
        "| NCML | tuned | 20.00 |",
        "| NCML (RBF) | tuned | **15.00 (−5.00)** |",
        "| NCML | paper | 13.29 |",
    ]
    assert text[-1] == "In brackets: the difference to NCML."


def test_kernel_ncml_is_run_where_it_is_named_only(run):
    assert "ncml_kernel" not in run.methods
    # No job of the run's own tables has it, so that no more is run than the table takes.
    assert sources(run, "ablation_kernel", "sonar", "ncml_kernel") == {
        "tuned": [("results/paper/variants/ablation_kernel/sonar.rows.csv", "paper")]
    }
    assert run.ablations.own_fits("ablation_kernel", "sonar") == [(run, "ncml_kernel")]
    assert run.ablations.repetitions("ablation_kernel", "sonar") == 1


@pytest.mark.parametrize(
    "change, message",
    [
        ("variants", "ablation_pairs: a table of the kind variants needs at least 2"),
        ("datasets=[]", "ablation_pairs: a table of the kind variants needs datasets"),
        ("datasets=[moon]", "ablation_pairs: unknown data set 'moon'; the run has breast_tissue,"),
        ("methods=[svm]", "ablation_pairs: unknown method 'svm'; there are"),
    ],
)
def test_mistakes_in_an_ablation_are_named(change, message):
    item = "experiment.tables.ablation_pairs"
    changes = [f"{item}.{change}"]
    if change == "variants":  # leave one of them
        changes = [
            f"~{item}.variants.farthest",
            f"~{item}.variants.random",
            f"{item}.methods=[pcml]",
        ]
    with pytest.raises(PipelineError, match=message):
        Run("paper", changes)


# Stopping ---------------------------------------------------------------------------------------


def test_the_papers_rule_by_hand():
    assert stopping_iteration([1.0, 0.5, 0.009, 0.001]) == 3
    assert stopping_iteration([1.0, -0.2, 0.5]) == 2  # its formula can be negative: it stops
    assert stopping_iteration([1.0, 0.5, 0.01]) == 0


def test_the_alternation_is_run_until_the_rule_stops_it():
    calls = []

    def fit(solver, tol, max_iter):
        calls.append(max_iter)
        gaps = [0.8**i for i in range(max_iter)]
        return type("Model", (), {"history_": {"paper_gap": gaps}}), 0.0

    stopped_as_in_the_paper(fit, 64)
    assert calls == [4, 8, 16, 32, 22]  # 0.8^21 is the first below 0.01
    calls.clear()
    stopped_as_in_the_paper(fit, 10)
    assert calls == [4, 8, 10, 10]


def test_both_rules_on_the_same_folds(tmp_path):
    out = tmp_path / "x.rows.csv"
    config = compose_config(
        [
            "experiment=smoke",
            "dataset=breast_tissue",
            "method=pcml",
            "item=ablation_stopping",
            f"out={out}",
        ]
    )
    rows = stopping(config)
    assert [(r["fold"], r["rule"]) for r in rows] == [
        (fold, rule) for fold in (0, 1) for rule in ("paper", "certified")
    ]
    for row in rows:
        assert row["error"] == row["wrong"] / row["n_test"]
        assert row["relative_gap"] >= -1e-12
        if row["rule"] == "certified":
            assert row["relative_gap"] <= 1e-3
    first, second = (r["objective"] for r in rows[:2])
    assert second <= first * (1 + 1e-3)  # both bound the same optimum from above
    with open(out, newline="") as file:
        written = list(csv.DictReader(file))
    assert "fit_cpu_s" not in written[0] and len(written) == 4
    with open(tmp_path / "x.times.csv", newline="") as file:
        assert all(float(r["fit_cpu_s"]) > 0 for r in csv.DictReader(file))


def test_stopping_table_by_hand(run):
    item = {"datasets": ["sonar"], "methods": ["pcml"], "title": "when to stop", "C": 0.9, "k": 1}
    head = {"dataset": "sonar", "method": "pcml", "status": "ok", "message": "", "repeat": "0"}
    rows = [
        {**head, "rule": "paper", "error": e, "iterations": i, "relative_gap": g}
        for e, i, g in (("0.1", "3", "0.2"), ("0.3", "5", "0.4"))
    ]
    times = [
        {**head, "rule": "paper", "fit_cpu_s": "2"},
        {**head, "rule": "paper", "fit_cpu_s": "4"},
    ]
    table = stopping_kind.make(run, "ablation", item, {"rows": rows, "times": times})
    found = cells(table)
    paper = {column.key: found["sonar", "pcml", "paper", column.key] for column in table.columns}
    assert paper["error"].value == pytest.approx(20.0) and paper["iterations"].value == 4.0
    assert paper["relative_gap"].value == pytest.approx(0.3) and paper["fit_cpu_s"].value == 3.0
    assert paper["error"].facts == {"folds": 2}
    certified = found["sonar", "pcml", "certified", "error"]
    assert certified.value is None and certified.note == "not run"
    assert "| Sonar | PCML | the paper's rule | 4.0 | 3.0e-01 | 20.00 | 3 |" in markdown(table)


def test_a_job_that_failed_before_any_rule_is_missing_under_both(run):
    item = {"datasets": ["sonar"], "methods": ["pcml"], "title": "when to stop", "C": 0.9, "k": 1}
    failed = {"dataset": "sonar", "method": "pcml", "status": "failed", "message": "no", "rule": ""}
    table = stopping_kind.make(run, "ablation", item, {"rows": [failed], "times": []})
    assert {cell.note for cell in table.cells()} == {"failed: no"}
