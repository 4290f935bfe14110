"""The workflow on a small clone: determinism, restarts, what reruns and what does not."""

import os
import re
import signal
import subprocess

import pytest


def results(folder):
    """Every result that must be the same on every run: all but times, logs and benchmarks.

    Tables of faces and persons have a column of times, as the paper's have.
    """
    found = {}
    for path in sorted((folder / "results" / "tiny").rglob("*")):
        name = path.relative_to(folder).as_posix()
        timed = name.endswith(".times.csv") or "tables/faces" in name
        if path.suffix in (".csv", ".md", ".tex") and not timed:
            found[name] = path.read_bytes()
    return found


def test_two_cores_make_every_job_once(kit, finished):
    folder, text = finished
    assert kit.job_counts(text) == {
        "fetch": 1,
        "prepare": 1,
        "split": 1,
        "train": 6,
        "fetch_images": 1,
        "extract": 1,
        "match": 2,
        "collect": 1,
        "collect_images": 1,
        "table": 2,
        "figure": 1,
        "page": 1,
        "all": 1,
    }
    names = [name for name in results(folder) if "/train/" in name]
    assert names == [
        f"results/tiny/train/toy/{method}/repeat{repeat}.rows.csv"
        for method in ("euclidean", "patient", "pcml")
        for repeat in (0, 1)
    ]


def test_summary_ends_the_run(finished):
    text = finished[1]
    assert "jobs      8 of 8 done, 22 folds scored" in text
    assert "tables    2 of 2 in results/tiny/tables/: table3, faces" in text
    assert re.search(r"\b20 of 20 steps \(100%\) done", text)


def test_report_of_snakemake_needs_no_network(kit, finished, tmp_path):
    done = kit.snakemake(finished[0], "--report", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stdout
    added = re.findall(r"Adding (\S+) \(", done.stdout)
    assert added == ["table3.csv", "faces.csv", "faces_roc.svg", "report.html"]


def test_finished_run_has_nothing_to_do(kit, finished):
    again = kit.snakemake(finished[0], "-n")
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout
    assert kit.job_counts(again.stdout) == {}


def test_killed_run_on_one_core_goes_on_to_the_same_rows(kit, finished, tmp_path):
    clone = kit.make_clone(tmp_path / "killed")
    (clone / "block").touch()
    run = subprocess.Popen(
        kit.command("--cores", "1", "--config", "experiment=tiny"),
        cwd=clone,
        env=kit.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    for line in run.stdout:
        if "patient waits" in line:
            break
    else:
        pytest.fail("the run ended before a job could be killed")
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    unfinished = [name for name in results(clone) if "/patient/" in name]
    assert unfinished == []

    (clone / "block").unlink()
    again = kit.snakemake(clone, "--cores", "1")
    assert again.returncode == 0, again.stdout
    assert results(clone) == results(finished[0])


@pytest.fixture
def edited(kit, finished):
    """Edit a file of the finished clone, and put it back afterwards."""
    folder, kept = finished[0], {}

    def edit(name, old, new):
        path = folder / name
        kept[path] = path.read_bytes()
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        done = kit.snakemake(folder, "-n", "--quiet", "host")
        assert done.returncode == 0, done.stdout
        return done.stdout

    yield edit
    for path, content in kept.items():
        path.write_bytes(content)


def test_edit_of_a_method_reruns_its_jobs_only(kit, edited):
    text = edited("conf/method/pcml.yaml", "tol: 1.0e-3", "tol: 1.0e-4")
    assert kit.job_counts(text) == {
        "train": 2,
        "match": 1,
        "collect": 1,
        "collect_images": 1,
        "table": 2,
        "figure": 1,
        "page": 1,
        "all": 1,
    }
    assert set(re.findall(r"output: results/tiny/train/toy/(\w+)/", text)) == {"pcml"}
    assert set(re.findall(r"tiny_faces-attribute/(\w+)\.rows", text)) >= {"pcml"}


def test_edit_of_the_image_code_reruns_no_classification(kit, edited):
    text = edited("metriclearn/evaluation/verification.py", '"""', '"""(edited) ')
    assert kit.job_counts(text) == {
        "match": 2,
        "collect_images": 1,
        "table": 1,
        "figure": 1,
        "page": 1,
        "all": 1,
    }


def test_edit_of_an_estimator_reruns_its_jobs_only(kit, edited):
    text = edited(
        "metriclearn/estimators/patient.py", "np.eye(X.shape[1])", "1.0 * np.eye(X.shape[1])"
    )
    assert kit.job_counts(text) == {"train": 2, "collect": 1, "table": 1, "page": 1, "all": 1}
    assert set(re.findall(r"output: results/tiny/train/toy/(\w+)/", text)) == {"patient"}


def test_edit_of_a_stage_reruns_what_follows(kit, edited):
    text = edited(
        "metriclearn/stages/tables.py", "Make a table of the paper", "Make one table of the paper"
    )
    assert kit.job_counts(text) == {"table": 2, "page": 1, "all": 1}


def test_edit_of_the_style_reruns_the_page_only(kit, edited):
    text = edited("metriclearn/presentation/page/style.css", "#ffffff", "#fffffe")
    assert kit.job_counts(text) == {"page": 1, "all": 1}


def test_edit_of_the_data_reruns_everything(kit, edited):
    text = edited("toy.csv", ",a\n", ",c\n")
    assert kit.job_counts(text) == {
        "fetch": 1,
        "prepare": 1,
        "split": 1,
        "train": 6,
        "collect": 1,
        "table": 1,
        "page": 1,
        "all": 1,
    }


def test_overrides_go_to_their_own_folder(kit, finished):
    text = kit.snakemake(
        finished[0],
        "-n",
        "--quiet",
        "host",
        "--config",
        "experiment=tiny",
        "overrides=[method.C=0.1,protocol.repeats=1]",
    ).stdout
    assert kit.job_counts(text) == {
        "split": 1,
        "train": 3,
        "match": 2,
        "collect": 1,
        "collect_images": 1,
        "table": 2,
        "figure": 1,
        "page": 1,
        "all": 1,
    }
    folders = set(re.findall(r"output: results/([^/]+)/", text))
    assert folders == {"tiny-method.C_0.1-protocol.repeats_1"}


def test_repetitions_in_one_job_give_the_same_rows(kit, finished):
    folder, run = finished[0], "tiny-experiment.repeats_per_job_2"
    done = kit.snakemake(
        folder,
        "--cores",
        "2",
        f"results/{run}/own.rows.csv",
        "--config",
        "experiment=tiny",
        "overrides=[experiment.repeats_per_job=2]",
    )
    assert done.returncode == 0, done.stdout
    assert kit.job_counts(done.stdout)["train"] == 3
    names = sorted(path.name for path in (folder / f"results/{run}/train/toy/pcml").iterdir())
    assert names == ["repeat0-1.rows.csv", "repeat0-1.times.csv"]
    together = (folder / f"results/{run}/own.rows.csv").read_text()
    assert together.replace(run, "tiny") == (folder / "results/tiny/own.rows.csv").read_text()


@pytest.mark.parametrize(
    "config, line",
    [
        (["experiment=huge"], "error: unknown experiment 'huge'; there are paper, simulated, "),
        (
            ["experiment=tiny", "speed=9"],
            "error: --config: unknown key 'speed'; keys are experiment, overrides, strict",
        ),
        (["experiment=tiny", "overrides=[method.D=1]"], "error: unknown key method.D; keys are C,"),
        (
            ["experiment=tiny", "overrides=[experiment.datasets=[moon]]"],
            "error: unknown data set 'moon'",
        ),
        (
            ["experiment=tiny", "overrides=[experiment.methods=[magic]]"],
            "error: unknown method 'magic'; there are euclidean,",
        ),
    ],
)
def test_bad_configuration_is_one_line(kit, finished, config, line):
    done = kit.snakemake(finished[0], "-n", "--config", *config)
    assert done.returncode != 0
    errors = [text for text in done.stdout.splitlines() if text.startswith("error: ")]
    assert len(errors) == 1 and errors[0].startswith(line)


def test_more_folds_than_samples_stop_before_training(kit, finished):
    folder = finished[0]
    done = kit.snakemake(
        folder, "--cores", "1", "--config", "experiment=tiny", "overrides=[protocol.folds=31]"
    )
    assert done.returncode != 0
    assert "error: protocol.folds is 31, more than the 30 samples of toy" in done.stdout
    assert "did not finish" in done.stdout
    run = folder / "results/tiny-protocol.folds_31"  # faces have folds of their own, and are there
    assert list(run.glob("splits/*")) == [] and list(run.glob("train/*/*/*.csv")) == []
    assert not (run / "tables/table3.csv").exists() and (run / "tables/faces.csv").exists()


def test_lint_is_clean(kit, finished):
    done = kit.snakemake(finished[0], "--lint")
    assert done.returncode == 0
    assert "Congratulations" in done.stdout
