"""The smoke run itself: shipped data, every method, every kind of table and figure."""

import csv
import shutil


def test_smoke_run(kit, tmp_path):
    clone = kit.make_clone(tmp_path / "clone")
    (clone / "conf/method/patient.yaml").unlink()
    shutil.rmtree(clone / "data")
    shutil.copytree(kit.root / "data", clone / "data")
    done = kit.snakemake(clone, "--cores", "2", "smoke", experiment="paper")
    assert done.returncode == 0, done.stdout
    assert "run smoke\n" in done.stdout

    methods = sorted(
        path.stem
        for path in (kit.root / "conf/method").glob("*.yaml")
        if path.stem != "ncml_kernel"
    )  # has a table of its own
    with open(clone / "results/smoke/uci.rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(r["dataset"], r["method"]) for r in rows} == {
        (dataset, method) for dataset in ("breast_tissue", "sonar") for method in methods
    }
    assert [r["message"] for r in rows if r["status"] != "ok"] == []
    assert len(rows) == 2 * 2 * len(methods)

    for item in (
        "headline",
        "table2",
        "table3",
        "claims",
        "statistics",
        "pairwise",
        "ablation_pairs",
        "ablation_kernel",
        "ablation_stopping",
    ):
        for end in ("json", "csv", "md", "tex"):
            assert (clone / f"results/smoke/tables/{item}.{end}").stat().st_size > 0
    for item in ("figure1", "figure2", "figure3", "figure4", "figure6", "ranks"):
        for end in ("csv", "svg", "pdf", "png"):
            assert (clone / f"figures/smoke/{item}.{end}").stat().st_size > 0

    with open(clone / "results/smoke/tables/ablation_kernel.csv", newline="") as file:
        errors = {r["method"]: r["value"] for r in csv.DictReader(file) if r["variant"] == "tuned"}
    assert sorted(errors) == ["ncml", "ncml_kernel"] and all(errors.values())
    with open(clone / "results/smoke/tables/table3.csv", newline="") as file:
        table = {(r["dataset"], r["column"]): r for r in csv.DictReader(file)}
    assert table["sonar", "euclidean"]["paper"] == "12.98"
    assert table["breast_tissue", "euclidean"]["folds"] == "2"
