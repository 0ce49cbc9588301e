# `make run` and `make test` are all that a fresh machine with Python 3.11 and git needs.

PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin

# Tests run on all processors, up to eight, those of a file in one process, in the order of
# tests/conftest.py. Processes share the kernels that they compile.
PYTEST = $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile \
	--no-loadscope-reorder
# What is imported is compiled then, and all the rest need not be: half of the time.
INSTALL = $(BIN)/python -m pip install --quiet --no-compile --editable

QUICK = tests/broadphase tests/collision tests/contact tests/engines/test_invariants.py \
	tests/engines/test_known_answers.py tests/engines/test_state_hashes.py \
	tests/engines/test_surfaces.py tests/model tests/numerics tests/obstacles tests/scene \
	tests/test_cases.py tests/test_simulation.py

# Where this is set, each process translates anew all modules that it imports: half of its time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run view test test-all check lint format docs page bench bench-tables clean

run: $(VENV)/ready
	$(BIN)/spheresim run magic_room --force

view: $(VENV)/ready
	$(BIN)/spheresim view

test: $(VENV)/ready-to-test
	$(PYTEST)

# What `make test` leaves out: the same at greater size and with more examples, pictures of all
# scenes, the details of the window, and the kernels once more as plain Python.
test-all: test
	$(PYTEST) -m '(thorough or hypothesis) and not study' --hypothesis-profile=thorough
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m 'not study and not compiled_only and not thorough' --ignore=tests/viewer

# Before each commit: what takes less than a minute, once the kernels are compiled.
check: lint
	$(PYTEST) --quiet $(QUICK)

lint: $(VENV)/ready-to-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready-to-test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The documents as a site in build/docs; without a network, once the environment is there.
docs: $(VENV)/ready-for-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs

page: $(VENV)/ready
	$(BIN)/spheresim page magic_room --out magic_room.html --force

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks.stepping
	$(BIN)/python -m benchmarks.viewer
	$(BIN)/python -m benchmarks.events
	$(BIN)/python -m benchmarks.threads
	$(BIN)/python -m benchmarks.single_impacts
	$(BIN)/python -m benchmarks.pile
	$(BIN)/python -m benchmarks.obstacles
	$(BIN)/python -m benchmarks.convex
	$(BIN)/python -m benchmarks.broadphase
	$(BIN)/python -m benchmarks.broadphase_cells
	$(BIN)/python -m benchmarks.collision_world

bench-tables: $(VENV)/bin/python
	$(BIN)/python -m benchmarks.tables

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "spheresim needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/ready: $(VENV)/bin/python pyproject.toml
	$(INSTALL) .
	touch $@

$(VENV)/ready-to-test: $(VENV)/bin/python pyproject.toml
	$(INSTALL) '.[test]'
	touch $@ $(VENV)/ready

$(VENV)/ready-for-docs: $(VENV)/bin/python pyproject.toml
	$(INSTALL) '.[docs]'
	touch $@ $(VENV)/ready

clean:
	rm -rf $(VENV) build dist
