"""conda's and pip's lists of what is needed agree."""

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
