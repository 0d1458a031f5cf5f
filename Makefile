# Entry points of the project. `make` without arguments lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Written by npm at the end of an install, so it is older than a changed lock file.
DASHBOARD_MODULES := dashboard/node_modules/.package-lock.json
E2E_MODULES := e2e/node_modules/.package-lock.json
# A separate package, because the generator does not support the TypeScript version of the dashboard.
API_TYPES_MODULES := dashboard/api-types/node_modules/.package-lock.json
DASHBOARD_BUILD := dashboard/dist/index.html
# Builds the binary with the same features as the tests. Selecting other packages would change the features of shared
# dependencies and build everything twice.
BUILD := cargo test --workspace --locked --no-run --quiet
TARSY := "$${CARGO_TARGET_DIR:-target}/debug/tarsy"
DASHBOARD_SOURCES := $(shell find dashboard/src dashboard/public -type f) $(wildcard dashboard/*.*)

.PHONY: help
help: ## List all targets.
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' \
	  $(MAKEFILE_LIST)

##@ Run

# The release profile has no link-time optimization, because new users wait for this build.
.PHONY: demo
demo: dashboard ## Build everything and run a demo investigation on http://127.0.0.1:8080.
	cargo build --release --locked --bin tarsy
	"$${CARGO_TARGET_DIR:-target}/release/tarsy" demo

.PHONY: dev
dev: $(DASHBOARD_MODULES) ## Serve the dashboard with hot reload, against a running `tarsy serve`.
	@(exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null || \
	  echo 'No server responds on 127.0.0.1:8080; start one in another terminal with `cargo run --bin tarsy -- serve`.'
	cd dashboard && npm run dev

##@ Test

# The dashboard comes first, because the server embeds its build: Rust does not compile without it.
.PHONY: test
test: ## Run everything that CI runs, with a temporary PostgreSQL server.
	@scripts/steps test-tools dashboard lint test-dashboard test-rust test-fuzz test-config test-e2e

.PHONY: test-tools
test-tools: ## Install missing test dependencies.
	@scripts/install-test-tools

.PHONY: lint
lint: $(DASHBOARD_BUILD) $(API_TYPES_MODULES) ## Check formatting, lints and types of all code, and dependencies if cargo-deny is installed.
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cd dashboard && npm run lint && npm run typecheck
	$(BUILD)
	$(TARSY) schema openapi | npm --prefix dashboard run --silent types:check || \
	  { echo 'dashboard/src/api/schema.d.ts is out of date; run `make types`.' >&2; exit 1; }
	if command -v cargo-deny >/dev/null; then $(MAKE) deny; fi

.PHONY: test-rust
test-rust: $(DASHBOARD_BUILD) $(E2E_MODULES) ## Run the Rust tests on SQLite and on a temporary PostgreSQL server.
	TARSY_PG_FAST=1 scripts/with-postgres scripts/test-rust.mjs

# `test-rust` runs a short version of this test.
.PHONY: test-crash
test-crash: $(DASHBOARD_BUILD) ## Kill, pause and restart the real binary 200 times under load, on both databases.
	TARSY_PG_FAST=1 TARSY_CRASH_KILLS=$${TARSY_CRASH_KILLS:-200} scripts/with-postgres \
	  cargo test --locked -p tarsy-cli --test crash -- --nocapture

# A separate workspace and target directory, so that its flags do not trigger rebuilds of the others.
.PHONY: test-fuzz
test-fuzz: ## Fuzz the parsers of model output and the masking.
	scripts/fuzz

.PHONY: test-config
test-config: $(DASHBOARD_BUILD) ## Check the example configuration in config/ with `tarsy check`.
	$(BUILD)
	$(TARSY) check config

.PHONY: test-dashboard
test-dashboard: $(DASHBOARD_MODULES) ## Run the unit and component tests of the dashboard.
	cd dashboard && npm test

.PHONY: test-e2e
test-e2e: $(DASHBOARD_BUILD) $(E2E_MODULES) ## Run the browser tests against the real binary.
	$(BUILD)
	cd e2e && npm test

# Not part of `test`: it downloads 600 MB, takes an hour on two cores, and the output of a model is not deterministic.
LLAMA := target/test-llama
.PHONY: test-llama
test-llama: $(DASHBOARD_BUILD) ## Call small real models on a llama.cpp server: wire formats, then every demo incident.
	scripts/python-environment $(LLAMA)/venv scripts/llama/requirements.txt
	cargo build --locked --bin tarsy
	$(LLAMA)/venv/bin/python scripts/llama/wires.py "$${CARGO_TARGET_DIR:-target}/debug/tarsy"
	$(LLAMA)/venv/bin/python scripts/llama/incidents.py "$${CARGO_TARGET_DIR:-target}/debug/tarsy" $(LLAMA)

.PHONY: bench
bench: $(DASHBOARD_BUILD) ## Run the benchmarks on SQLite and on a temporary PostgreSQL server with durability enabled.
	scripts/with-postgres cargo bench --workspace --locked --bench '*'

# The advisory database needs network access; run `cargo deny check advisories` separately.
.PHONY: deny
deny: ## Check licenses, bans and sources of all dependencies (needs cargo-deny).
	@command -v cargo-deny >/dev/null || \
	  { echo 'cargo-deny is not installed; install it with `cargo install --locked cargo-deny`.' >&2; exit 1; }
	cargo deny --locked check --hide-inclusion-graph bans licenses sources

##@ Build

.PHONY: dashboard
dashboard: $(DASHBOARD_BUILD) ## Build the dashboard into dashboard/dist.

$(DASHBOARD_BUILD): $(DASHBOARD_MODULES) $(DASHBOARD_SOURCES)
	cd dashboard && npm run build

$(DASHBOARD_MODULES) $(E2E_MODULES) $(API_TYPES_MODULES): %/node_modules/.package-lock.json: %/package-lock.json
	cd $* && npm ci
	@touch $@

# The build context has no git repository, so the version is passed as an argument.
VARIANT := plain
.PHONY: image
image: ## Build the container image; VARIANT=with-node includes Node for MCP servers.
	package=$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml) && \
	commit=$$(git describe --always --exclude='*' --abbrev=8 --dirty) && date=$$(git log -1 --format=%cs) && \
	docker build --tag tarsy:$(patsubst plain,latest,$(VARIANT)) --build-arg VARIANT=$(VARIANT) \
	  --build-arg TARSY_BUILD_VERSION="$$package ($$commit, $$date)" .

.PHONY: types
types: $(DASHBOARD_BUILD) $(API_TYPES_MODULES) ## Generate the TypeScript types of the dashboard from the OpenAPI document.
	$(BUILD)
	$(TARSY) schema openapi | npm --prefix dashboard run --silent types

.PHONY: reference
reference: $(DASHBOARD_BUILD) ## Regenerate docs/configuration.md from the configuration schema.
	$(BUILD)
	$(TARSY) schema reference > docs/configuration.md

# Run manually, so that the images do not change with every build.
.PHONY: screenshots
screenshots: $(DASHBOARD_BUILD) $(E2E_MODULES) ## Retake the screenshots in docs/images.
	scripts/screenshots

.PHONY: fmt
fmt: $(DASHBOARD_MODULES) ## Format all code.
	cargo fmt --all
	cd dashboard && npm run format

.PHONY: clean
clean: ## Remove all build output and downloads from the work tree.
	cargo clean
	rm -rf dashboard/dist dashboard/node_modules dashboard/api-types/node_modules e2e/node_modules
