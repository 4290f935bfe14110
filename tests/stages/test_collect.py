"""Rows of a run that is not complete."""

import csv
import shutil

import pytest


@pytest.fixture
def partial(finished, tmp_path):
    """The tiny run without PCML's second repetition and without all of its faces."""
    folder = tmp_path / "clone"
    shutil.copytree(finished[0], folder, ignore=shutil.ignore_patterns(".snakemake"))
    (folder / "results/tiny/train/toy/pcml/repeat1.rows.csv").unlink()
    shutil.rmtree(folder / "results/tiny/match")
    return folder


def identities(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [(row["method"], row["repeat"], row["fold"]) for row in csv.DictReader(file)]


def test_jobs_that_were_not_run_are_left_out(kit, finished, partial):
    everything = identities(finished[0] / "results/tiny/own.rows.csv")
    done = kit.module(partial, "collect", "own", "--experiment", "tiny", "--finished")
    assert done.returncode == 0, done.stderr
    kept = [row for row in everything if row[:2] != ("pcml", "1")]
    assert len(kept) == len(everything) - 3
    assert done.stdout == f"results/tiny/own.rows.csv: {len(kept)} rows\n"
    for kind in ("rows", "times"):
        assert identities(partial / f"results/tiny/own.{kind}.csv") == kept
    done = kit.module(partial, "tables", "table3", "--experiment", "tiny")
    assert done.returncode == 0, done.stderr
    assert "3 of 6 folds" in (partial / "results/tiny/tables/table3.md").read_text()


def test_a_group_without_a_finished_job_is_refused(kit, partial):
    before = (partial / "results/tiny/tiny_faces.rows.csv").read_bytes()
    done = kit.module(partial, "collect", "tiny_faces", "--experiment", "tiny", "--finished")
    assert done.returncode == 1
    assert done.stderr == (
        "error: no job of tiny_faces has been run; snakemake --cores 8 runs them\n"
    )
    assert (partial / "results/tiny/tiny_faces.rows.csv").read_bytes() == before
