# The front door. `make` alone lists the targets.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
BENCH ?=

PACKAGES = libsqlite3-dev libssl-dev pkg-config
# Programs that tests look for, and what they do not look at without; each is the Debian package of its name.
TEST_PACKAGES = valgrind prometheus
RELEASE = --configuration release --product refrain --static-swift-stdlib
BINARY = .build/release/refrain

# Installs packages with apt-get, as root or by sudo; fails where neither can.
define install_packages
{ if [ "$$(id -u)" = 0 ]; then as_root=; elif command -v sudo >/dev/null; then as_root=sudo; else as_root=none; fi; \
	[ "$$as_root" != none ] && command -v apt-get >/dev/null && { \
		echo "installing $(1)"; \
		$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q $(1) </dev/null || { \
			$$as_root apt-get update -q </dev/null && \
			$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q $(1) </dev/null; }; }; }
endef

.DEFAULT_GOAL := help
.PHONY: help deps deps-test run build test lint format bench install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the C libraries where their headers are missing
	@command -v $(SWIFT) >/dev/null || { echo "refrain: no Swift toolchain found; see https://www.swift.org/install/linux" >&2; exit 1; }
	@if pkg-config --exists sqlite3 openssl 2>/dev/null; then exit 0; fi; \
	$(call install_packages,$(PACKAGES)) && pkg-config --exists sqlite3 openssl && exit 0; \
	{ echo "refrain: the headers of SQLite and OpenSSL are missing. Install them as root, then try again:"; \
	  echo "    apt-get install $(PACKAGES)        (Debian, Ubuntu)"; \
	  echo "    dnf install sqlite-devel openssl-devel pkgconf-pkg-config        (Fedora)"; } >&2; \
	exit 1

deps-test: deps ## install valgrind and prometheus where missing; without them costs and metrics are tested less
	@for package in $(TEST_PACKAGES); do \
		command -v $$package >/dev/null || { $(call install_packages,$$package); } || \
		echo "$$package could not be installed (apt-get install $$package); going on without"; \
	done

run: deps build ## build, then run the proxy in front of the simulated API; no configuration needed
	@exec $(BINARY) demo

build: ## the release binary, .build/release/refrain
	$(SWIFT) build $(RELEASE)

test: deps-test build ## the whole test suite
	REFRAIN_RELEASE=$(CURDIR)/$(BINARY) $(SWIFT) test --no-parallel

lint: ## check the format of all sources
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

format: ## put all sources into that format
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

bench: deps build ## the benchmarks; BENCH="..." passes arguments on
	$(SWIFT) build -c release --product bench --static-swift-stdlib && .build/release/bench $(BENCH)

install: build ## into $(DESTDIR)$(PREFIX)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/doc/refrain"
	install -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/refrain"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	sed 's#/usr/local/bin/#$(PREFIX)/bin/#' Sources/Deployment/systemd/refrain.service \
		> "$(DESTDIR)$(PREFIX)/lib/systemd/system/refrain.service"
	install -m 644 Sources/Deployment/systemd/refrain.socket "$(DESTDIR)$(PREFIX)/lib/systemd/system/refrain.socket"
	install -m 644 proxy.conf.example "$(DESTDIR)$(PREFIX)/share/doc/refrain/proxy.conf.example"

clean: ## remove what was built
	$(SWIFT) package clean
