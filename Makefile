# Everything a fresh machine needs: `make demo`, `make test`.
VENV := .venv
BIN := $(VENV)/bin
PROTO_BIN := .venv-proto/bin
PROTOS := $(wildcard proto/referee/v1/*.proto)

.PHONY: demo test check proto bench setup clean

demo: setup
	$(BIN)/referee run sample_bots/demo.toml --arena demo
	$(BIN)/referee run sample_bots/demo_ten.toml --arena demo

test: setup check
	$(BIN)/python -m pytest

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml sdk/python/pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e sdk/python -e '.[dev]'
	touch $@

check: setup $(PROTO_BIN)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd proto && ../$(BIN)/buf lint
	$(PROTO_BIN)/python proto/generate.py --check

# The generated code is checked in. The oldest tools of the supported range make it, so that every version in it can run it.
proto: $(PROTO_BIN)/.ready
	$(PROTO_BIN)/python proto/generate.py

$(PROTO_BIN)/.ready: proto/requirements.txt
	python3 -m venv .venv-proto
	$(PROTO_BIN)/pip install --quiet --disable-pip-version-check -r proto/requirements.txt
	touch $@

bench: setup
	$(BIN)/python -m benchmarks.throughput

clean:
	rm -rf $(VENV) .venv-proto demo
