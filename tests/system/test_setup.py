"""Lists that must agree: what conda and pip need, and what the matrix tests."""

import runpy
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_environment_and_pyproject_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    pip = {*project["dependencies"], *extras["pipeline"], *extras["test"]}
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = {text.replace(" ", "") for text in entries if isinstance(text, str)}
    conda |= {text for entry in entries if isinstance(entry, dict) for text in entry["pip"]}
    assert conda - {"pip", f"python{project['requires-python']}"} == pip


def test_the_quick_tests_of_the_matrix_are_there():
    tool = runpy.run_path(str(ROOT / "tools/test_matrix.py"), run_name="matrix")
    for place in tool["QUICK"]:
        path, _, name = place.partition("::")
        assert (ROOT / path).exists() and (not name or f"def {name}(" in (ROOT / path).read_text())
