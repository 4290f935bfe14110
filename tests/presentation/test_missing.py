"""Data that is unavailable, sources that change, and figures that cannot be drawn."""

import json

import pytest

from metriclearn.datasets import DatasetUnavailable
from metriclearn.datasets.prepared import read_prepared
from metriclearn.experiment.commands import fetch_attempt
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.run import Run
from metriclearn.files.store import write_rows
from metriclearn.presentation.make import make_figure
from metriclearn.presentation.missing import EVERYTHING
from metriclearn.stages.fetch import fetch
from metriclearn.stages.prepare import prepare
from metriclearn.stages.split import split
from metriclearn.stages.train import train

PROTOCOL = {"repeats": 10, "folds": 10, "seed": 0}


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No network, no mirror, an empty cache, an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METRICLEARN_OFFLINE", "1")
    monkeypatch.setenv("METRICLEARN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("METRICLEARN_MIRROR", raising=False)
    return tmp_path


def test_missing_data_become_a_row_that_says_so(nowhere):
    note = fetch("semeion", "results/data/semeion.fetch.json")
    assert note["status"] == "unavailable" and note["message"]
    facts = prepare("results/data/semeion.fetch.json", "semeion.npz")
    assert facts["status"] == "unavailable" and facts["title"] == "Semeion"
    assert split("semeion.npz", "split.npz", PROTOCOL).shape == (10, 0)
    config = compose_config(
        ["dataset=semeion", "data=semeion.npz", "split=split.npz", "repeat=3", "out=a.rows.csv"]
    )
    rows = train(config).rows
    assert [(r["status"], r["message"]) for r in rows] == [("unavailable", note["message"])]


def test_strict_makes_it_an_error(nowhere):
    with pytest.raises(DatasetUnavailable, match="semeion"):
        fetch("semeion", "note.json", strict=True)
    assert list(nowhere.glob("*.json")) == []


def test_a_new_source_asks_for_a_new_try(nowhere, monkeypatch):
    run = Run("paper")
    before = fetch_attempt(run, "semeion")
    fetch("semeion", "results/data/semeion.fetch.json", attempt=before)
    assert fetch_attempt(run, "semeion") == before
    monkeypatch.setenv("METRICLEARN_MIRROR", str(nowhere / "mirror"))
    assert fetch_attempt(run, "semeion") != before
    note = json.loads((nowhere / "results/data/semeion.fetch.json").read_text())
    note["status"] = "ok"
    (nowhere / "results/data/semeion.fetch.json").write_text(json.dumps(note))
    assert fetch_attempt(run, "semeion") == before
    assert fetch_attempt(run, "sonar") == "shipped"


def test_prepared_counts(nowhere):
    fetch("spectf_heart", "note.json")
    prepare("note.json", "data.npz")
    facts, arrays = read_prepared("data.npz")
    assert (facts["n_samples"], facts["n_features"], facts["n_classes"]) == (267, 44, 2)
    assert (facts["n_train"], facts["n_test"]) == (80, 187)
    assert arrays["X"].shape == (267, 44)


@pytest.mark.parametrize("item", ["figure6", "figure7"])
def test_a_figure_without_results_is_no_picture(nowhere, item):
    """Its csv and its json say why; its pictures, which the workflow waits for, are empty."""
    run = Run("paper")
    lost = {"status": "unavailable", "message": "no source has it"}
    if item == "figure6":
        rows = [
            {**lost, "dataset": "semeion", "method": m, "key": "protocol.pca", "value": "20"}
            for m in ("pcml", "ncml")
        ]
        for row in rows:
            write_rows(f"results/paper/sweep/figure6/{row['method']}.rows.csv", list(row), [row])
            times = f"results/paper/sweep/figure6/{row['method']}.times.csv"
            write_rows(times, ["method"], [])
    else:
        job = {"images": "lfw", "preprocess": "chosen"}
        jobs = [{**job, "feature": f, "method": m} for _, f, m in run.matches.jobs("table6")]
        write_rows("results/paper/lfw.rows.csv", [*jobs[0], *lost], [{**j, **lost} for j in jobs])
        write_rows("results/paper/lfw.times.csv", ["method"], [])
        write_rows("results/paper/lfw.curve.csv", list(jobs[0]), [])
    figure = make_figure(run, item)
    assert figure.draw is None and figure.panels == [] and not figure.picture
    assert figure.missing == [(EVERYTHING, "unavailable: no source has it")]
    sizes = {
        end: (nowhere / run.places.figure(item, end)).stat().st_size
        for end in ("svg", "pdf", "png", "csv", "json")
    }
    assert [end for end, size in sizes.items() if size == 0] == ["svg", "pdf", "png"]
