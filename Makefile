# Everything sets itself up first: `make demo` and `make test` are all a fresh machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core-installed
DEV := $(VENV)/.dev-installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-all check fix size bench bench-decode docs clean

demo: $(CORE)           ## train, test and try an English→Hindi translator
	$(BIN)/dragoman demo

test: $(DEV)            ## the tests, under ten minutes on two cores
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal -m "not slow" --durations 25

test-all: $(DEV)        ## the long proofs too
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal -m slow --durations 10

check: $(DEV)           ## format, lint, types, import contracts, sizes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/architecture/sizes.py

fix: $(DEV)             ## what a machine can put right
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

size: $(DEV)            ## lines per folder
	$(BIN)/python tests/architecture/sizes.py --chart

bench: $(DEV)           ## training speed beside transformers' Marian, in one run
	$(BIN)/python benchmarks/training_speed.py

bench-decode: $(DEV)    ## decoding speed beside transformers and CTranslate2, in one run
	$(BIN)/python benchmarks/decoding_speed.py

docs: $(DEV)            ## the site of the documentation, in docs/_build
	$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going docs docs/_build

clean:                  ## remove the environment and all that was made
	rm -rf $(VENV) runs dist docs/_build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[serve]'
	touch $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@ $(CORE)
