"""Finding conf/ and data/ in a checkout and in an installed package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from metriclearn.datasets import DatasetUnavailable, load_dataset
from metriclearn.files import resources

CODE = (
    "import metriclearn.datasets as d, metriclearn.files.resources as r; "
    "print(r.conf_dir(), r.data_dir(), d.load_dataset('sonar').X.shape)"
)


def run_in(folder: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", CODE], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.fixture
def installed(tmp_path):
    """The package alone, as pip would unpack a wheel that carries _conf and _data."""
    root = tmp_path / "site"
    package = root / "metriclearn"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    ignore = shutil.ignore_patterns("__pycache__")
    for part in ("datasets", "files"):
        shutil.copytree(resources.PACKAGE / part, package / part, ignore=ignore)
    shutil.copytree(resources.conf_dir() / "dataset", package / "_conf" / "dataset")
    shutil.copytree(resources.data_dir(), package / "_data")
    return root


def test_checkout_layout():
    root = Path(__file__).resolve().parents[2]
    assert resources.conf_dir() == root / "conf"
    assert resources.data_dir() == root / "data"


def test_wheel_layout(installed):
    done = run_in(installed)
    package = installed / "metriclearn"
    assert done.stdout.strip() == f"{package / '_conf'} {package / '_data'} (208, 60)", done.stderr


def test_incomplete_installation_says_so(installed):
    shutil.rmtree(installed / "metriclearn" / "_conf")
    assert "UserError: no data set configurations in" in run_in(installed).stderr


def test_another_data_folder(tmp_path, monkeypatch):
    shutil.copy(resources.data_dir() / "sonar.csv.gz", tmp_path)
    monkeypatch.setenv("METRICLEARN_DATA", str(tmp_path))
    assert load_dataset("sonar").source == "shipped"
    monkeypatch.setenv("METRICLEARN_OFFLINE", "1")
    with pytest.raises(DatasetUnavailable, match=f"no {tmp_path}/ilpd.csv.gz"):
        load_dataset("ilpd")


def test_default_cache_is_the_users(monkeypatch):
    monkeypatch.delenv("METRICLEARN_CACHE")
    assert resources.cache_dir().name == "metriclearn"


def test_messages_name_no_ones_folders(monkeypatch, tmp_path):
    shown = resources.shown
    monkeypatch.setenv("METRICLEARN_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert shown(tmp_path / "mirror/lfw/pairs.txt") == "$METRICLEARN_MIRROR/lfw/pairs.txt"
    assert shown(tmp_path / "home/.cache/pairs.txt") == "~/.cache/pairs.txt"
    assert shown(tmp_path / "else/pairs.txt") == str(tmp_path / "else/pairs.txt")
