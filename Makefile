# beamrd: the targets are the whole ritual; `make help` lists them.
SHELL := /bin/bash
GO    ?= go
BIN   := bin/beamrd
TESTFLAGS ?=
SHARED ?= ../shared
# The OTP source tree that the conformance suites are taken from.
OTP_SRC ?= build/otp-src
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)
export CGO_ENABLED ?= 0

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install what building and testing need (Debian's Erlang packages, if erl is missing)
	@scripts/setup.sh

.PHONY: build
build: ## build bin/beamrd
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/beamrd

.PHONY: build-invariants
build-invariants: ## build bin/beamrd-invariants: poisoned memory, heap verifier, assertions
	$(GO) build -trimpath -tags invariants -ldflags '$(LDFLAGS)' -o bin/beamrd-invariants ./cmd/beamrd

.PHONY: generate
generate: ## write the generated files again
	$(GO) generate ./...

.PHONY: check
check: ## formatting, vet, the house's own rules
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt would change these"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags invariants ./...
	$(GO) test -count=1 ./internal/lint/

.PHONY: quickstart
quickstart: setup build ## set up, build, and run a program on the booted OTP
	@scripts/quickstart.sh

.PHONY: test
test: setup check build ## everything that CI runs: invariants build, race, plain, samples of the campaigns
	CGO_ENABLED=0 $(GO) test -tags invariants -timeout 20m $(TESTFLAGS) ./...
	CGO_ENABLED=1 $(GO) test -race -gcflags=all=-d=checkptr=0 -short -timeout 15m $(TESTFLAGS) $(RACE_PKGS)
	$(GO) test -short -timeout 15m $(TESTFLAGS) $(PLAIN_PKGS)

RACE_PKGS  ?= ./internal/... ./vm/proc/ ./sched/ ./dirty/ ./ets/
PLAIN_PKGS ?= ./vm/... ./loader/... ./node/ ./cmd/... ./store/

.PHONY: bench
bench: build ## benchmarks side by side with erl (BENCH_FLAGS passes on, e.g. --scale 0.1)
	python3 $(SHARED)/bench/build.py --out build/bench
	python3 $(SHARED)/bench/bench.py --ebin build/bench --erl jit=erl --erl beamrd=scripts/beamrd-erl $(BENCH_FLAGS)

.PHONY: bench-echo
bench-echo: build ## TCP echo with 1,000 connections, beamrd against erl (RUNS=5)
	@scripts/tcp-echo.sh $(RUNS)
RUNS ?= 5

.PHONY: cluster
cluster: ## two nodes of erl and two of beamrd: 100,000 links and monitors, 64 MB messages, a split net, restarts
	CLUSTER=full $(GO) test -count=1 -timeout 30m -v -run TestCluster ./cmd/beamrd/

.PHONY: distbench
distbench: build ## throughput between two nodes, erl and beamrd, at most twice erl's time (DISTBENCH_FLAGS passes on, e.g. --scale 20)
	python3 scripts/distbench.py $(DISTBENCH_FLAGS)

.PHONY: otp-src
otp-src: ## fetch the OTP sources whose test suites conformance runs
	@scripts/otp-src.sh $(OTP_SRC)

.PHONY: conformance
conformance: build otp-src ## OTP's own suites (TIER=@T0) against the baseline of real erl
	@scripts/conformance.sh $(OTP_SRC) $(SHARED) $(TIER)
TIER ?= @T0

.PHONY: compile-same
compile-same: build ## the compiler on beamrd writes the same bytes as erlc (COUNT=40 largest sources)
	scripts/compile-same.sh $(COUNT)
COUNT ?= 40

.PHONY: fuzz
FUZZTIME ?= 10m
fuzz: ## the fuzz targets, FUZZTIME each
	@scripts/fuzz.sh $(FUZZTIME)

.PHONY: metamorphic
metamorphic: ## booted programs and fixtures in many settings: schedulers, slices, heaps, collections
	METAMORPHIC=all $(GO) test -tags invariants -count=1 -timeout 60m -run TestMetamorphic ./cmd/beamrd/

.PHONY: install
install: ## install what `make build` built, below DESTDIR and PREFIX (/usr/local)
	@test -x $(BIN) || { echo "run make build first"; exit 1; }
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' scripts/install.sh $(BIN)
PREFIX ?= /usr/local

.PHONY: deb
deb: build ## build a Debian package in build/
	@scripts/deb.sh $(BIN) build

.PHONY: crashtest
CRASHTIME ?= 5m
crashtest: ## kill a node again and again while modules are loaded, for CRASHTIME
	CRASHTIME=$(CRASHTIME) $(GO) test -count=1 -timeout 2h -v -run TestCrash ./cmd/beamrd/

.PHONY: hostile
hostile: ## peers that do what no peer should, in full: 10,000 half-open connections, damaged packets
	HOSTILE=all $(GO) test -tags invariants -count=1 -timeout 15m -v -run 'TestHostile$$' ./cmd/beamrd/

.PHONY: clean
clean: ## remove what was built
	rm -rf bin build
