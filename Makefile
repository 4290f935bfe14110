# make reproduce   set up, then everything: tables and figures of the paper
# make smoke       set up, then two small data sets through every method
# make test        set up, then the tests (the smoke run among them)
# make docs        the documentation site into docs/_build/html, offline, and its checks
# make test-peers  our ITML, LMNN and NCA against metric-learn's, in an environment of its own
# make test-slurm    the workflow on a real Slurm of one node; needs slurmctld, slurmd and munge
# make test-matrix   the quick tests on the oldest and newest Python, oldest and newest packages
# make test-install  wheel, sdist and clone, in a path with spaces and without root
# make lint | bench | clean
# CORES=4 for fewer processors than there are.
PYTHON ?= python3
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed
DOCS_READY := $(VENV)/.installed-docs

.PHONY: reproduce smoke test docs test-peers test-slurm test-matrix test-install lint bench clean

reproduce: $(READY)
	$(BIN)/snakemake --cores $(CORES)

smoke: $(READY)
	METRICLEARN_OFFLINE=1 $(BIN)/snakemake --cores $(CORES) smoke

# A file at a time to each worker: tests of a file share what is costly to make.
test: $(READY)
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

docs: $(DOCS_READY)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs docs/_build/html
	$(BIN)/python -m pytest tests/docs/site_checks.py

test-peers:
	PYTHON=$(PYTHON) tests/system/peers/run.sh

test-slurm: $(READY)
	$(BIN)/python -m pip install --quiet -e '.[slurm]'
	$(BIN)/python -m pytest --verbose --durations=0 tests/system/slurm/cluster_checks.py

# MATRIX takes arguments, e.g. MATRIX='--python 3.12 --resolution highest'.
test-matrix: $(READY)
	$(BIN)/python -m pip install --quiet -e '.[matrix]'
	$(BIN)/python tools/test_matrix.py $(MATRIX)

test-install:
	PYTHON=$(PYTHON) tests/system/install/run.sh

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakemake --lint
	$(BIN)/mypy

bench: $(READY)
	for script in benchmarks/*.py; do $(BIN)/python "$$script" || exit 1; done

clean:
	find results figures -mindepth 1 -maxdepth 1 -type d ! -name published -exec rm -rf {} +
	rm -rf .snakemake multirun outputs docs/_build docs/api docs/gallery

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[pipeline,test,lint]'
	touch $(READY)

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	touch $(DOCS_READY)
