# Everything sets itself up first: `make demo` and `make test` are all a fresh machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core-installed
DEV := $(VENV)/.dev-installed
# Where there is a lock for this Python and platform, everything but torch is installed by its hash
# first; elsewhere by version alone.
PLATFORM = $(shell $(BIN)/python -c 'import platform, sys; v = sys.version_info; print(f"cp{v[0]}{v[1]}-{sys.platform}-{platform.machine()}")')
locked = $(addprefix --require-hashes --no-deps --requirement ,$(wildcard locks/$(1)-$(PLATFORM).txt))
install = $(if $(locked),$(BIN)/pip install --quiet $(locked) &&) $(BIN)/pip install --quiet --constraint constraints.txt --editable '.[$(1)]'
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-all proof check fix size bench bench-decode lock sbom docs clean

demo: $(CORE)           ## train, test and try an English→Hindi translator
	$(BIN)/dragoman demo

test: $(DEV)            ## the tests, under ten minutes on two cores
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal -m "not slow" --durations 25

test-all: $(DEV)        ## the long proofs too
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal -m slow --durations 10

proof: $(DEV)           ## faults by count, and mutations of the claims; hours
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.faults
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.mutations

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

lock: $(DEV)            ## renew the hashes of what is installed, for this Python and platform
	$(BIN)/python tools/lock.py

sbom: $(CORE)           ## a software bill of materials (CycloneDX 1.6), in sbom.json
	$(BIN)/python tools/sbom.py > sbom.json

docs: $(DEV)            ## the site of the documentation, in docs/_build
	$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going docs docs/_build

clean:                  ## remove the environment and all that was made
	rm -rf $(VENV) runs dist docs/_build sbom.json

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml constraints.txt $(wildcard locks/serve-*.txt) | $(BIN)/python
	$(call install,serve)
	touch $@

$(DEV): pyproject.toml constraints.txt $(wildcard locks/dev-*.txt) | $(BIN)/python
	$(call install,dev)
	touch $@ $(CORE)
