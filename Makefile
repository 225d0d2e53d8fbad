# Everything a fresh machine needs: `make demo`, `make test`.
BIN := .venv/bin
PROTO_BIN := .venv-proto/bin
PIP := pip install --quiet --disable-pip-version-check

.PHONY: demo test check proto bench clean

demo: .venv/.ready
	$(BIN)/referee run sample_bots/demo.toml --arena demo
	$(BIN)/referee run sample_bots/demo_ten.toml --arena demo

test: check
	$(BIN)/python -m pytest

check: .venv/.dev .venv-proto/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd proto && ../$(BIN)/buf lint
	$(PROTO_BIN)/python -W ignore proto/generate.py --check

# The generated code is checked in. The oldest tools of the supported range make it, so that every version in it can run it.
proto: .venv-proto/.ready
	$(PROTO_BIN)/python -W ignore proto/generate.py

bench: .venv/.dev
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.long_run

.venv/.ready: pyproject.toml sdk/python/pyproject.toml
	python3 -m venv .venv
	$(BIN)/$(PIP) -e sdk/python -e .
	touch $@

.venv/.dev: .venv/.ready
	$(BIN)/$(PIP) -e '.[dev]'
	touch $@

.venv-proto/.ready: proto/requirements.txt
	python3 -m venv .venv-proto
	$(PROTO_BIN)/$(PIP) -r proto/requirements.txt
	touch $@

clean:
	rm -rf .venv .venv-proto demo
