"""A target that is the name of nothing."""

import pytest

from metriclearn.experiment.run import Run
from metriclearn.files.errors import PipelineError
from metriclearn.workflow.targets import own_files, unknown_target


def test_the_nearest_name_is_suggested():
    with pytest.raises(PipelineError, match="^unknown target 'table33'; did you mean table3[?]$"):
        unknown_target("table33", ["table2", "table3", "figure3"])
    with pytest.raises(PipelineError, match="^unknown target 'zzz'; there are figure3, table2$"):
        unknown_target("zzz", ["table2", "figure3"])


def test_files_that_a_run_reads_are_no_targets(monkeypatch):
    run = Run("smoke")
    assert own_files(run) == []
    run.datasets["mine"] = {"path": "./mine"}
    assert own_files(run) == ["mine"]


def test_the_workflow_says_it(kit):
    done = kit.snakemake(kit.root, "--cores", "1", "-n", "table33", experiment="paper")
    assert done.returncode == 1
    assert done.stdout.endswith("error: unknown target 'table33'; did you mean table3?\n")
