"""metriclearn variants: the rows of one job of an ablation table, and what it refuses."""

import shlex

import pytest

from metriclearn.datasets.prepared import prepared
from metriclearn.experiment import commands
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.run import Run
from metriclearn.files.errors import PipelineError
from metriclearn.files.job import beside
from metriclearn.files.store import read_rows, write_arrays
from metriclearn.stages.split import split
from metriclearn.stages.train import train
from metriclearn.stages.variants import variants

TABLE = "experiment.tables.ablation_pairs"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The smoke run with further variants of one table, its data prepared and split."""
    monkeypatch.chdir(tmp_path)
    changes = [f"{TABLE}.methods=[euclidean,pcml]", f"++{TABLE}.variants.few=['protocol.folds=4']"]
    run = Run("smoke", changes)
    data = run.places.data("breast_tissue")
    facts, arrays = prepared({"dataset": "breast_tissue", "status": "ok"})
    write_arrays(data, facts, **arrays)
    split(data, run.places.split("breast_tissue"), run.protocol)
    return run


def test_a_job_has_the_rows_of_its_fits_one_by_one(run, tmp_path):
    variants(run, "ablation_pairs", "breast_tissue")
    rows = read_rows(path := run.ablations.variants_rows("ablation_pairs", "breast_tissue"))
    assert len(read_rows(beside(path, "times"))) == len(rows)
    expected = []
    # The farthest pairs are nothing to the Euclidean metric; with other folds it is another run.
    for changes, method in (
        (["pairs.dissimilar=farthest"], "pcml"),
        (["protocol.folds=4"], "euclidean"),
        (["protocol.folds=4"], "pcml"),
    ):
        variant = run.ablations.variant(changes)
        words = shlex.split(commands.job_arguments(variant, "breast_tissue", method))
        out = tmp_path / "one.rows.csv"
        train(compose_config([*words, f"out={out}"]))
        expected += read_rows(out)
    assert rows == expected and {row["status"] for row in rows} == {"ok"}


@pytest.mark.parametrize(
    "item, dataset, line",
    [
        ("ablation_x", "sonar", "unknown item 'ablation_x'; tables of smoke are headline,"),
        ("table3", "sonar", "table3 is of the kind errors, not variants"),
        ("ablation_pairs", "sonar", "ablation_pairs has no data set 'sonar'; it has breast_tissue"),
    ],
)
def test_mistakes_are_one_line(item, dataset, line):
    with pytest.raises(PipelineError) as error:
        variants(Run("smoke"), item, dataset)
    assert str(error.value).startswith(line)
