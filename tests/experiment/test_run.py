"""The plan of a run, its places and its command lines."""

import json
import shlex

import pytest

from metriclearn.experiment import commands
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.identity import job_config
from metriclearn.experiment.run import Run
from metriclearn.files.errors import PipelineError


def test_places_lie_below_the_root(tmp_path):
    run = Run("smoke")
    assert run.places.train("sonar", "pcml", "0-4") == (
        "results/smoke/train/sonar/pcml/repeat0-4.rows.csv"
    )
    assert run.places.table("table3", "md") == "results/smoke/tables/table3.md"
    assert run.places.figure("ranks", "svg") == "figures/smoke/ranks.svg"
    moved = run.at(tmp_path)
    assert moved.places.data("sonar") == f"{tmp_path}/results/data/sonar.npz"
    assert moved.gathered("uci")["rows"] == [f"{tmp_path}/results/smoke/uci.rows.csv"]
    assert moved.table("table3")[0] == f"{tmp_path}/results/smoke/tables/table3.json"
    paths = moved.source_files("ablation_pairs")
    assert paths and all(path.startswith(f"{tmp_path}/results/smoke") for path in paths)
    assert run.places.root == "" and run.source_files("ablation_pairs")[0].startswith("results/")


def test_the_plan_is_the_same_below_another_root(tmp_path):
    run = Run("paper", ["method.C=0.1"])
    moved = run.at(tmp_path)
    assert moved.jobs() == run.jobs() and moved.name == run.name
    assert moved.job("sonar", "pcml") == run.job("sonar", "pcml")
    assert commands.run_options(moved) == commands.run_options(run)


def test_command_lines_are_quoted():
    run = Run("smoke", ["method.C=0.1", "experiment.datasets=[sonar,breast_tissue]"])
    name = "smoke-method.C_0.1-experiment.datasets_sonar_breast_tissue_"
    datasets = "'experiment.datasets=[sonar,breast_tissue]'"
    assert commands.job_arguments(run, "sonar", "pcml") == (
        f"experiment=smoke run={name} dataset=sonar method=pcml method.C=0.1 {datasets}"
    )
    assert commands.job_arguments(run, "sonar", "euclidean") == (
        f"experiment=smoke run={name} dataset=sonar method=euclidean {datasets}"
    )
    assert commands.run_options(run) == (
        "--experiment smoke --overrides method.C=0.1 'experiment.datasets=[sonar,breast_tissue]'"
    )


def test_what_makes_an_item_again():
    assert commands.item_command(Run("paper")).format(item="table3") == (
        "snakemake --cores 8 table3"
    )
    run = Run("smoke", ["method.C=0.1"])
    assert commands.item_command(run).format(item="table3") == (
        "snakemake --cores 8 table3 --config experiment=smoke 'overrides=[method.C=0.1]'"
    )


def test_a_job_of_shipped_data_is_never_fetched_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # with nothing prepared
    run = Run("paper")
    assert commands.fetch_attempt(run, "sonar") == "shipped"
    assert commands.fetch_attempt(run, "mnist") != commands.fetch_attempt(run, "mnist", strict=True)


def test_options_of_a_run_reach_its_own_files(kit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kit.write_csv(tmp_path / "toy.csv")
    datasets = "experiment.datasets=[./toy.csv,sonar,breast_tissue]"
    run = Run("smoke", [datasets, "dataset.label=4", "dataset.drop=[a,1]"])
    facts = {"name": "toy", "path": "./toy.csv", "label": 4, "drop": ["a", 1]}
    for method in ("euclidean", "pcml"):
        words = shlex.split(commands.job_arguments(run, "toy", method))
        assert compose_config(words)["dataset"] == facts
        assert job_config(compose_config(words)) == run.job("toy", method)
        assert "dataset.label=4" not in commands.job_arguments(run, "sonar", method)
    words = shlex.split(commands.fetch_source(run, "toy"))
    assert (words[:2], json.loads(words[2])) == (
        ["./toy.csv", "--reading"],
        {"label": 4, "drop": ["a", 1]},
    )
    assert commands.fetch_source(run, "sonar") == "sonar"
    with pytest.raises(PipelineError, match="override 'dataset.pca=2' is for one job; .*dataset.m"):
        Run("smoke", ["dataset.pca=2"])
