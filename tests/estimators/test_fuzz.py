"""A small part of benchmarks/fuzz.py: every learner on awkward data, within a time limit."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

path = Path(__file__).resolve().parents[2] / "benchmarks" / "fuzz.py"
spec = importlib.util.spec_from_file_location("fuzz", path)
fuzz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzz)

# Seeds that once hung or failed.
FOUND = [
    *[("PLML", seed) for seed in (1, 5, 16, 19, 7043)],
    *[("NCA", seed) for seed in (7, 59, 61, 7007, 7025)],
    *[("ITML", seed) for seed in (57, 60, 65, 209, 7297)],
    *[("LMNN", seed) for seed in (56, 86)],
    *[("KISSME", seed) for seed in (5256, 5311, 7066)],
    *[("DoubletSVM", seed) for seed in (47, 100074)],
    *[("NCML", seed) for seed in (503227, 503248)],
    ("PCML", 52),
    ("MCML", 15),
]


@pytest.mark.parametrize("name", fuzz.LEARNERS)
def test_fits_end_in_a_metric_or_in_words(name):
    outcomes = [fuzz.attempt(name, seed) for seed in range(1000, 1006)]
    assert set(outcomes) <= {"good", "refused"}
    assert "good" in outcomes


@pytest.mark.parametrize("name, seed", FOUND)
def test_what_was_found_is_mended(name, seed):
    assert fuzz.attempt(name, seed) in ("good", "refused")


def test_a_draw_is_its_seed():
    for name in fuzz.LEARNERS:
        (model, X, y), (again, Z, t) = fuzz.draw(name, 3), fuzz.draw(name, 3)
        assert repr(model) == repr(again) and (X == Z).all() and (y == t).all()


def test_a_fit_beyond_the_limit_is_found():
    command = [sys.executable, str(path), "--learners", "MCML", "--number", "1", "--seed", "9"]
    command += ["--processes", "1", "--limit", "1e-6"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1, ended.stderr
    assert "MCML --seed 9: no end after 1e-06 s" in ended.stdout
