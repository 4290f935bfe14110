"""The smoke run itself: shipped data, every method, every kind of table and figure.

A method of one's own is in it: one file in estimators/, one in conf/method, and nothing else.
"""

import csv
import gzip
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from metriclearn.datasets.content import content_hash

SPREAD = '''\
"""Features in units of their spread within the classes: a method of one's own."""

import numpy as np

from .base import SupervisedMetricLearner

__all__ = ["Spread"]


class Spread(SupervisedMetricLearner):
    """Scale each feature by its standard deviation within the classes."""

    def __init__(self, *, ridge=1e-3):
        self.ridge = ridge

    def fit(self, X, y):
        if not (isinstance(self.ridge, float) and self.ridge > 0.0):
            raise ValueError(f"ridge must be a positive number, got {self.ridge!r}.")
        X, y = self._check_labelled(X, y)
        if not np.ptp(X, axis=0).any():
            raise ValueError("all samples are identical.")
        _, code = np.unique(y, return_inverse=True)
        if (np.bincount(code) < 2).all():
            raise ValueError("every sample is alone in its class.")
        unit = np.abs(X).max()
        A = X / unit
        centre = np.array([A[code == c].mean(axis=0) for c in range(code.max() + 1)])
        spread = np.sqrt(((A - centre[code]) ** 2).mean(axis=0)) + self.ridge
        self.components_ = np.diag(1.0 / (unit * spread))
        return self
'''
SPREAD_YAML = """\
name: spread
title: Spread
estimator: metriclearn.estimators.spread.Spread
tune: {ridge: [0.001, 0.1]}
ridge: 0.001
"""
TOY_YAML = """\
name: toy
title: Toy
group: uci
n_samples: 40
n_features: 2
classes: [a, b]
class_counts: [20, 20]
content_hash: {hash}
shipped: toy.csv.gz
folder: toy
files: [toy.data]
reader: {{kind: delimited}}
page: https://example.org/toy
donors: nobody
licence: CC0
citation: none
"""


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def add_method(clone):
    (clone / "metriclearn/estimators/spread.py").write_text(SPREAD)
    (clone / "conf/method/spread.yaml").write_text(SPREAD_YAML)


def add_dataset(clone):
    y = np.arange(40) % 2
    X = np.round(np.random.default_rng(0).normal(size=(40, 2)) + 2.0 * y[:, None], 3)
    lines = [f"{a},{b},{'ab'[label]}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    content = "\n".join(["x1,x2,label", *lines]).encode()
    (clone / "data/toy.csv.gz").write_bytes(gzip.compress(content, mtime=0))
    text = TOY_YAML.format(hash=content_hash(X, y, ["a", "b"]))
    (clone / "conf/dataset/toy.yaml").write_text(text)


@pytest.fixture(scope="module")
def smoke(kit, tmp_path_factory):
    """A clone with a method of one's own in which the smoke run has been made."""
    clone = kit.make_clone(tmp_path_factory.mktemp("smoke") / "clone")
    (clone / "conf/method/patient.yaml").unlink()
    shutil.rmtree(clone / "data")
    shutil.copytree(kit.root / "data", clone / "data")
    add_method(clone)
    finished = kit.snakemake(clone, "--cores", "2", "smoke", experiment="paper")
    assert finished.returncode == 0, finished.stdout
    return clone, finished.stdout


def test_smoke_run(kit, smoke):
    clone, text = smoke
    assert "run smoke\n" in text
    assert "page      results/smoke/report.html" in text

    methods = sorted(
        path.stem
        for path in (clone / "conf/method").glob("*.yaml")
        if path.stem != "ncml_kernel"  # has a table of its own
    )
    rows = read_csv(clone / "results/smoke/uci.rows.csv")
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
        "average_ranks",
        "statistics",
        "pairwise",
        "authors",
        "ablation_pairs",
        "ablation_kernel",
        "ablation_stopping",
    ):
        for end in ("json", "csv", "md", "tex"):
            assert (clone / f"results/smoke/tables/{item}.{end}").stat().st_size > 0
    for item in ("figure1", "figure2", "figure3", "figure4", "figure6", "ranks"):
        for end in ("json", "csv", "svg", "pdf", "png"):
            assert (clone / f"figures/smoke/{item}.{end}").stat().st_size > 0

    kernel = read_csv(clone / "results/smoke/tables/ablation_kernel.csv")
    errors = {r["method"]: r["value"] for r in kernel if r["variant"] == "tuned"}
    assert sorted(errors) == ["ncml", "ncml_kernel"] and all(errors.values())
    cells = read_csv(clone / "results/smoke/tables/table3.csv")
    table = {(r["dataset"], r["column"]): r for r in cells if r["edition"] == "ours"}
    assert table["sonar", "euclidean"]["paper"] == "12.98"
    assert table["breast_tissue", "euclidean"]["folds"] == "2"

    grid = read_csv(clone / "results/smoke/uci_grid.rows.csv")
    assert {(r["dataset"], r["method"]) for r in grid} == {
        (r["dataset"], r["method"]) for r in rows
    }
    assert [r["message"] for r in grid if r["status"] != "ok"] == []
    timing = read_csv(clone / "results/smoke/uci_timing.times.csv")
    assert len(timing) == 2 * len(methods) and all(float(r["fit_s"]) > 0 for r in timing)


def test_a_finished_run_has_nothing_to_do(kit, smoke):
    again = kit.snakemake(smoke[0], "--cores", "1", "-n", "smoke", experiment="paper")
    assert again.returncode == 0 and kit.job_counts(again.stdout) == {}, again.stdout


def test_a_method_of_ones_own_is_found_by_itself(smoke):
    """In tables, figures and on the page, with a colour of its own."""
    clone, _ = smoke
    table = read_csv(clone / "results/smoke/tables/table3.csv")
    assert [bool(r["value"]) for r in table if r["column"] == "spread"][:4] == [True] * 4
    times = read_csv(clone / "figures/smoke/figure4.csv")
    assert "Spread" in {r["method_title"] for r in times}
    page = (clone / "results/smoke/report.html").read_text()
    assert page.count("Spread") >= 2
    chosen = {r["chosen"] for r in read_csv(clone / "results/smoke/uci.rows.csv")}
    assert '{"ridge": 0.1}' in chosen or '{"ridge": 0.001}' in chosen


def test_a_method_of_ones_own_is_in_the_contract_tests(kit, smoke):
    clone, _ = smoke
    tests = kit.root / "tests/estimators/test_contract.py"
    command = [sys.executable, "-m", "pytest", str(tests), "-k", "Spread", "--rootdir", str(clone)]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-c", str(kit.root / "pyproject.toml")],
        cwd=clone,
        env={**kit.environment(), "PYTHONPATH": str(clone)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 40


def test_a_data_set_of_ones_own_is_one_file(kit, smoke):
    """And its data; the workflow takes it by its name."""
    clone, _ = smoke
    add_dataset(clone)
    changes = "experiment.datasets=[breast_tissue,toy],experiment.methods=[euclidean,spread]"
    done = kit.snakemake(
        clone,
        "--cores",
        "2",
        "table3",
        "--config",
        "experiment=smoke",
        f"overrides=[{changes}]",
    )
    assert done.returncode == 0, done.stdout
    (path,) = (clone / "results").glob("smoke-experiment.datasets*/tables/table3.csv")
    found = {(r["dataset"], r["column"]): r for r in read_csv(path) if r["edition"] == "ours"}
    assert float(found["toy", "spread"]["value"]) < 50.0
    assert found["toy", "spread"]["folds"] == "2" and found["toy", "spread"]["paper"] == ""
