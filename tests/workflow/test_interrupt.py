"""Ctrl-C at a terminal: the run ends, says what is kept and how to go on, and goes on."""

import subprocess
import sys
import threading

import pytest

LIMIT = 300  # seconds: also on a busy machine a run has ended by then
CTRL_C = b"\x03"
# The terminal between the test and the run: what is written to its stdin is typed. Ctrl-C works in
# it even if whoever started the tests ignores it.
TERMINAL = """\
import os, pty, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
"""
DEAF = "            signal.signal(signal.SIGINT, signal.SIG_IGN)\n"  # as in a call into C


@pytest.fixture
def clone(kit, tmp_path):
    folder = kit.make_clone(tmp_path / "clone")
    (folder / "block").touch()
    return folder


def press_when(text, command, key, **options):
    """Run a command at a terminal, press a key once it says ``text``; all it said, and its code."""
    run = subprocess.Popen(
        [sys.executable, "-c", TERMINAL, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )
    late = threading.Timer(LIMIT, run.kill)
    late.start()
    lines = []
    for line in run.stdout:
        lines.append(line.decode(errors="replace"))
        if text in lines[-1]:
            run.stdin.write(key)
            run.stdin.flush()
    code = run.wait()
    late.cancel()
    assert code != -9, f"not ended within {LIMIT} s:\n{''.join(lines)}"
    return "".join(lines), code


def done(folder):
    found = (folder / "results/small").rglob("*.rows.csv")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("deaf", [False, True])
def test_the_run_ends_says_what_is_kept_and_goes_on(kit, clone, deaf):
    if deaf:
        patient = clone / "metriclearn/estimators/patient.py"
        line = "            while True:"
        patient.write_text(patient.read_text().replace(line, DEAF + line))
    text, code = press_when(
        "patient waits",
        kit.command("--cores", "1", "--config", "experiment=small"),
        CTRL_C,
        cwd=clone,
        env=kit.environment(),
    )
    assert code == 1
    assert "stopping; jobs that run have 5 s to end" in text
    assert "run small was interrupted" in text
    assert "stopped   train/toy/patient/repeat0: will start over" in text
    assert "to continue, run the same command: finished jobs are kept" in text
    assert "Traceback" not in text
    kept = done(clone)
    assert not any("/patient/" in name for name in kept)

    (clone / "block").unlink()
    again = kit.snakemake(clone, "--cores", "1", experiment="small")
    assert again.returncode == 0, again.stdout
    assert "jobs      2 of 2 done, 6 folds scored" in again.stdout
    assert kept.items() <= done(clone).items()


def test_a_single_job_ends_with_one_line(kit, clone):
    text, code = press_when(
        "patient waits",
        [
            sys.executable,
            "-m",
            "metriclearn",
            "train",
            "dataset=file",
            "dataset.path=./toy.csv",
            "method=patient",
            "tuning=none",
        ],
        CTRL_C,
        cwd=clone,
        env=kit.environment(),
    )
    assert code == 130
    assert text.splitlines()[-1].removeprefix("^C") == "error: interrupted"  # the key is echoed
    assert "Traceback" not in text
    assert not (clone / "results/jobs").exists()
