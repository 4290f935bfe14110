"""metriclearn match: its configuration, its files, and jobs without data."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from metriclearn.datasets import DatasetError
from metriclearn.experiment.compose import compose_config
from metriclearn.experiment.identity import config_id, match_id
from metriclearn.experiment.matching import matching_job
from metriclearn.files.columns import CURVE_COLUMNS, MATCH_ROW_COLUMNS
from metriclearn.files.errors import PipelineError
from metriclearn.files.job import beside
from metriclearn.files.store import read_rows
from metriclearn.stages.match import default_out, match
from metriclearn.vision.featureset import save_unavailable
from metriclearn.vision.simulated import simulated_faces, simulated_persons
from metriclearn.vision.spec import list_image_sets, load_image_spec

ROOT = Path(__file__).resolve().parents[2]
MATCHING = sorted(path.stem for path in (ROOT / "conf/matching").glob("*.yaml"))


def compose(*overrides):
    return compose_config(overrides, job=matching_job)


@pytest.fixture(scope="module")
def faces(tmp_path_factory):
    path = tmp_path_factory.mktemp("faces") / "faces.npz"
    simulated_faces(n_folds=3, n_each=30, n_features=5, persons_per_fold=4).save(path)
    return path


@pytest.fixture(scope="module")
def persons(tmp_path_factory):
    path = tmp_path_factory.mktemp("persons") / "persons.npz"
    simulated_persons(n_images=100, n_persons=12, n_features=6).save(path)
    return path


def run(tmp_path, data, *overrides, images="simulated_faces", name="job"):
    out = tmp_path / f"{name}.rows.csv"
    match(
        compose(f"images={images}", f"data={data}", f"out={out}", "matching.pca=none", *overrides)
    )
    return read_rows(out)


@pytest.mark.parametrize("images", list_image_sets())
def test_every_image_set_composes(images):
    spec = load_image_spec(images)
    for feature in spec.features:
        facts = compose(f"images={images}", f"feature={feature}")["images"]
        assert facts["parts"] == list(spec.combines(feature))
        assert facts["pca"] == [spec.features[part]["pca"] for part in facts["parts"]]
    assert compose(f"images={images}")["feature"] == next(iter(spec.features))


@pytest.mark.parametrize("option", MATCHING)
def test_every_protocol_composes(option):
    matching = compose(f"matching={option}")["matching"]
    assert "methods" not in matching and matching["seed"] == 0


def test_an_experiment_chooses_the_protocol_and_the_command_line_another(tmp_path, monkeypatch):
    conf = tmp_path / "conf"
    shutil.copytree(ROOT / "conf", conf)
    lines = ["# @package _global_", "defaults:", "  - override /matching: quick"]
    (conf / "experiment/two.yaml").write_text("\n".join([*lines, "experiment: {name: two}", ""]))
    for module in ("experiment.compose", "experiment.methods", "vision.spec", "datasets.spec"):
        monkeypatch.setattr(f"metriclearn.{module}.conf_dir", lambda: conf)
    assert compose("experiment=two")["matching"]["partitions"] == 2
    assert compose("experiment=two")["run"] == "two"
    untuned = compose("experiment=two", "matching=untuned")["matching"]
    assert (untuned["partitions"], untuned["preprocess"]) == (10, "whiten_unit")


def test_grids_come_from_matching_unless_set_by_hand():
    assert compose("method=pcml")["method"]["tune"] == {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}
    method = compose("method=pcml", "method.matching.tune.C=[0.5,5.0]")["method"]
    assert method["tune"] == {"C": [0.5, 5.0]} and method["C"] == 0.9
    assert compose("method=pcml", "method.C=2.0")["method"]["tune"] == {}
    assert compose("method=pcml", "method.tune.C=[3.0]")["method"]["tune"] == {"C": [3.0]}
    capped = compose("method=itml", "method.matching.max_iter=7")["method"]
    assert capped["max_iter"] == 7
    assert compose("method=itml", "method.max_iter=9")["method"]["max_iter"] == 9
    # Without an entry a method keeps its own grid, but for how pairs are made.
    own = compose("method=pcml", "~method.matching")["method"]
    assert set(own["tune"]) == {"C"}


@pytest.mark.parametrize(
    "overrides, line",
    [
        (["images=moon"], "unknown images 'moon'; there are caviar4reid, lfw, "),
        (["matching=lucky"], "unknown matching 'lucky'; there are paper, quick, untuned"),
        (
            ["matching.preprocess=magic"],
            "matching.preprocess must be one of plain, whiten, whiten_unit, chosen, or several joi",
        ),
        (["matching.negatives=0"], "matching.negatives must be at least 1, got 0"),
        (["matching.pca=0"], "matching.pca must be paper, none or a dimension >= 1, got 0"),
        (["matching.tuning.folds=1"], "matching.tuning.folds must be at least 2, or 0 for no tu"),
        (["matching.tuning.use_folds=9"], "matching.tuning.use_folds must be at most matching.tu"),
        (["matching=untuned", "matching.preprocess=chosen"], "matching.preprocess=chosen needs "),
        (["matching.negatives=none"], "matching.negatives: Value 'none' of type 'str' could not "),
        (["matching.speed=9"], "unknown key matching.speed; keys of matching are preprocess, "),
        (["+method.matching.tune.D=[1]"], "method: tune has the key 'D'; parameters are C, "),
        (["method.C=big"], "method.C must be of type float as in conf/method/pcml.yaml, got 'big'"),
    ],
)
def test_mistakes_are_one_line(overrides, line):
    with pytest.raises(PipelineError) as error:
        compose(*overrides)
    assert str(error.value).startswith(line)
    assert "\n" not in str(error.value)


def test_unknown_feature_is_one_line():
    with pytest.raises(DatasetError, match="image set lfw has no feature 'smell'; there are sift"):
        compose("images=lfw", "feature=smell")


def test_config_id_depends_on_what_decides_the_rows():
    base = match_id(compose())
    assert base == match_id(compose("out=x.rows.csv", "run=other", "data=x.npz"))
    assert base == match_id(compose("matching.negatives=5"))  # no meaning for faces
    assert base == match_id(compose("method.colour='#000000'"))
    assert base != match_id(compose("method.matching.tune.C=[0.5]"))
    other = ["method.colour='#000000'", "method.matching.tune.C=[0.5]", "matching.ridge=0.2"]
    assert config_id(compose_config()) == config_id(compose_config(other))  # not on images
    for change in (
        "matching.ridge=0.2",
        "matching.preprocess=plain",
        "method.tol=1e-4",
        "matching.seed=1",
        "matching.pca=20",
        "method=ncml",
        "images=viper",
    ):
        assert match_id(compose(change)) != base
    viper = match_id(compose("images=viper"))
    assert viper != match_id(compose("images=viper", "matching.negatives=5"))


def test_files_of_a_verification_job(faces, tmp_path):
    rows = run(tmp_path, faces, "method=pcml", "matching=quick")
    assert list(rows[0]) == MATCH_ROW_COLUMNS
    assert [(r["fold"], r["status"], r["n_train"], r["n_test"]) for r in rows] == [
        ("0", "ok", "120", "60"),
        ("1", "ok", "120", "60"),
    ]
    assert {r["simulated"] for r in rows} == {"True"} and len({r["config"] for r in rows}) == 1
    for row in rows:
        assert 0.5 < float(row["accuracy"]) <= 1 and 0 <= float(row["eer"]) < 0.5
        assert float(row["gap"]) <= 1e-3 * float(row["primal"]) and row["rank1"] == ""
    times = read_rows(tmp_path / "job.times.csv")
    assert [t["fold"] for t in times] == ["0", "1"]
    assert all(float(t["tune_s"]) > 0 and float(t["fit_s"]) > 0 and t["version"] for t in times)
    curve = read_rows(tmp_path / "job.curve.csv")
    assert list(curve[0]) == CURVE_COLUMNS and len(curve) == 2 * 201
    assert [float(c["x"]) for c in curve[:201]] == np.linspace(0, 1, 201).tolist()


def test_files_of_a_reidentification_job(persons, tmp_path):
    rows = run(tmp_path, persons, "method=lmnn", "matching=quick", images="simulated_persons")
    assert [(r["status"], r["n_test"]) for r in rows] == [("ok", "46"), ("ok", "38")]
    assert all(0 <= float(r["rank1"]) <= float(r["rank5"]) <= 1 for r in rows)
    assert rows[0]["rank10"] == rows[0]["accuracy"] == ""
    curve = read_rows(tmp_path / "job.curve.csv")
    assert [c["x"] for c in curve] == list("123456") * 2
    assert curve[5]["y"] == "1.0"


@pytest.mark.parametrize("method", ["pcml", "kissme", "itml"])
def test_rows_are_the_same_bytes_on_every_run(method, faces, tmp_path):
    for name in ("a", "b"):
        run(tmp_path, faces, f"method={method}", "matching=quick", name=name)
    for end in ("rows", "curve"):
        first, second = ((tmp_path / f"{name}.{end}.csv").read_bytes() for name in "ab")
        assert first == second


def test_every_method_of_the_tables_runs(faces, persons, tmp_path):
    pairs = ["pcml", "ncml", "dml_eig", "itml", "ldml", "kissme", "euclidean", "doublet_svm"]
    for method in pairs:
        (row,) = run(
            tmp_path,
            faces,
            f"method={method}",
            "matching=quick",
            "matching.use_folds=1",
            "matching.preprocess=whiten_unit",
        )
        assert row["status"] == "ok", row["message"]
    (row,) = run(tmp_path, faces, "method=lmnn", "matching=quick")
    assert row["status"] == "skipped" and "LMNN needs labelled images" in row["message"]


def test_several_preprocessings_in_one_job_give_the_rows_of_one_job_each(faces, tmp_path):
    kinds = ("plain", "whiten_unit", "chosen")
    settings = ["method=pcml", "matching=quick"]
    together = run(tmp_path, faces, *settings, f"matching.preprocess={'+'.join(kinds)}")
    alone = [
        row
        for kind in kinds
        for row in run(tmp_path, faces, *settings, f"matching.preprocess={kind}", name=kind)
    ]
    assert together == alone and len(alone) == 6
    curves = [read_rows(tmp_path / f"{name}.curve.csv") for name in ("job", *kinds)]
    assert curves[0] == sum(curves[1:], [])


def test_unavailable_features_give_a_row(tmp_path):
    path = tmp_path / "none.npz"
    save_unavailable(path, load_image_spec("pubfig"), "attribute", "get it at the page")
    rows = run(tmp_path, path, "matching.preprocess=plain+chosen", images="pubfig")
    assert [row["preprocess"] for row in rows] == ["plain", "chosen"]
    assert {(row["status"], row["message"]) for row in rows} == {
        ("unavailable", "get it at the page")
    }
    assert read_rows(tmp_path / "job.curve.csv") == []


def test_features_of_another_set_are_refused(faces, tmp_path):
    with pytest.raises(PipelineError, match="holds simulated_faces attribute, not pubfig attribu"):
        run(tmp_path, faces, images="pubfig")
    with pytest.raises(PipelineError, match="data must be 2 files, of sift, attribute; got 1"):
        run(tmp_path, faces, "feature=sift_attribute", images="lfw")


def test_places():
    config = compose("images=viper", "method=kissme")
    assert default_out(config) == f"results/jobs/viper-histogram/kissme/{match_id(config)}.rows.csv"
    assert str(beside("a/b.rows.csv", "curve")) == "a/b.curve.csv"


def test_sweep_from_the_command_line(faces, tmp_path):
    command = [
        sys.executable,
        "-m",
        "metriclearn",
        "match",
        "-m",
        "images=simulated_faces",
        f"data={faces}",
        "method=euclidean,kissme",
        "matching=quick",
        "matching.pca=none",
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("accuracy ") == 2
    assert len(list(tmp_path.glob("results/jobs/simulated_faces-attribute/*/*.rows.csv"))) == 2
