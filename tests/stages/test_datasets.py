"""The command line: output, exit codes, one line per error."""

import subprocess
import sys

import pytest

from metriclearn.stages.datasets import main


def test_list(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 15
    assert lines[4].split() == ["letter", "20000", "16", "26", "16000+4000", "shipped", "Letter"]
    assert "to be fetched" in next(line for line in lines if line.startswith("mnist"))


def test_fetch_shipped(capsys):
    assert main(["fetch", "sonar", "ilpd"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "sonar: from shipped, content 21b400f7454a",
        "ilpd: from shipped, content 7d6c03473382",
    ]


def test_fetch_what_is_unavailable(capsys, monkeypatch, cache):
    monkeypatch.setenv("METRICLEARN_OFFLINE", "1")
    assert main(["fetch", "semeion", "sonar"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("sonar: from shipped")  # the rest goes on
    assert err.count("\n") == 1 and err.startswith("error: data set semeion is unavailable (")
    assert "$METRICLEARN_CACHE/semeion" in err and "archive.ics.uci.edu" in err
    assert not cache.exists()


def test_verify(capsys):
    assert main(["verify", "sonar", "letter"]) == 0
    assert "letter: shipped ok, content 1772b274e19b" in capsys.readouterr().out
    assert main(["verify", "mnist"]) == 1  # asked for by name and not here
    assert capsys.readouterr().out == "mnist: not on this machine\n"


def test_verify_notices_damage(capsys, cache):
    (cache / "semeion").mkdir(parents=True)
    (cache / "semeion" / "semeion.data").write_text("1 2 3\n")
    assert main(["verify", "semeion"]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "line 1: expected 266 columns, got 3" in err


def test_verify_all(capsys):
    assert main(["verify"]) == 0
    out = capsys.readouterr().out
    assert out.count("shipped ok") == 10 and out.count("not on this machine") == 4


def test_info(capsys, tmp_path):
    assert main(["info", "spectf_heart"]) == 0
    assert "80 train + 187 test" in capsys.readouterr().out
    (tmp_path / "own.csv").write_text("1,2,a\n3,4,b\n")
    assert main(["info", str(tmp_path / "own.csv")]) == 0
    assert "2 rows, 2 features" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["info", "sonnar"], ["fetch", "sonnar"], ["verify", "x"]])
def test_unknown_name_is_one_line(arguments, capsys):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("error: unknown data set")


def test_module_runs_and_helps():
    command = [sys.executable, "-m", "metriclearn", "datasets"]
    done = subprocess.run([*command, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "METRICLEARN_CACHE" in done.stdout
    assert subprocess.run([*command, "frobnicate"], capture_output=True).returncode == 2
