"""The one command line: metriclearn STAGE …"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from metriclearn.__main__ import STAGES, usage

ROOT = Path(__file__).resolve().parents[1]


def call(*words, cwd=ROOT):
    return subprocess.run(
        [sys.executable, "-m", "metriclearn", *words], cwd=cwd, capture_output=True, text=True
    )


def test_every_stage_is_listed_once_in_the_order_of_the_flow():
    modules = {path.stem for path in (ROOT / "metriclearn/stages").glob("[a-z]*.py")}
    assert modules - {"cli"} == set(STAGES) and len(set(STAGES)) == len(STAGES)
    lines = [line.split()[0] for line in usage().splitlines() if line.startswith("  ")]
    assert lines == list(STAGES)


def test_help_has_one_plain_line_for_each_stage():
    done = call("--help")
    assert done.returncode == 0 and done.stdout == usage() + "\n" and done.stderr == ""
    for line in done.stdout.splitlines():
        assert len(line) <= 110
        if line.startswith("  "):
            assert re.fullmatch(r"  \w+ +[A-Z].*\.", line), line


def test_without_a_stage_it_says_what_there_is():
    assert call().stdout == usage() + "\n"


def test_an_unknown_stage_gets_one_line():
    done = call("trian", "dataset=sonar")
    assert done.returncode == 2
    assert done.stderr == "error: unknown stage 'trian'; did you mean train?\n"
    done = call("zzz")
    assert done.returncode == 2 and done.stderr.startswith("error: unknown stage 'zzz'; there are")


def test_the_console_script_is_the_same():
    script = Path(sys.executable).with_name("metriclearn")
    done = subprocess.run([script, "--help"], capture_output=True, text=True)
    assert done.stdout == usage() + "\n"


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"]])
def test_a_reader_that_stops_early_gets_no_error(words):
    command = [sys.executable, "-m", "metriclearn", *words]
    reader, writer = os.pipe()
    os.close(reader)  # before anything is written
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_help(stage, tmp_path):
    done = call(stage, "--help", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    first = next(line for line in usage().splitlines() if line.split()[:1] == [stage])
    words = " ".join(first.split()[1:])
    assert words.rstrip(".") in " ".join(done.stdout.split())
    assert not list(tmp_path.iterdir())


def test_a_training_job_imports_only_what_it_uses(tmp_path):
    words = ["train", "dataset=breast_tissue", "method=pcml", "tuning=none"]
    small = ["protocol.repeats=1", "protocol.use_folds=1", f"out={tmp_path}/x.rows.csv"]
    program = (
        "import sys; from metriclearn.__main__ import main; main(); "
        "print(*{name.partition('.')[0] for name in sys.modules}); import pandas"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words, *small], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert {"sklearn", "numba"} <= loaded
    assert not {"pandas", "matplotlib", "snakemake", "cv2"} & loaded
