"""The stages compute with the same instructions on every x86-64 processor."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metriclearn.files.provenance import LIBRARIES, provenance
from metriclearn.workflow.arithmetic import PINS, pin, processor_flags

ABLE = {"avx2", "fma"} <= processor_flags()
needs_avx2 = pytest.mark.skipif(not ABLE, reason="needs an x86-64 processor with AVX2 under Linux")

# What the libraries took, told by a stage of the package.
TOLD = """\
import json
import numba, numpy, scipy.linalg
from numpy._core._multiarray_umath import __cpu_features__ as features
from threadpoolctl import threadpool_info

blas = {pool["architecture"] for pool in threadpool_info() if pool["internal_api"] == "openblas"}
wide = [name for name in ("X86_V4", "AVX512_SKX", "AVX512_ICL") if features.get(name)]


def main():
    print(json.dumps([sorted(blas), wide, numba.config.CPU_NAME, numba.config.CPU_FEATURES]))
"""


def test_pins_are_set_where_the_processor_can_and_nothing_was_set_by_hand():
    environment = {}
    pin(environment, flags={"sse2", "avx2", "fma"})
    assert environment == PINS
    for flags in (set(), {"sse2", "avx2"}, {"fma"}):
        environment = {}
        pin(environment, flags=flags)
        assert environment == {}
    environment = {"OPENBLAS_CORETYPE": "Zen"}
    pin(environment, flags={"avx2", "fma"})
    assert environment == {**PINS, "OPENBLAS_CORETYPE": "Zen"}


def test_flags_are_those_of_the_first_processor(monkeypatch, tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nflags\t\t: fpu avx2 fma\nprocessor\t: 1\nflags\t\t: fpu\n")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert {"fpu", "avx2", "fma"} <= processor_flags(file)
    assert processor_flags(tmp_path / "none") == set()
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert processor_flags(file) == set()


@needs_avx2
def test_the_libraries_of_a_stage_take_avx2_and_no_more(kit, tmp_path):
    clone = kit.make_clone(tmp_path / "clone")
    (clone / "metriclearn/stages/summary.py").write_text(TOLD)
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "metriclearn", "summary"],
        cwd=clone,
        env=_unpinned(kit.environment()),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert json.loads(done.stdout) == [["Haswell"], [], "x86-64-v3", ""]


def test_an_import_of_the_package_changes_nothing(kit):
    told = subprocess.run(
        [sys.executable, "-c", "import metriclearn, os; print(*os.environ)"],
        text=True,
        cwd=kit.root,
        env=_unpinned(os.environ),
        capture_output=True,
        check=True,
    )
    assert not set(PINS) & set(told.stdout.split())


@needs_avx2
@pytest.mark.parametrize("method", ["euclidean", "nca", "dml_eig", "pcml", "ncml"])
def test_rows_are_the_same_on_every_processor(kit, method, tmp_path):
    """The reference was made by the command below on another processor.

    A change of a solver changes its digits: then make the reference again.
    """
    reference = json.loads(Path(__file__).with_name("reference.json").read_text("utf-8"))
    versions = {library: provenance(1)[library] for library in LIBRARIES}
    if versions != reference["versions"]:
        pytest.skip(f"the reference is of other versions than {versions}")
    assert train(kit, method, tmp_path) == reference["rows"][method]


def train(kit, method, folder):
    """The rows of ten folds of Breast Tissue, tuned, as text."""
    out = folder / "repeat0.rows.csv"
    words = ("experiment=paper", "dataset=breast_tissue", f"method={method}", "repeat=0")
    done = kit.module(kit.root, "train", *words, f"out={out}")
    assert done.returncode == 0, done.stderr
    return out.read_text("utf-8").splitlines()


def _unpinned(environment):
    return {name: value for name, value in environment.items() if name not in PINS}
