# The front door. `make` alone lists the targets.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
BENCH ?=
CLANG ?= clang
ONLY ?=
# The commit that `refrain version` names. Ten digits of it in every clone, so that one commit makes one program; none where
# this is no git checkout, and a caller may know it (the Dockerfile does).
ifndef REFRAIN_COMMIT
REFRAIN_COMMIT := $(if $(wildcard .git),$(shell git --git-dir=.git -c safe.directory='*' rev-parse HEAD 2>/dev/null | cut -c 1-10))
endif
export REFRAIN_COMMIT

# The last one is loaded at run time; without it clients get HTTP/1.1 alone.
PACKAGES = libsqlite3-dev libssl-dev pkg-config libnghttp2-14
# Programs that tests look for, and the Debian packages that have them; the last lines of a run name what was left out
# for want of one.
TEST_PROGRAMS = valgrind chromium prometheus zsh fish lintian mandoc groff node:nodejs dpkg-gencontrol:dpkg-dev redis-server haproxy curl
RELEASE = --configuration release --product refrain --static-swift-stdlib
# The tests have a build of their own: whole modules (Package.swift says why), and no index of the tests, which only
# editors and the search for XCTest cases need; that of the sources is what HouseTests reads. A folder of their own lets
# it run beside that of the release.
TESTS = --scratch-path .build/tests --disable-index-store --disable-xctest --enable-swift-testing
# Failures are shown as they happen; the last lines have the figures, what was left out, once more what failed, and how many tests
# passed (Tests/TestSupport/RunReport.swift): so the end of a long log is enough.
TEST = .build/tests/debug/refrainPackageTests.xctest --testing-library swift-testing --quiet
# The log is a file that is shown while it grows, not a pipe: a pipe ends with the last process that has it. After a
# crash the last lines say why and where, what failed before, what ran, and how many tests did not run. The backtrace is
# of the tests' own program: its children have none (TestRun.begin).
RUN_TESTS = { : >.build/tests/log; export SWIFT_BACKTRACE=registers=none,images=none,color=no,limit=24; \
	export REFRAIN_TEST_EVENTS=$(CURDIR)/.build/tests/events; \
	$(1) >.build/tests/log 2>&1 & run=$$!; trap 'kill $$run' INT TERM HUP; \
	tail -n +1 -s 0.2 -f --pid=$$run .build/tests/log & wait $$run; status=$$?; wait; \
	[ $$status -lt 128 ] || { echo "refrain: the tests crashed"; LC_ALL=C awk '$(CRASH)' .build/tests/log; \
		$(firstword $(TEST)) --crashed .build/tests/events; }; \
	exit $$status; }
# The reason of the last crash and the innermost calls of it. Exit tests have fatal errors of their own, long before.
CRASH = /Fatal error/ { error = $$0; line = NR } /Program crashed/ { crash = $$0; count = 0; if (NR - line > 20) error = "" } \
	/^ *[0-9]+ .* at \// { calls[count++] = $$0 } \
	END { if (error) print error; if (crash) print crash; for (i = 0; i < count && i < 12; i++) print calls[i] }
# The suites whose files have some text.
SUITES = $(shell grep -rlE --include='*Tests.swift' '$(1)' Tests | \
	sed -nE 's,Tests/([A-Za-z]+)/(.*/)?([A-Za-z0-9]+)\.swift,^\1\\.\3/,p' | sort | paste -sd '|')
# Those that have a full size beside the brief one, or look at the release build.
LONG_SUITES = $(call SUITES,TestSize\.(of.$$|.*full: |isFull)|requires\(\.release\))
# Those that have a size of hours.
RELEASE_SUITES = $(call SUITES,TestSize\..*release: )
# The suites of the fault programme, which FAULTS.md lists by row.
FAULTS = ^(FaultTests\.|[A-Za-z]+\.(StoreDamageTests|StoreDiskTests|StoreStateTests|StoreFaultTests|StoreReadFailureTests|StoreNamesTests|FileTrustTests|FilePlaceTests|FoundConfigurationTests|AccessLogSinkTests|RecordingWriterTests|UpstreamCorpusProxyTests|ClockTests|HerdTests|CollapsingTests|RequestCorpusTests|CertificateTests|CanaryTests|PersonalTests|HostFieldsTests|CrossSiteTests|RecordFloodTests|EndedListenerTests|UpgradeTests|ReplacementTests)/)
# The same tests in a build of their own for each sanitizer, with what .ci/sanitizers.c says in every program.
SANITIZED = .build/$(if $(filter thread,$(SANITIZER)),tsan,asan)
SANITIZED_TESTS = --sanitize=$(SANITIZER) -Xlinker $(CURDIR)/$(SANITIZED)/sanitizers.o \
	$(subst .build/tests,$(SANITIZED),$(TESTS))
BINARY ?= .build/release/refrain
INSTALLED = $(DESTDIR)$(PREFIX)
# For people; what is in Deployment is for the tools that it is named after.
DOCUMENTS = README.md ARCHITECTURE.md CHANGELOG.md \
	$(wildcard Sources/Documentation/*.md Sources/Documentation/maintainers/*.md Sources/Documentation/*.txt) \
	$(filter-out %.test.yml,$(wildcard Sources/Deployment/grafana/*.json Sources/Deployment/prometheus/*.yml)) \
	$(wildcard Sources/Deployment/haproxy/* Sources/Deployment/redis/* Sources/Deployment/logrotate/*) \
	Sources/Deployment/systemd/node.conf.example

# A small recording to try things with, and its bodies.
EXAMPLES = $(wildcard Sources/Documentation/examples/*)

# Installs packages with apt-get, as root or by sudo; fails where neither can.
define install_packages
{ if [ "$$(id -u)" = 0 ]; then as_root=; elif command -v sudo >/dev/null; then as_root=sudo; else as_root=none; fi; \
	[ "$$as_root" != none ] && command -v apt-get >/dev/null && { \
		echo "installing $(1)"; \
		$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(1) </dev/null || { \
			$$as_root apt-get update -q </dev/null && \
			$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(1) </dev/null; }; }; }
endef

.DEFAULT_GOAL := help
.PHONY: help deps deps-test run run-port run-build demo-nodes build test-build test test-long-builds test-long faults faults-long soak fuzz-build fuzz fuzz-brief test-asan test-tsan test-sanitized lint format bench install install-built uninstall deb try-image clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the C libraries where their headers are missing
	@command -v $(SWIFT) >/dev/null || { echo "refrain: no Swift toolchain found; see https://www.swift.org/install/linux" >&2; exit 1; }
	@if pkg-config --exists sqlite3 openssl 2>/dev/null; then \
		PATH=$$PATH:/sbin:/usr/sbin ldconfig -p | grep -q 'libnghttp2\.so\.14' || $(call install_packages,libnghttp2-14) || \
			echo "libnghttp2-14 could not be installed: clients get HTTP/1.1 alone"; \
		exit 0; \
	fi; \
	lacks="the headers of SQLite and OpenSSL are"; command -v pkg-config >/dev/null || lacks="pkg-config is"; \
	$(call install_packages,$(PACKAGES)) && pkg-config --exists sqlite3 openssl && exit 0; \
	{ echo "refrain: $$lacks missing. Install this as root, then try again:"; \
	  echo "    apt-get install $(PACKAGES)        (Debian, Ubuntu)"; \
	  echo "    dnf install sqlite-devel openssl-devel pkgconf-pkg-config libnghttp2        (Fedora)"; } >&2; \
	exit 1

deps-test: deps ## install the programs that tests look through where missing; without one of them they look at less
	@missing=; for program in $(TEST_PROGRAMS); do \
		PATH=$$PATH:/usr/sbin command -v $${program%%:*} >/dev/null || missing="$$missing $${program##*:}"; \
	done; \
	[ -z "$$missing" ] || { $(call install_packages,$$missing); } || for package in $$missing; do \
		[ "$$as_root" != none ] && $$as_root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -q --no-install-recommends $$package </dev/null || \
		echo "$$package could not be installed (apt-get install $$package); going on without"; \
	done

run: deps run-port run-build ## build, then run the proxy in front of the simulated API; no configuration needed; PORT=8080
	@exec $(BINARY) demo $(if $(PORT),--listen 127.0.0.1:$(PORT))

# Whoever waits minutes for a build should not learn behind it that the port is taken.
run-port:
	@for port in $(or $(PORT),8080 8081); do \
		bash -c "exec 3<>/dev/tcp/127.0.0.1/$$port" 2>/dev/null || continue; \
		echo "refrain: port $$port is in use; another: make run PORT=9080" >&2; exit 1; \
	done

run-build:
	@[ -e $(BINARY) ] || echo "The first build takes three to ten minutes, and shows what it is at."
	@$(MAKE) --no-print-directory build


# A program that is named is there already.
BUILD = $(if $(filter command,$(origin BINARY)),,build)
demo-nodes: deps $(BUILD) ## three nodes that share a Redis, behind HAProxy, in front of the simulated API; PORT=8443; BINARY=refrain builds nothing
	@{ command -v redis-server && command -v haproxy && command -v curl && command -v openssl; } >/dev/null || \
		$(call install_packages,redis-server haproxy curl openssl) || \
		{ echo "refrain: install redis-server, haproxy, curl and openssl, then try again" >&2; exit 1; }
	@exec Sources/Deployment/demo/nodes $(BINARY)

build: ## the release binary, .build/release/refrain
	$(SWIFT) build $(RELEASE)

test-build: deps-test
	REFRAIN_WHOLE_MODULES=1 REFRAIN_INDEX=$(CURDIR)/.build/tests/index $(SWIFT) build --build-tests $(TESTS)

test: test-build ## every test, those that need long in a brief size; ONLY=NAME runs those of one suite
	@export REFRAIN_BINARY=$(CURDIR)/.build/tests/debug/refrain; $(call RUN_TESTS,$(TEST) $(if $(ONLY),--filter '$(ONLY)'))

# Two builds at once: neither keeps two cores busy all the time.
test-long-builds: deps-test
	@$(MAKE) --no-print-directory -j 2 build test-build

test-long: test-long-builds ## the tests that have one in their full size, and those of the release build
	@export REFRAIN_LONG=1 REFRAIN_BINARY=$(CURDIR)/$(BINARY); $(call RUN_TESTS,$(TEST) --filter '$(LONG_SUITES)')
	@$(MAKE) --no-print-directory fuzz-brief

faults: test-long-builds ## the fault programme: kills, loss of power, full disks, failed calls, slow clients and so on
	@export REFRAIN_LONG=1 REFRAIN_BINARY=$(CURDIR)/$(BINARY); $(call RUN_TESTS,$(TEST) --filter '$(FAULTS)')

faults-long: test-long-builds ## the same, and whatever else has a size for a release, in that size, which takes hours
	@export REFRAIN_LONG=1 REFRAIN_FAULTS=release REFRAIN_BINARY=$(CURDIR)/$(BINARY); $(call RUN_TESTS,$(TEST) --filter '$(FAULTS)|$(RELEASE_SUITES)')

soak: test-long-builds ## mixed traffic for a long time, to see whether anything grows: MINUTES=60
	REFRAIN_SOAK=$(MINUTES) REFRAIN_BINARY=$(CURDIR)/$(BINARY) $(TEST) --filter '\.SoakTests/'

# Where the toolchain has no libFuzzer, that is said, and nothing fails.
FUZZER = .build/fuzz/release/fuzz
FUZZ = $(FUZZER) run $(1) -max_len=8192 -artifact_prefix=.build/fuzz/failed/$(1)- $(2) .build/fuzz/found/$(1) .build/fuzz/seeds/$(1)
SECONDS ?= 60
MINUTES ?= 60

fuzz-build: deps
	@if ls "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")"/../lib/clang/*/lib/linux/libclang_rt.fuzzer-* >/dev/null 2>&1; then \
		REFRAIN_FUZZ=1 $(SWIFT) build --configuration release --scratch-path .build/fuzz --product fuzz; \
	else rm -f $(FUZZER); echo "left out: this toolchain has no libFuzzer: nothing was fuzzed"; fi

fuzz: fuzz-build ## change bytes until something fails: TARGET=NAME SECONDS=60; without TARGET it lists them
	@if [ ! -e $(FUZZER) ]; then exit 0; fi; \
	if [ -z "$(TARGET)" ]; then $(FUZZER); exit 2; fi; \
	mkdir -p .build/fuzz/failed .build/fuzz/found/$(TARGET) .build/fuzz/seeds/$(TARGET) && \
	$(FUZZER) seeds $(TARGET) .build/fuzz/seeds/$(TARGET) && \
	$(call FUZZ,$(TARGET),-max_total_time=$(SECONDS) -print_final_stats=1)

# The same bytes each time, so that what fails once fails again: libFuzzer chooses by addresses too, which are random
# unless they are fixed.
FIXED_ADDRESSES = $(shell setarch -R true 2>/dev/null && echo setarch -R)
fuzz-brief: fuzz-build
	@[ ! -e $(FUZZER) ] || for name in $$($(FUZZER) | cut -d ' ' -f 1); do \
		mkdir -p .build/fuzz/failed .build/fuzz/brief .build/fuzz/seeds/$$name && rm -rf .build/fuzz/brief/* && \
		$(FUZZER) seeds $$name .build/fuzz/seeds/$$name && \
		$(FIXED_ADDRESSES) $(FUZZER) run $$name -seed=1 -runs=4000 -max_len=8192 -artifact_prefix=.build/fuzz/failed/$$name- \
			.build/fuzz/brief .build/fuzz/seeds/$$name >.build/fuzz/$$name.log 2>&1 && \
		echo "fuzzed: $$name, $$(sed -nE 's/^Done ([0-9]+) runs.*/\1/p' .build/fuzz/$$name.log) inputs" || \
		{ tail -60 .build/fuzz/$$name.log; exit 1; }; \
	done

test-asan: ## every test with the address sanitizer; ONLY=NAME runs those of one suite
	@$(MAKE) --no-print-directory test-sanitized SANITIZER=address

test-tsan: ## every test with the thread sanitizer; ONLY=NAME runs those of one suite
	@$(MAKE) --no-print-directory test-sanitized SANITIZER=thread

# The package manager does not know of this file and would not link anew.
$(SANITIZED)/sanitizers.o: .ci/sanitizers.c
	@mkdir -p $(@D)
	$(CLANG) -O1 -Wall -Wextra -Werror -fPIC -DSANITIZER_$(SANITIZER) -DREPORTS='"$(CURDIR)/$(@D)/reports/process"' -c $< -o $@
	@rm -f $(@D)/debug/refrain $(@D)/debug/refrainPackageTests.xctest

# Reports are files, one a process, so that none is lost in what a child says and no test looks at it; any fails the
# run.
test-sanitized: deps-test $(SANITIZED)/sanitizers.o
	@rm -rf $(SANITIZED)/reports && mkdir $(SANITIZED)/reports
	REFRAIN_WHOLE_MODULES=1 $(SWIFT) build --build-tests $(SANITIZED_TESTS)
	@status=0; REFRAIN_BINARY=$(CURDIR)/$(SANITIZED)/debug/refrain \
		$(subst .build/tests,$(SANITIZED),$(TEST)) $(if $(ONLY),--filter '$(ONLY)') || status=$$?; \
	cd $(SANITIZED)/reports && [ -z "$$(ls)" ] && exit $$status; \
	head -n 60 $$(ls | head -n 3); echo; grep -h '^SUMMARY' * | sort | uniq -c | sort -rn; \
	echo "refrain: the $(SANITIZER) sanitizer reported in $$(ls | wc -l) processes; whole reports are in $(SANITIZED)/reports" >&2; \
	exit 1

lint: ## check the format of all sources, and the width of comments and pages
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	@find . -name '.?*' -prune -o \( -name '*.swift' -o -name '*.md' \) -print | LC_ALL=C xargs awk -f .ci/columns.awk

format: ## put all sources into that format
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

bench: deps build ## the benchmarks; BENCH="..." passes arguments on
	$(SWIFT) build -c release --product bench --static-swift-stdlib && .build/release/bench $(BENCH)

install: build ## binary, man pages, completions, units and documents, into $(DESTDIR)$(PREFIX)
	@$(MAKE) --no-print-directory install-built

# Of a binary that is there already, however it was built.
install-built:
	install -d "$(INSTALLED)/bin" "$(INSTALLED)/lib/systemd/system" "$(INSTALLED)/share/doc/refrain" "$(INSTALLED)/share/refrain/examples"
	install -m 755 $(BINARY) "$(INSTALLED)/bin/refrain"
	$(BINARY) help --share "$(INSTALLED)/share"
	install -m 644 Sources/Deployment/systemd/refrain.s* "$(INSTALLED)/lib/systemd/system"
	install -m 644 Sources/Deployment/systemd/refrain.service "$(INSTALLED)/lib/systemd/system/refrain@.service"
	install -D -m 644 -t "$(INSTALLED)/lib/systemd/system/refrain@.service.d" Sources/Deployment/systemd/refrain@.service.d/node.conf
	sed -i 's#/usr/local/bin/#$(PREFIX)/bin/#' "$(INSTALLED)"/lib/systemd/system/refrain.service \
		"$(INSTALLED)"/lib/systemd/system/refrain@.service "$(INSTALLED)"/lib/systemd/system/refrain@.service.d/node.conf
	install -m 644 proxy.conf.example $(DOCUMENTS) "$(INSTALLED)/share/doc/refrain"
	sed -i -E 's#\]\((\.\./)*([A-Za-z]+/)*([^/)]+\.(md|txt|cfg|acl|conf)[^/)]*)\)#](\3)#g; s#\]\((examples/)#](../../refrain/\1#g' \
		"$(INSTALLED)"/share/doc/refrain/*.md
	install -m 644 $(EXAMPLES) "$(INSTALLED)/share/refrain/examples"

uninstall: ## remove what install has put into $(DESTDIR)$(PREFIX)
	rm -f "$(INSTALLED)/bin/refrain" "$(INSTALLED)"/lib/systemd/system/refrain.s* "$(INSTALLED)"/lib/systemd/system/refrain@.service
	rm -rf "$(INSTALLED)"/lib/systemd/system/refrain@.service.d
	rm -f "$(INSTALLED)"/share/man/man1/refrain.1 "$(INSTALLED)"/share/man/man1/refrain-*.1 "$(INSTALLED)"/share/man/man5/proxy.conf.5
	rm -f "$(INSTALLED)"/share/bash-completion/completions/refrain "$(INSTALLED)"/share/zsh/site-functions/_refrain
	rm -f "$(INSTALLED)"/share/fish/vendor_completions.d/refrain.fish
	rm -rf "$(INSTALLED)/share/doc/refrain" "$(INSTALLED)/share/refrain"

deb: $(BUILD) ## a Debian package, into .build; BINARY=refrain builds nothing
	@mkdir -p .build && Sources/Deployment/debian/build $(BINARY) .build

try-image: build ## build and run the container from Debian's packages, without a registry; as root
	@Sources/Deployment/docker/trial $(BINARY)

clean: ## remove what was built
	$(SWIFT) package clean
