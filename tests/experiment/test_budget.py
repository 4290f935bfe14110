"""Minutes and groups of training and matching jobs, and that the workflow asks for them."""

import pytest

from metriclearn.experiment.budget import match_group, match_minutes, train_group, train_minutes

PAPER = {"timeout": 3600, "partitions": 10, "use_folds": None, "preprocess": "plain"}


@pytest.mark.parametrize(
    "images, changes, minutes",
    [
        ("lfw", {}, 10 * 60 + 10),
        ("lfw", {"use_folds": 2}, 2 * 60 + 10),
        ("lfw", {"timeout": None}, 24 * 60),
        ("lfw", {"use_folds": 2, "preprocess": "plain+chosen"}, 4 * 60 + 10),
        ("simulated_faces", {"timeout": 90}, 15 + 10),
        ("viper", {}, 60),  # small: an hour, though the limit per fold would allow ten
        ("viper", {"partitions": 2, "timeout": 300}, 2 * 5 + 10),
        ("viper", {"timeout": None}, 60),
    ],
)
def test_minutes_are_what_the_limit_per_fold_allows(images, changes, minutes):
    assert match_minutes(images, {**PAPER, **changes}) == minutes
    assert match_minutes(images, {**PAPER, **changes}, attempt=2) == 2 * minutes


def test_persons_are_grouped_and_faces_are_not():
    assert [match_group(name) for name in ("viper", "caviar4reid", "simulated_persons")] == [
        "match"
    ] * 3
    assert [match_group(name) for name in ("lfw", "pubfig", "simulated_faces")] == [None] * 3


FOLDS = {"timeout": 1800, "folds": 10, "use_folds": None}


@pytest.mark.parametrize(
    "name, fixed, repetitions, changes, minutes",
    [
        ("semeion", False, 1, {}, 10 * 30 + 10),
        ("semeion", False, 3, {}, 3 * 10 * 30 + 10),
        ("semeion", False, 1, {"use_folds": 2}, 2 * 30 + 10),
        ("semeion", False, 1, {"timeout": None}, 24 * 60),
        ("mnist", True, 1, {}, 30 + 10),  # one split
        ("sonar", False, 5, {}, 60),  # small: an hour
        ("sonar", False, 5, {"timeout": 30}, 5 * 5 + 10),
        ("sonar", False, 5, {"timeout": None}, 60),
    ],
)
def test_minutes_of_a_training_job(name, fixed, repetitions, changes, minutes):
    facts = {"name": name, "fixed": fixed}
    assert train_minutes(facts, {**FOLDS, **changes}, repetitions) == minutes
    assert train_minutes(facts, {**FOLDS, **changes}, repetitions, attempt=2) == 2 * minutes


def test_small_data_sets_are_grouped():
    names = ("breast_tissue", "cardiotocography", "segmentation", "sonar", "semeion", "letter")
    assert [train_group({"name": name}) for name in names] == ["train"] * 4 + [None] * 2


def test_the_workflow_asks_for_them(kit, tmp_path):
    """Two folds of tiny faces within 300 s each: 10 minutes, and 10 to start."""
    clone = kit.make_clone(tmp_path / "clone")
    text = kit.snakemake(clone, "-n", "faces", "--quiet", "host").stdout
    jobs = [part.partition("\n[")[0] for part in text.split("rule match:")[1:]]
    assert len(jobs) == 2, text
    assert all("mem_mb=3000" in job and "runtime=20" in job for job in jobs), text


def test_a_timing_job_leaves_no_core_to_another(kit, tmp_path):
    clone = kit.make_clone(tmp_path / "clone")
    changes = "overrides=[experiment.timing.fits=1,experiment.grid_repeats.small=1]"
    config = ["--config", "experiment=tiny", changes]
    text = kit.snakemake(
        clone, "-n", "collected", "--cores", "3", "--quiet", "host", *config
    ).stdout
    timing, grid = (
        [part.partition("\n[")[0] for part in text.split(f"rule {rule}:")[1:]]
        for rule in ("timing", "grid")
    )
    assert timing and all("threads: 3" in job and "--exclusive" in job for job in timing), text
    assert grid and not any("threads:" in job for job in grid), text  # one: it is not said
