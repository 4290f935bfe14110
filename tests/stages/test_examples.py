"""Every example that a stage's --help gives names things that there are."""

import importlib
import re
import sys

import pytest

from metriclearn.__main__ import STAGES
from metriclearn.datasets import list_datasets
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.items import find_item
from metriclearn.experiment.matching import matching_job
from metriclearn.experiment.run import Run
from metriclearn.stages import cli
from metriclearn.vision.spec import list_image_sets, load_image_spec


def examples():
    for stage in STAGES:
        module = importlib.import_module(f"metriclearn.stages.{stage}")
        text = f"{module.__doc__}\n{getattr(module, 'EPILOG', '')}"
        yield from re.findall(r"(?m)^ +metriclearn (.*)$", text)


ALL = list(examples())
JOBS = [line for line in ALL if "=" in line]


@pytest.fixture(scope="module")
def names():
    """What may be named: experiments, data, features, tables and figures, a source."""
    run = Run("paper")
    known = {*list_datasets(variants=True), *list_image_sets(), *run.groups(), "paper", "smoke"}
    known |= {*run.experiment["tables"], *run.experiment["figures"], "public"}
    return known | {f for name in list_image_sets() for f in load_image_spec(name).features}


def test_every_stage_has_an_example():
    assert {line.split()[0] for line in ALL} == set(STAGES)


@pytest.mark.parametrize("line", JOBS)
def test_an_example_of_a_job_composes(line):
    stage, *words = line.split()
    keys = [word.partition("=")[0] for word in words if word != "-m"]
    values = [word.partition("=")[2].split(",") for word in words if word != "-m"]
    assert "-m" in words or all(len(choices) == 1 for choices in values)
    job = matching_job if stage == "match" else None
    most = max(map(len, values))
    for i in range(most):  # every value once
        choice = [choices[min(i, len(choices) - 1)] for choices in values]
        config = compose_config(map("=".join, zip(keys, choice, strict=True)), job)
        if config["item"] is not None:
            kind = "tables" if stage == "stopping" else "figures"
            item = find_item(config["experiment"], kind, config["item"])
            assert item["kind"] == stage and config["method"]["name"] in item["methods"]
            datasets = item.get("datasets") or [item["dataset"]]
            assert config["dataset"]["name"] in datasets


@pytest.mark.parametrize("line", [line for line in ALL if line not in JOBS])
def test_an_example_of_another_stage_is_understood(line, names, monkeypatch):
    stage, *words = line.split()
    module = importlib.import_module(f"metriclearn.stages.{stage}")
    if stage == "datasets":
        module.build_parser().parse_args(words)
    else:
        monkeypatch.setattr(sys, "argv", [stage, *words])
        for place in (module, cli):  # the command line is read, the work is not done
            monkeypatch.setattr(place, "guard", lambda *_: None, raising=False)
        module.main()
    if stage == "datasets":
        words = words[1:]  # its commands were read above
    unknown = [w for w in words if not w.startswith("--") and "/" not in w and w not in names]
    assert unknown == []
