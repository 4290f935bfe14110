"""conf/: every option composes, and every mistake is one line with the list of what there is."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from metriclearn.analysis.compared import expected_folds
from metriclearn.datasets import list_datasets
from metriclearn.evaluation.estimator import load_estimator, make_estimator
from metriclearn.experiment import commands
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.config import repetitions
from metriclearn.experiment.fingerprint import PACKAGE, sources
from metriclearn.experiment.identity import config_id, job_config
from metriclearn.experiment.methods import (
    PAPER_ORDER,
    arguments,
    check_file,
    list_methods,
    read_method,
)
from metriclearn.experiment.overrides import read_settings, slug
from metriclearn.experiment.run import Run
from metriclearn.files.errors import PipelineError

ROOT = Path(__file__).resolve().parents[2]
GROUPS = ("pairs", "protocol", "tuning", "experiment", "method")
OPTIONS = [
    (group, path.stem)
    for group in GROUPS
    for path in sorted((ROOT / "conf" / group).glob("*.yaml"))
]


@pytest.mark.parametrize("group, option", OPTIONS)
def test_every_option_composes(group, option):
    config = compose_config([f"{group}={option}"])
    if group in ("method", "experiment"):
        assert config[group]["name"] == option


@pytest.mark.parametrize("dataset", list_datasets(variants=True))
def test_every_data_set_composes(dataset):
    assert compose_config([f"dataset={dataset}"])["dataset"]["name"] == dataset


@pytest.mark.parametrize("name", list_methods())
def test_every_method_can_be_made(name):
    method = compose_config([f"method={name}"])["method"]
    model = make_estimator(method, {"k": 2, "dissimilar": "nearest"}, seed=5)
    assert isinstance(model, load_estimator(method))
    values = model.get_params()
    assert {key: values[key] for key in arguments(method)} == {
        key: method[key] for key in arguments(method)
    }
    assert values.get("random_state", 5) == 5
    if method["pairs"]:
        assert values["k"] == 2


def test_defaults_are_the_papers_protocol():
    config = compose_config()
    assert config["protocol"]["repeats"] == config["protocol"]["folds"] == 10
    assert config["protocol"]["scale"] == config["protocol"]["pca"] == "paper"
    assert config["pairs"] == {"k": 1, "dissimilar": "nearest"}


def test_overrides_reach_the_job():
    config = compose_config(["dataset=sonar", "method=pcml", "method.C=0.1", "pairs.k=2"])
    assert config["method"]["C"] == 0.1
    assert config["pairs"]["k"] == 2


def test_what_is_set_by_hand_is_not_tuned():
    assert set(compose_config()["method"]["tune"]) == {"C", "k"}
    assert set(compose_config(["method.C=0.1"])["method"]["tune"]) == {"k"}
    assert compose_config(["method.C=0.1", "pairs.k=1"])["method"]["tune"] == {}


def test_file_of_ones_own():
    config = compose_config(["dataset=file", "dataset.path=some/mine.csv"])
    assert config["dataset"] == {"name": "mine", "path": "some/mine.csv"}


@pytest.mark.parametrize(
    "overrides, line",
    [
        (["method=magic"], "unknown method 'magic'; there are "),
        (["dataset=moon"], "unknown dataset 'moon'; there are breast_tissue, cardiotocography, "),
        (["tuning=lucky"], "unknown tuning 'lucky'; there are holdout, nested, none"),
        (
            ["method.D=1"],
            "unknown key method.D; keys of method are name, title, colour, estimator, ",
        ),
        (
            ["protocol.fold=3"],
            "unknown key protocol.fold; keys of protocol are repeats, repeats_large, ",
        ),
        (["speed=9"], "unknown key speed; keys are dataset, method, pairs, "),
        (["protocol.folds=many"], "protocol.folds: Value 'many' of type 'str' could not be "),
        (["method.C=big"], "method.C must be of type float as in conf/method/pcml.yaml, got 'big'"),
        (
            ["method.max_iter=1.5"],
            "method.max_iter must be of type int as in conf/method/pcml.yaml, got 1.5",
        ),
        (["tuning.kind=lucky"], "tuning.kind must be one of none, holdout, nested, got 'lucky'"),
        (
            ["protocol.scale=big"],
            "protocol.scale must be one of paper, minmax, global, standard, together, "
            "none, got 'big'",
        ),
        (["protocol.folds=1"], "protocol.folds must be at least 2, got 1"),
        (["protocol.pca=0"], "protocol.pca must be paper, none or a dimension >= 1, got 0"),
        (
            ["tuning=holdout", "tuning.test_size=1.0"],
            "tuning.test_size must be between 0 and 1, got 1.0",
        ),
        (["dataset=file"], "dataset=file needs dataset.path, e.g. dataset.path=./mine.csv"),
    ],
)
def test_mistakes_are_one_line(overrides, line):
    with pytest.raises(PipelineError) as error:
        compose_config(overrides)
    assert str(error.value).startswith(line)
    assert "\n" not in str(error.value)


def test_config_id_depends_on_what_decides_the_rows():
    base = config_id(compose_config())
    assert base == config_id(compose_config(["repeat=3", "out=x.rows.csv", "run=other"]))
    assert base == config_id(compose_config(["protocol.repeats=2"]))
    assert base != config_id(compose_config(["method.tol=1e-4"]))
    assert base != config_id(compose_config(["pairs.dissimilar=farthest"]))
    assert base != config_id(compose_config(["protocol.seed=1"]))
    plain = ["method=euclidean"]
    assert config_id(compose_config(plain)) == config_id(compose_config([*plain, "pairs.k=2"]))


@pytest.mark.parametrize("overrides", [(), ("method.C=0.3", "pairs.k=2", "tuning=none")])
def test_plan_and_job_have_the_same_configuration(overrides):
    run = Run("smoke", overrides)
    for method in ("pcml", "euclidean"):
        words = commands.job_arguments(run, "sonar", method).split()
        assert job_config(compose_config(words)) == run.job("sonar", method)


def test_plan_counts_the_papers_jobs():
    run = Run("paper", ["experiment.methods=[euclidean,pcml]"])
    fixed = ["letter", "satellite", "spectf_heart", "mnist", "pendigits", "usps"]
    assert {name for name in run.datasets if run.datasets[name]["fixed"]} == set(fixed)
    assert {run.repeats(name) for name in run.datasets if name != "mnist"} == {10}
    assert run.repeats("mnist") == run.repeats("mnist", "pcml") == 3
    # With nothing to choose a seed of tuning changes nothing.
    assert {run.repeats(name, "euclidean") for name in fixed} == {1}
    assert run.repeats("sonar", "euclidean") == 10
    # Of pcml: letter 4 jobs, satellite 3, spectf_heart 1, mnist 3, pendigits 2, usps 10.
    assert len(run.jobs()) == 2 * (6 + 5) + 6 + (4 + 3 + 1 + 3 + 2 + 10)
    untuned = Run("paper", ["tuning=none"])
    assert untuned.repeats("letter", "pcml") == 1
    assert run.group("digits") == ["mnist", "pendigits", "semeion", "usps"]


def test_small_data_sets_have_several_repetitions_in_a_job():
    run = Run("paper")
    batches = {name: run.batches(name) for name in run.datasets}
    small = ["breast_tissue", "cardiotocography", "ilpd", "parkinsons", "segmentation", "sonar"]
    assert all(batches[name] == ["0-9"] for name in small)
    assert batches["semeion"] == ["0-1", "2-3", "4-5", "6-7", "8-9"]  # minutes each
    assert batches["letter"] == ["0-2", "3-5", "6-8", "9"] and batches["mnist"] == ["0", "1", "2"]
    assert batches["spectf_heart"] == ["0-9"] and run.batches("letter", "euclidean") == ["0"]
    for repeats, size, expected in (
        (7, 5, ["0-4", "5-6"]),
        (6, 5, ["0-4", "5"]),
        (2, 1, ["0", "1"]),
    ):
        changes = [f"protocol.repeats={repeats}", f"experiment.repeats_per_job={size}"]
        assert Run("paper", changes).batches("sonar") == expected
    folds = {"sonar": (100, 100), "letter": (10, 1), "mnist": (3, 1)}
    for dataset, expected in folds.items():
        assert expected == tuple(expected_folds(run, dataset, m) for m in ("pcml", "mcml"))


@pytest.mark.parametrize(
    ("text", "numbers"), [("3", [3]), (3, [3]), ("0-4", [0, 1, 2, 3, 4]), ("7-7", [7])]
)
def test_repetitions(text, numbers):
    assert list(repetitions(text)) == numbers


@pytest.mark.parametrize("text", ["4-0", "-1", "two", "0-", "1.5", "[0,1]", "null"])
def test_repetitions_that_are_none(text):
    with pytest.raises(ValueError, match="repeat must be a number such as 3 or a range such as"):
        compose_config([f"repeat={text}"])


def test_slug_is_readable_and_short():
    assert slug("paper", []) == "paper"
    assert slug("paper", ["method.C=0.1", "pairs.k=2"]) == "paper-method.C_0.1-pairs.k_2"
    long = slug("paper", [f"method.tune.C=[{','.join('123456789')}]" for _ in range(9)])
    assert len(long) == 91 and long != slug("paper", ["x=1"] * 90)


def test_settings_of_the_workflow():
    assert read_settings({}) == ("paper", [], False)
    given = {"experiment": "smoke", "overrides": ["a=1"], "strict": "True"}
    assert read_settings(given) == ("smoke", ["a=1"], True)
    nested = {"overrides": "[experiment.datasets=[a,b], method.C=0.1]"}
    assert read_settings(nested)[1] == ["experiment.datasets=[a,b]", "method.C=0.1"]
    for bad in ({"speed": 9}, {"overrides": "a=1"}, {"strict": "maybe"}):
        with pytest.raises(PipelineError, match="--config: "):
            read_settings(bad)


def test_workflow_and_package_stay_apart():
    for path in (ROOT / "metriclearn").rglob("*.py"):
        assert "import snakemake" not in Path(path).read_text(encoding="utf-8")


def test_a_training_job_does_not_depend_on_plans_or_images():
    """An edit there must not rerun thousands of jobs."""
    names = {path.relative_to(PACKAGE).as_posix() for path in sources("metriclearn.stages.train")}
    assert {"stages/train.py", "experiment/compose.py", "evaluation/splits.py"} <= names
    unwanted = [n for n in names if "match" in n or n.startswith("vision/") or "plan" in n]
    assert unwanted == []


@pytest.mark.parametrize("stage, key", [("train", "repeat: 0"), ("match", "feature: null")])
def test_help_begins_with_what_the_stage_does(stage, key, tmp_path):
    command = [sys.executable, "-m", "metriclearn", stage, "--help", "method=lmnn"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    words = importlib.import_module(f"metriclearn.stages.{stage}").__doc__.strip()
    assert done.stdout.startswith(f"{words}\n\nSettings are given as key=value")
    lines = done.stdout.splitlines()
    assert "pairs: farthest, nearest, random" in lines and key in lines and "  name: lmnn" in lines
    assert "Hydra" not in done.stdout and not list(tmp_path.iterdir())


METHOD = {"name": "toy", "title": "Toy", "estimator": "a.B", "tune": {}, "C": 1.0, "pairs": True}


@pytest.mark.parametrize(
    "facts, line",
    [
        ({"colour": "red"}, "toy.yaml: colour must be quoted, as '#D55E00', got 'red'"),
        ({"matching": [1]}, "toy.yaml: matching must be a mapping of keys, got [1]"),
        ({"tune_samples": "many"}, "toy.yaml: tune_samples must be a number or null, got 'many'"),
        ({"extend": ["C"]}, "toy.yaml: extend must map parameters to factor or odds, got ['C']"),
        (
            {"extend": {"C": "ten"}},
            "toy.yaml: extend must map parameters to factor or odds, got {'C': 'ten'}",
        ),
        (
            {"extend": {"C": "factor"}},
            "toy.yaml: extend names 'C', which needs a grid of values above 0 such as 1.0",
        ),
        (
            {"extend": {"C": "factor"}, "tune": {"C": [0.0, 1.0]}},
            "toy.yaml: extend names 'C', which needs a grid of values above 0 such as 1.0",
        ),
        ({"matching": {"D": 1}}, "toy.yaml: matching has the key 'D'; keys are tune, C"),
        (
            {"matching": {"tune": {"k": [1]}}},  # pairs are given by the image set
            "toy.yaml: matching: tune has the key 'k'; parameters are C",
        ),
        (
            {"matching": {"tune": {"C": 1.0}}},
            "toy.yaml: matching: tune.C must be a list of values, got 1.0",
        ),
    ],
)
def test_mistakes_in_a_methods_file_are_one_line(facts, line):
    with pytest.raises(PipelineError) as error:
        check_file({**METHOD, **facts}, "toy.yaml")
    assert str(error.value) == line


def test_what_a_methods_file_leaves_out():
    method = check_file(dict(METHOD), "toy.yaml")
    assert (method["matching"], method["colour"], method["max_train"]) == ({}, None, None)
    assert arguments(method) == ["C"]


def test_methods_of_the_paper_have_a_colour_of_their_own():
    colours = [read_method(name)["colour"] for name in PAPER_ORDER if name != "euclidean"]
    assert None not in colours and len(set(colours)) == len(colours)
