"""Rough weather: after each fault a second run ends with the rows of an undisturbed one."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from metriclearn.evaluation.attempt import time_limit

LIMIT = 300  # seconds: no fault may take longer than this to be answered


def rows(folder):
    found = sorted((folder / "results/small").rglob("*.rows.csv"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def half_written(folder):
    """Temporary files of ours; snakemake has its own in .snakemake."""
    return [path for path in (folder / "results").rglob(".*.csv.*")]


def start(kit, folder, *arguments, **more):
    return subprocess.Popen(
        kit.command(*(arguments or ("--cores", "1")), "--config", "experiment=small"),
        cwd=folder,
        env=kit.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **more,
    )


def read_until(run, text):
    for line in run.stdout:
        if text in line:
            return line
    pytest.fail(f"the run ended before it said {text!r}")


def finish(kit, folder):
    done = kit.snakemake(folder, "--cores", "2", experiment="small")
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def clone(kit, tmp_path):
    return kit.make_clone(tmp_path / "clone")


@pytest.fixture(scope="module")
def undisturbed(kit, tmp_path_factory):
    folder = kit.make_clone(tmp_path_factory.mktemp("undisturbed") / "clone")
    finish(kit, folder)
    return folder


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_job_is_named_and_done_again(kit, undisturbed, clone, how):
    (clone / "block").touch()
    run = start(kit, clone)
    read_until(run, "patient waits")
    group = str(os.getpgid(run.pid))
    job = subprocess.run(
        ["pgrep", "-g", group, "-f", "metriclearn train"], text=True, capture_output=True
    ).stdout.split()[-1]
    (clone / "block").unlink()  # the repetitions that follow are not held up
    os.kill(int(job), how)
    text = run.communicate(timeout=LIMIT)[0]
    assert run.returncode != 0
    assert re.search(r"logs/train/toy/patient/repeat\d\.log: ended without a message", text)
    assert half_written(clone) == []
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed)


def test_out_of_memory_ends_the_job_and_leaves_no_row(kit, undisturbed, clone):
    """The fit of one method asks for more than the machine can give."""
    hungry = clone / "metriclearn/estimators/patient.py"
    patient = hungry.read_text()
    line = "        self.n_features_in_"
    hungry.write_text(patient.replace(line, f"        np.ones(1 << 50)\n{line}"))
    done = kit.snakemake(clone, "--cores", "2", experiment="small")
    assert done.returncode != 0
    assert "error: out of memory (Unable to allocate" in done.stdout
    assert [name for name in rows(clone) if "/patient/" in name] == []
    assert [name for name in rows(clone) if "/euclidean/" in name] != []  # the others go on
    hungry.write_text(patient)
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed)


@pytest.fixture
def mounted(clone):
    """A small file system under results/, where the user may mount one."""
    place = clone / "results"
    place.mkdir()
    tried = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)],
        capture_output=True,
        text=True,
    )
    if tried.returncode != 0:
        pytest.skip(f"cannot mount: {tried.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk(kit, undisturbed, clone, mounted):
    filler = mounted / "filler"
    with open(filler, "wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while file.write(b"0" * 4096):
            pass
    done = kit.snakemake(clone, "--cores", "1", experiment="small")
    assert done.returncode != 0
    assert "No space left on device" in done.stdout
    assert rows(clone) == {} and half_written(clone) == []
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,size=64m", str(mounted)], check=True)
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed)


def test_a_read_only_results_folder(kit, undisturbed, clone, mounted):
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
    done = kit.snakemake(clone, "--cores", "1", experiment="small")
    assert done.returncode != 0
    assert "Read-only file system" in done.stdout
    subprocess.run(["mount", "-o", "remount,rw,size=64m", str(mounted)], check=True)
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed)


def test_a_second_run_at_the_same_time_is_refused(kit, undisturbed, clone):
    (clone / "block").touch()
    first = start(kit, clone)
    read_until(first, "patient waits")
    second = kit.snakemake(clone, "--cores", "1", experiment="small")
    assert second.returncode != 0
    assert f"error: another run (process {first.pid}) is going on in this folder" in second.stdout
    os.killpg(first.pid, signal.SIGKILL)  # a lock would be left behind; ours is not
    first.communicate(timeout=LIMIT)
    (clone / "block").unlink()
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed) and half_written(clone) == []


@pytest.mark.parametrize("days", [-4000, 4000])
def test_a_clock_that_jumps(kit, undisturbed, tmp_path, days):
    clone = shutil.copytree(undisturbed, tmp_path / "clone", symlinks=True)
    then = time.time() + 86400 * days
    for path in (clone / "results").rglob("*"):
        os.utime(path, (then, then))
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed)


def test_a_damaged_intermediate_file_is_named(kit, undisturbed, tmp_path):
    clone = shutil.copytree(undisturbed, tmp_path / "clone", symlinks=True)
    prepared = clone / "results/data/toy.npz"
    prepared.write_bytes(prepared.read_bytes()[:100])
    for name in ("train/toy/euclidean/repeat0.rows.csv", "own.rows.csv"):
        (clone / "results/small" / name).unlink()
    done = kit.snakemake(clone, "--cores", "1", experiment="small")
    assert done.returncode != 0
    assert "results/data/toy.npz: cannot read it" in done.stdout
    assert "delete it and run again" in done.stdout
    prepared.unlink()
    finish(kit, clone)
    assert rows(clone) == rows(undisturbed)


def test_a_hanging_fold_has_the_status_timeout_and_the_table_shows_it(kit, clone):
    (clone / "block").touch()
    changes = "overrides=[protocol.timeout=0.5]"
    done = kit.snakemake(clone, "--cores", "2", "table3", "--config", "experiment=small", changes)
    assert done.returncode == 0, done.stdout
    (run,) = (clone / "results").glob("small-*")
    text = (run / "tables/table3.md").read_text()
    assert "timeout: longer than 0.5 s (protocol.timeout)" in text


def test_a_call_that_never_returns_ends_the_job():
    """``signal`` alone cannot interrupt it: the watchdog does, and leaves a traceback."""
    code = (
        "import metriclearn.evaluation.attempt as a\n"
        "a.GRACE = 0.5\n"
        "with a.time_limit(0.5):\n"
        "    3 ** 10 ** 9\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 1
    assert "Timeout" in done.stderr and '<string>", line 4' in done.stderr


def test_a_limit_that_is_not_reached_leaves_nothing_behind():
    with time_limit(1000.0):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
