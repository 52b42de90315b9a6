# Ropeline. `make help` lists what can be done; every target does its own set-up.

# Go 1.26.8's standard library has HTTP vulnerabilities that this program reaches; the go command fetches this one itself.
export GOTOOLCHAIN = go1.27.3
# A clone without .git (a tarball) must build too.
export GOFLAGS := -buildvcs=false $(filter-out -buildvcs=%,$(GOFLAGS))

GO          ?= go
RUN         := .run
BIN         := $(RUN)/bin
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
PROGRAMS    := ./caddymodule/cmd/ropeline ./core/cmd/bookingd ./core/cmd/fakepay ./loadtest/cmd/loadtest
# One package with tests may start PostgreSQL, Redis and a browser: two at a time is what two cores bear.
TEST_FLAGS  ?= -timeout 20m
# How long each target of what strangers send to the edge is fuzzed by `make test`: FUZZ=1s for a look, FUZZ=0 for none.
FUZZ        ?= 20s

# Debian 12's own golang is too old to fetch a newer one, and says so in words that help nobody.
ifeq ($(filter help,$(or $(MAKECMDGOALS),help)),)
ifeq ($(shell GOTOOLCHAIN=local $(GO) env GOTOOLCHAIN 2>/dev/null),)
$(error Go 1.21 or newer is needed (it fetches $(GOTOOLCHAIN) by itself): install it from https://go.dev/dl and put it in PATH)
endif
endif

.DEFAULT_GOAL := help
.PHONY: help build ropeline test screenshots fuzz check fmt smoke paced bench bench-holds bench-purchase chaos-payments bench-edge bench-seatmap demo demo-addresses demo-reset clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the programs into .run/bin
	@$(GO) run ./deploy/build $(PROGRAMS)

ropeline: ## build the edge alone, the one binary that protects a site of yours
	@$(GO) run ./deploy/build ./caddymodule/cmd/ropeline

test: ## run every test, on a real PostgreSQL, Redis and Chromium (installed when missing), and fuzz (FUZZ=1s: for a second each)
	@$(GO) run ./deploy/need postgresql redis chromium varnish nginx python3 faketime
	$(GO) test $(TEST_FLAGS) ./...
	@$(MAKE) --no-print-directory fuzz

screenshots: ## pictures of every state of the queue page, the console and the storefront in .run/shots, each judged by axe-core
	@$(GO) run ./deploy/need chromium
	$(GO) test $(TEST_FLAGS) -count=1 -run TestNobodyIsShutOut ./caddymodule/page ./caddymodule/console ./core/web

fuzz: ## tickets, passes, cookies, paths, return targets and whatever else strangers send to the edge (FUZZ=20s each, two workers)
	@mkdir -p $(RUN); [ "$(FUZZ)" = 0 ] || grep -rnoE '^func Fuzz[A-Za-z0-9]+' --include='*_test.go' admission caddymodule | sed -E 's/^(.*)\/[^/]+_test\.go:[0-9]+:func /\1 /' | sort | \
	while read -r dir name; do echo "fuzz $$dir $$name $(FUZZ)"; $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZ) -parallel 2 ./$$dir >$(RUN)/fuzz.log 2>&1 </dev/null || { cat $(RUN)/fuzz.log; exit 1; }; done
	@rm -f $(RUN)/fuzz.log

check: ## formatting, vet, staticcheck; known vulnerabilities where the database can be reached
	@bad=$$(gofmt -l $$(find . -name '*.go' -not -path './.run/*')); [ -z "$$bad" ] || { echo "gofmt -w these files:"; echo "$$bad"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	@echo "govulncheck"; out=$$($(GO) run $(GOVULNCHECK) ./... 2>&1); code=$$?; \
	if echo "$$out" | grep -q 'fetching vulnerabilities'; then echo "  not run: the vulnerability database cannot be reached from here"; \
	else echo "$$out"; exit $$code; fi

fmt: ## format the Go files
	gofmt -w $$(find . -name '*.go' -not -path './.run/*')

smoke: ## a whole sale, headless, in under a minute: ends with one JSON line on standard output
	@$(GO) run ./deploy/need postgresql redis >&2
	@$(GO) run ./deploy/build $(PROGRAMS) ./deploy/smoke && exec $(BIN)/smoke

paced: ## admission under a crowd while the database, payments and telemetry fail in turn: some six minutes; a picture in .run/paced/run.png
	@$(GO) run ./deploy/need postgresql redis
	$(GO) test -count=1 -v -timeout 20m ./deploy/paced -long

bench: ## run the benchmarks there are
	@found=$$(grep -rlE '^func Benchmark' --include='*_test.go' . | xargs -r -n1 dirname | sort -u); \
	if [ -z "$$found" ]; then echo "no benchmarks yet"; else $(GO) test -run '^$$' -bench . $$found; fi

bench-purchase: ## purchases a second against one by one, webhooks, the ledger's cost, reconciling: some minutes, on a durable PostgreSQL
	@$(GO) run ./deploy/need postgresql >&2
	@$(GO) build -o $(BIN)/ ./deploy/bench/purchase && exec $(BIN)/purchase $(BENCH_FLAGS)

chaos-payments: ## 20,000 payments while answers are lost, notices doubled and the core is killed: nobody is charged twice (CHAOS_FLAGS="-payments 2000" for a look)
	@$(GO) run ./deploy/need postgresql >&2
	@$(GO) build -o $(BIN)/ ./deploy/bench/purchase && exec $(BIN)/purchase -only chaos -runs 1 $(CHAOS_FLAGS)

bench-holds: ## holds a second against the plain way, both on a durable PostgreSQL: some minutes (BENCH_FLAGS="-seconds 2 -runs 1" for a look)
	@$(GO) run ./deploy/need postgresql >&2
	@$(GO) build -o $(BIN)/ ./deploy/bench/holds && exec $(BIN)/holds $(BENCH_FLAGS)

bench-seatmap: ## what lookers at seat maps cost, behind a real Varnish and in a browser: some minutes (BENCH_FLAGS="-seconds 1 -runs 1" for a look)
	@$(GO) run ./deploy/need postgresql varnish chromium >&2
	@$(GO) build -o $(BIN)/ ./deploy/bench/seatmap && exec $(BIN)/seatmap $(BENCH_FLAGS)

bench-edge: ## the waiting room against bare Caddy, a million waiting, loss of Redis: some ten minutes (BENCH_FLAGS="-seconds 1 -runs 1 -people 100000" for a look)
	@$(GO) run ./deploy/need redis >&2
	@$(GO) build -o $(BIN)/ ./deploy/bench/edge && exec $(BIN)/edge $(BENCH_FLAGS)

bench-admission: ## the admission controller against simpler ones and an oracle, in virtual time: some minutes (SEEDS=7001,7002; BENCH_FLAGS="-only flash")
	@$(GO) build -o $(BIN)/bench-admission ./deploy/bench/admission && SEEDS="$(SEEDS)" exec $(BIN)/bench-admission $(BENCH_FLAGS)

# Only from the command line: PORT is in many an environment, and means something else there.
# Not added to DEMO_FLAGS: make ignores += to a variable of the command line, and the demo would be on the whole network.
DEMO_WHERE = $(if $(filter command,$(firstword $(origin PORT))),--port $(PORT)) $(if $(filter command,$(firstword $(origin LOCAL))),--local)

demo: ## start everything and open the doors (Ctrl-C stops it, the data stays; PORT=8090, LOCAL=1: this machine only)
	@$(GO) run ./deploy/build $(PROGRAMS) ./deploy/demo && exec $(BIN)/demo $(DEMO_WHERE) $(DEMO_FLAGS)

demo-addresses: ## where the running demo can be reached
	@[ -x $(BIN)/demo ] || { echo "the demo does not run: make demo"; exit 1; }; exec $(BIN)/demo addresses

demo-reset: ## forget the demo's data
	@$(GO) run ./deploy/build ./deploy/demo && exec $(BIN)/demo reset

clean: ## remove what was built (the demo's data stays)
	rm -rf $(BIN)
