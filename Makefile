# Every door into the project. `make` alone lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Written by npm when an install is complete, so it tells when the lock file has moved on.
DASHBOARD_MODULES := dashboard/node_modules/.package-lock.json
E2E_MODULES := e2e/node_modules/.package-lock.json
# A package of its own, because the generator does not run on the TypeScript of the dashboard.
API_TYPES_MODULES := dashboard/api-types/node_modules/.package-lock.json
DASHBOARD_BUILD := dashboard/dist/index.html
# The program as the tests build it. Another choice of packages means other features of what they share: everything would
# be built twice.
BUILD := cargo test --workspace --locked --no-run --quiet
TARSY := "$${CARGO_TARGET_DIR:-target}/debug/tarsy"
DASHBOARD_SOURCES := $(shell find dashboard/src dashboard/public -type f) $(wildcard dashboard/*.*)

.PHONY: help
help: ## List every target with what it does.
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' \
	  $(MAKEFILE_LIST)

##@ Run

# The release profile is without link-time optimisation: a newcomer waits for it.
.PHONY: demo
demo: dashboard ## Build everything and watch an investigation on http://127.0.0.1:8080.
	cargo build --release --locked --bin tarsy
	"$${CARGO_TARGET_DIR:-target}/release/tarsy" demo

.PHONY: dev
dev: $(DASHBOARD_MODULES) ## Serve the dashboard with hot reload, against a running `tarsy serve`.
	@(exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null || \
	  echo 'No server answers on 127.0.0.1:8080 yet: start one in another terminal with `cargo run --bin tarsy -- serve`.'
	cd dashboard && npm run dev

##@ Test

# The dashboard comes first because the server embeds what it builds: Rust does not compile without it.
.PHONY: test
test: ## Run everything that CI runs, on a private PostgreSQL that is stopped afterwards.
	@scripts/steps test-tools dashboard lint test-dashboard test-rust test-fuzz test-config test-e2e

.PHONY: test-tools
test-tools: ## Install what the tests need and this machine lacks.
	@scripts/install-test-tools

.PHONY: lint
lint: $(DASHBOARD_BUILD) $(API_TYPES_MODULES) ## Check formatting, lints and types of all code; dependencies too if cargo-deny is here.
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cd dashboard && npm run lint && npm run typecheck
	$(BUILD)
	$(TARSY) schema openapi | npm --prefix dashboard run --silent types:check || \
	  { echo 'dashboard/src/api/schema.d.ts is not what the server describes; run `make types`.' >&2; exit 1; }
	if command -v cargo-deny >/dev/null; then $(MAKE) deny; fi

.PHONY: test-rust
test-rust: $(DASHBOARD_BUILD) $(E2E_MODULES) ## Run the Rust tests on SQLite and on a private PostgreSQL.
	TARSY_PG_FAST=1 scripts/with-postgres scripts/test-rust.mjs

# The short form is a part of `test-rust`.
.PHONY: test-crash
test-crash: $(DASHBOARD_BUILD) ## Kill, pause and restart the real program 200 times under load, on both databases.
	TARSY_PG_FAST=1 TARSY_CRASH_KILLS=$${TARSY_CRASH_KILLS:-200} scripts/with-postgres \
	  cargo test --locked -p tarsy-cli --test crash -- --nocapture

# Its own workspace and target directory, so that its flags do not make the others build again.
.PHONY: test-fuzz
test-fuzz: ## Feed the readers of model text and the masking with made-up texts for a while.
	scripts/fuzz

.PHONY: test-config
test-config: $(DASHBOARD_BUILD) ## Check the example configuration in config/ with `tarsy check`.
	$(BUILD)
	$(TARSY) check config

.PHONY: test-dashboard
test-dashboard: $(DASHBOARD_MODULES) ## Run the dashboard's unit and component tests.
	cd dashboard && npm test

.PHONY: test-e2e
test-e2e: $(DASHBOARD_BUILD) $(E2E_MODULES) ## Run the real program in a real browser.
	$(BUILD)
	cd e2e && npm test

# Not a part of `test`: it downloads 150 MB, and a real model never says the same thing twice.
.PHONY: test-llama
test-llama: $(DASHBOARD_BUILD) ## Ask a small real model on a real llama.cpp server, over three wire formats.
	scripts/python-environment target/test-llama/venv scripts/test-llama.txt
	cargo build --locked --bin tarsy
	target/test-llama/venv/bin/python scripts/test-llama.py "$${CARGO_TARGET_DIR:-target}/debug/tarsy"

.PHONY: bench
bench: $(DASHBOARD_BUILD) ## Run the benchmarks, on SQLite and on a private, durable PostgreSQL.
	scripts/with-postgres cargo bench --workspace --locked --bench '*'

# The advisory database needs the network, so `cargo deny check advisories` is left to whoever has it.
.PHONY: deny
deny: ## Check licences, bans and sources of all dependencies (needs cargo-deny).
	@command -v cargo-deny >/dev/null || \
	  { echo 'cargo-deny is not here; install it with `cargo install --locked cargo-deny`.' >&2; exit 1; }
	cargo deny --locked check --hide-inclusion-graph bans licenses sources

##@ Build

.PHONY: dashboard
dashboard: $(DASHBOARD_BUILD) ## Build the dashboard into dashboard/dist.

$(DASHBOARD_BUILD): $(DASHBOARD_MODULES) $(DASHBOARD_SOURCES)
	cd dashboard && npm run build

$(DASHBOARD_MODULES) $(E2E_MODULES) $(API_TYPES_MODULES): %/node_modules/.package-lock.json: %/package-lock.json
	cd $* && npm ci
	@touch $@

# There is no repository inside, so the version is told.
VARIANT := plain
.PHONY: image
image: ## Build the container image; VARIANT=with-node has Node for MCP servers.
	package=$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml) && \
	commit=$$(git describe --always --exclude='*' --abbrev=8 --dirty) && date=$$(git log -1 --format=%cs) && \
	docker build --tag tarsy:$(patsubst plain,latest,$(VARIANT)) --build-arg VARIANT=$(VARIANT) \
	  --build-arg TARSY_BUILD_VERSION="$$package ($$commit, $$date)" .

.PHONY: types
types: $(DASHBOARD_BUILD) $(API_TYPES_MODULES) ## Generate the dashboard's types from the server's interface.
	$(BUILD)
	$(TARSY) schema openapi | npm --prefix dashboard run --silent types

.PHONY: reference
reference: $(DASHBOARD_BUILD) ## Write docs/configuration.md anew from the schema of the configuration.
	$(BUILD)
	$(TARSY) schema reference > docs/configuration.md

# Made by a script, so that they stay true; made by hand, so that they do not change with every build.
.PHONY: screenshots
screenshots: $(DASHBOARD_BUILD) $(E2E_MODULES) ## Draw the pictures of the dashboard in docs/images anew.
	scripts/screenshots

.PHONY: fmt
fmt: $(DASHBOARD_MODULES) ## Format all code.
	cargo fmt --all
	cd dashboard && npm run format

.PHONY: clean
clean: ## Remove everything that was built or downloaded into the work tree.
	cargo clean
	rm -rf dashboard/dist dashboard/node_modules dashboard/api-types/node_modules e2e/node_modules
