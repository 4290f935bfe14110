"""The workflow on a real Slurm gives the rows of a local run, byte for byte.

Not a part of the default run (its name keeps pytest from collecting it): make test-slurm.
"""

import shutil

import pytest
from conftest import LIMIT, clones, make_clone, results, set_aside, submissions

from metriclearn.experiment.methods import all_methods


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone, and the results of a small experiment on this machine's cores."""
    folder = make_clone(tmp_path_factory.mktemp("clone"))
    done = clones.snakemake(folder, "--cores", "2", experiment="queue")
    assert done.returncode == 0, done.stdout
    return folder, set_aside(folder, tmp_path_factory.mktemp("here"))


@pytest.fixture(scope="module")
def there(here, queued):
    """The clone after the same on the cluster, and what snakemake said."""
    return here[0], queued(here[0])


def test_rows_are_those_of_this_machine(here, there):
    expected = results(here[1], "queue")
    assert len([name for name in expected if "/train/" in name]) == 6
    assert results(there[0], "queue") == expected


def test_small_jobs_are_submitted_together(there):
    # prepare and split; the six jobs of train; collect with the table.
    assert len(submissions(there[1])) == 3


def test_hydra_sweep_is_the_workflow(there):
    """-m over methods and repetitions makes the jobs that the cluster made."""
    folder, _ = there
    done = clones.module(
        folder,
        "train",
        "-m",
        "experiment=queue",
        "run=queue",
        "dataset=file",
        "dataset.path=./toy.csv",
        "method=euclidean,patient,pcml",
        "repeat=0,1",
    )
    assert done.returncode == 0, done.stderr
    for method in ("euclidean", "patient", "pcml"):
        for repeat in (0, 1):
            name = f"repeat{repeat}.rows.csv"
            [by_hand] = (folder / "results/jobs/toy" / method).glob(f"*/{name}")
            queue = folder / "results/queue/train/toy" / method / name
            assert by_hand.read_bytes() == queue.read_bytes()


def test_hydra_sweep_of_a_setting(there, queued):
    """-m over C makes the rows of one run per value on the cluster."""
    folder, _ = there
    shutil.rmtree(folder / "results/jobs", ignore_errors=True)
    done = clones.module(
        folder,
        "train",
        "-m",
        "experiment=queue",
        "dataset=file",
        "dataset.path=./toy.csv",
        "method=pcml",
        "method.C=0.1,10.0",
        "run=queue-method.C_${method.C}",
    )
    assert done.returncode == 0, done.stderr
    jobs = folder / "results/jobs/toy/pcml"
    by_hand = [path.read_bytes() for path in jobs.glob("*/repeat0.rows.csv")]
    queue = []
    for C in ("0.1", "10.0"):
        path = f"results/queue-method.C_{C}/train/toy/pcml/repeat0.rows.csv"
        queued(folder, path, "--config", "experiment=queue", f"overrides=[method.C={C}]")
        queue.append((folder / path).read_bytes())
    assert sorted(by_hand) == sorted(queue)
    assert queue[0] != queue[1]


def test_cancelled_job_is_tried_again(cluster, queued, here, there, tmp_path):
    folder = there[0]
    set_aside(folder, tmp_path)
    (folder / "block").touch()
    run = queued.start(folder)
    text = []
    try:
        for line in run.stdout:
            text.append(line)
            if len(ids := submissions("".join(text))) == 2:
                break
        else:
            pytest.fail("".join(text))
        (folder / "block").unlink()
        cluster.client("scancel", ids[-1])
        rest, _ = run.communicate(timeout=LIMIT)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 0, "".join(text) + rest
    assert len(submissions("".join(text) + rest)) == 4  # the cancelled one twice
    assert results(folder, "queue") == results(here[1], "queue")


def test_smoke_run(queued, tmp_path):
    folder = clones.make_clone(tmp_path / "smoke")
    (folder / "conf/method/patient.yaml").unlink()
    shutil.rmtree(folder / "data")
    shutil.copytree(clones.ROOT / "data", folder / "data")
    done = clones.snakemake(folder, "--cores", "2", "smoke", experiment="paper")
    assert done.returncode == 0, done.stdout
    expected = results(set_aside(folder, tmp_path), "smoke")
    # Every method on both data sets, and the kernel's on one.
    trained = 2 * len(all_methods()) + 1
    assert len([path for path in expected if "/train/" in path]) == trained

    text = queued(folder, "smoke", experiment="paper")
    assert results(folder, "smoke") == expected
    # Of prepare and split one, of train one, of sweep and gap one each; figures and tables.
    assert len(submissions(text)) < sum(clones.job_counts(text).values()) / 2
    print(f"{sum(clones.job_counts(text).values())} jobs in {len(submissions(text))} submissions")
