"""The quick tests on the oldest and the newest Python, each with the oldest and newest packages.

    python tools/test_matrix.py                    the four corners, as far as they are at hand
    python tools/test_matrix.py --python 3.12 --resolution highest
    python tools/test_matrix.py --dry-run          which interpreters and packages it would take

"Oldest" are the lower bounds of pyproject.toml (uv's lowest-direct), or the first version above
them that has a wheel for that Python. Environments go to .matrix/ and are used again as long as
pyproject.toml stays as it is. A corner without an interpreter is named and does not fail, unless
--strict says that it should.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")  # for which all dependencies have wheels
RESOLUTIONS = ("lowest-direct", "highest")
EXTRAS = "pipeline,test"
# Never built from source, so that "oldest" is a version that the Python at hand can have.
WHEELS = (
    "cvxpy",
    "llvmlite",
    "matplotlib",
    "numba",
    "numpy",
    "opencv-python-headless",
    "pandas",
    "pyyaml",
    "scikit-image",
    "scikit-learn",
    "scipy",
)
NAMED = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "snakemake", "hydra-core")
# Of the tests that run whole workflows only these: every job once, and what an edit reruns.
WORKFLOW = "tests/system/test_workflow.py::test_"
QUICK = (
    "tests/estimators",
    "tests/datasets",
    "tests/vision",
    "tests/evaluation",
    "tests/experiment/test_config.py",
    "tests/stages/test_train.py",
    "tests/system/test_setup.py",
    f"{WORKFLOW}two_cores_make_every_job_once",
    f"{WORKFLOW}summary_ends_the_run",
    f"{WORKFLOW}edit_of_a_method_reruns_its_jobs_only",
)


def find_interpreter(version):
    """A Python of that version: on the PATH, of pyenv, or of uv; None if there is none."""
    named = shutil.which(f"python{version}")
    folders = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(
            f"versions/{version}.*/bin/python"
        ),
        reverse=True,
    )
    found = uv("python", "find", "--offline", "--no-python-downloads", version, check=False)
    for path in (named, *folders, found.stdout.strip()):
        if path and interpreter_version(path) == version:
            return str(path)
    return None


def interpreter_version(path):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True)
    return done.stdout.strip()


def uv(*arguments, check=True, **options):
    """uv, from the environment of this Python or from the PATH."""
    beside = Path(sys.executable).parent / "uv"
    program = str(beside) if beside.exists() else shutil.which("uv")
    if program is None:
        sys.exit("error: no uv; pip install uv")
    return subprocess.run(
        [program, *arguments], text=True, capture_output=True, check=check, **options
    )


def prepare(folder, interpreter, resolution):
    """An environment with the package and its dependencies; its Python."""
    python, mark = folder / "bin/python", folder / "prepared"
    state = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if not (mark.exists() and mark.read_text() == state):
        shutil.rmtree(folder, ignore_errors=True)
        uv("venv", "--quiet", "--python", interpreter, str(folder))
        wheels = [word for name in WHEELS for word in ("--only-binary", name)]
        uv(
            "pip",
            "install",
            "--quiet",
            "--python",
            str(python),
            "--resolution",
            resolution,
            *wheels,
            "-e",
            f".[{EXTRAS}]",
            cwd=ROOT,
        )
        mark.write_text(state)
    return python


def versions(python):
    """Installed versions of the packages that matter most, as one line."""
    code = "import sys, importlib.metadata as m; print(*(m.version(n) for n in sys.argv[1:]))"
    done = subprocess.run([python, "-c", code, *NAMED], capture_output=True, text=True, check=True)
    return ", ".join(f"{name} {v}" for name, v in zip(NAMED, done.stdout.split(), strict=True))


def run_corner(version, resolution, tests, dry_run):
    """(status, what to say about it) of one corner; the status is passed, failed or absent."""
    interpreter = find_interpreter(version)
    if interpreter is None:
        return "absent", f"no Python {version} on this machine"
    if dry_run:
        return "found", interpreter
    start = time.monotonic()
    try:
        python = prepare(ROOT / ".matrix" / f"{version}-{resolution}", interpreter, resolution)
    except subprocess.CalledProcessError as error:
        return "failed", f"cannot install: {error.stderr.strip()}"
    ready = time.monotonic()
    print(f"\nPython {version}, {resolution}: {versions(python)}", flush=True)
    env = {**os.environ, "METRICLEARN_OFFLINE": "1", "PYTHONNOUSERSITE": "1"}
    done = subprocess.run([python, "-m", "pytest", *tests], cwd=ROOT, env=env)
    spent = f"installed in {ready - start:.0f} s, tested in {time.monotonic() - ready:.0f} s"
    return "failed" if done.returncode else "passed", spent


def corners(pythons):
    """The oldest and the newest Python that is here; the newest supported one if that is not."""
    if pythons:
        return pythons
    here = [version for version in PYTHONS if find_interpreter(version)]
    return list(dict.fromkeys([PYTHONS[0], *here[-1:], PYTHONS[-1]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", metavar="X.Y", help="instead of oldest and newest")
    parser.add_argument("--resolution", nargs="+", choices=RESOLUTIONS, default=RESOLUTIONS)
    parser.add_argument("--tests", nargs="+", default=QUICK, help="arguments of pytest")
    parser.add_argument("--strict", action="store_true", help="an absent interpreter is an error")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    table = [
        (version, resolution, *run_corner(version, resolution, options.tests, options.dry_run))
        for version in corners(options.python)
        for resolution in options.resolution
    ]
    print()
    for version, resolution, status, text in table:
        print(f"{version:5} {resolution:14} {status:7} {text}")
    bad = {"failed", "absent"} if options.strict else {"failed"}
    sys.exit(any(row[2] in bad for row in table))


if __name__ == "__main__":
    main()
