# A thin layer over CMake's presets. `make help` lists the targets.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 600
CHECKS ?=
PREFIX ?= /usr/local
DESTDIR ?=
CMAKE ?= cmake
CTEST ?= ctest

# Ninja if it is there; a build directory keeps the generator it was made with.
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif
# The lines of parallel recipes would mix, and CMake runs in parallel by itself.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

configure = $(CMAKE) --preset $(1) >/dev/null
build = $(CMAKE) --build --preset $(1) -j $(JOBS)
# Formatted: our C, nothing generated. Linted: those of them that build-asan compiles.
formatted = $$(find include src cli examples bench tests -name '*.[ch]' 2>/dev/null | sort)
linted = $$(find src cli examples tests -name '*.c' ! -path 'tests/consumer/*' \
    ! -name faults.c ! -name interrupt.c | sort)

.PHONY: all
all: ## Build the release; the command is build/trammel
	@command -v $(CMAKE) >/dev/null || { echo "cmake not found: run make deps" >&2; exit 1; }
	@$(call configure,release)
	@$(call build,release) --target product
	@test -e web/node_modules || \
	    echo "Built without the viewer ('trammel view'): make deps fetches its packages, then make again."

.PHONY: deps
deps: ## Install the libraries Trammel is built from (Debian, Ubuntu)
	@scripts/install-deps

.PHONY: demo
demo: deps all ## Simulate Andrews' mechanism and a vehicle; writes demo/, with a page to look at
	@mkdir -p demo
	build/trammel run docs/images/andrews.yaml --allow-path models \
	    --out demo/andrews.h5 --csv demo/andrews.csv
	@command -v python3 >/dev/null && scripts/draw-trace demo/andrews.csv demo/andrews.svg || true
	@echo
	build/trammel run models/hmmwv.yaml --out demo/vehicle.h5
	@page=; build/trammel view demo/vehicle.h5 -q -o demo/vehicle.html && page=yes; \
	echo; echo "Wrote:"; \
	ls -1 demo/andrews.h5 demo/andrews.csv demo/andrews.svg demo/vehicle.h5 demo/vehicle.html 2>/dev/null; \
	[ -z "$$page" ] || printf '\n%s\n' "Open demo/vehicle.html in a browser: the vehicle goes over the bump."

.PHONY: papers
papers: ## Redo the numbers of the papers and compare them with docs/papers.md; a quarter of an hour
	@$(call configure,release)
	@$(call build,release) --target papers
	@scripts/papers

.PHONY: gallery
gallery: all ## Run models and take their pictures in a browser; writes docs/gallery/
	@scripts/install-deps --test
	@scripts/gallery

.PHONY: site
site: ## Write the documentation as a site to browse; build/site/index.html
	@scripts/install-deps --site
	@scripts/site

.PHONY: test
test: ## Build with gcc and clang, warnings as errors; lint; all tests, most under sanitizers, too
	@scripts/install-deps --test
	$(call configure,ci)
	$(call build,ci)
	$(CTEST) --preset ci -j $(JOBS)
	@$(MAKE) lint CHECKS='-clang-analyzer-*'
	$(call configure,asan)
	$(call build,asan)
	$(CTEST) --preset asan -j $(JOBS); status=$$?; tests/tools/list_skipped build-asan; exit $$status

.PHONY: test-x86 test-aarch64
test-x86: PROCESSOR = x86_64
test-x86: ## On another machine: build for x86-64, unit tests, ten models and papers under qemu
test-aarch64: PROCESSOR = aarch64
test-aarch64: ## The same for aarch64
test-x86 test-aarch64:
	@scripts/install-deps --test
	@$(MAKE) all
	@scripts/test-cross $(PROCESSOR) $(JOBS)

.PHONY: test-long
test-long: ## Long tests, fuzzers (FUZZ_SECONDS=600 each), valgrind, all sanitizers, clang's analyzer
	@scripts/install-deps --long
	@$(MAKE) lint
	$(call configure,ci)
	$(call build,ci)
	$(call build,ci) --target papers bench_coordinates bench_cvode bench_group bench_topology \
	    bench_chain bench_loop
	$(CTEST) --preset long
	scripts/papers --build build-ci
	$(call configure,asan)
	$(call build,asan)
	$(CTEST) --preset instrumented -j $(JOBS)
	$(call configure,tsan)
	$(call build,tsan)
	$(CTEST) --preset tsan -j $(JOBS)
	$(call configure,valgrind)
	$(call build,valgrind)
	$(CTEST) --preset valgrind -j $(JOBS)
	$(call configure,msan)
	$(call build,msan)
	scripts/msan
	$(call configure,fuzz)
	$(call build,fuzz)
	scripts/fuzz build-fuzz $(FUZZ_SECONDS)

.PHONY: campaign
campaign: ## Kills, failed allocations, and a fault at every system call of small commands; some 40 minutes
	@scripts/install-deps --test
	$(call configure,ci)
	$(call build,ci)
	scripts/fault-campaign --build build-ci --jobs $(JOBS)
	scripts/alloc-campaign --build build-ci --threads $(JOBS)
	scripts/kill-campaign --build build-ci

.PHONY: bench
bench: ## Build and run the benchmarks in bench/
	@scripts/install-deps --test
	@$(call configure,release)
	@$(call build,release) --target bench
	@scripts/bench build

.PHONY: bench-ida
bench-ida: ## Compare with IDA of SUNDIALS (installed first) at equal error; writes build/bench/ida.csv
	@scripts/install-deps --bench
	@$(call configure,release)
	@$(call build,release) --target bench_ida
	@build/bench/bench_ida --csv build/bench/ida.csv

.PHONY: bench-peers
bench-peers: ## Compare with Simbody, MuJoCo, Bullet and IDA (installed first); tables of docs/performance.md
	@scripts/install-deps --bench
	@$(call configure,release)
	@$(call build,release) --target bench_peers_all
	@scripts/performance --only bench/bench_peers

.PHONY: bench-pile
bench-pile: ## Compare piles of spheres with MuJoCo and Bullet (installed first)
	@scripts/install-deps --bench
	@$(call configure,release)
	@$(call build,release) --target bench_pile
	@build/bench/bench_pile

.PHONY: bench-rollout
bench-rollout: ## Compare a study of a chain with MuJoCo (installed first)
	@scripts/install-deps --bench
	@$(call configure,release)
	@$(call build,release) --target bench_rollout
	@OPENBLAS_NUM_THREADS=1 build/bench/bench_rollout

.PHONY: bench-topology
bench-topology: ## Compare the solvers for accelerations; writes build/bench/topology.csv
	@$(call configure,release)
	@$(call build,release) --target bench_topology
	@OPENBLAS_NUM_THREADS=1 build/bench/bench_topology --csv build/bench/topology.csv

.PHONY: bench-sweep
bench-sweep: ## Count how many of 2000 random starts pass singular configurations
	@$(call configure,release)
	@$(call build,release) --target bench_sweep
	@build/bench/bench_sweep

.PHONY: packages
packages: ## Packages for machines without a compiler; build-packages/packages/
	@scripts/install-deps
	@scripts/install-deps --packages
	@scripts/packages $(JOBS)

.PHONY: test-packages
test-packages: packages ## Build the packages twice, compare them, try them in bare roots; needs root
	@scripts/test-packages $(JOBS)

.PHONY: install
install: all ## Install to PREFIX (/usr/local); honours DESTDIR
	DESTDIR="$(DESTDIR)" $(CMAKE) --install build --prefix "$(PREFIX)"

.PHONY: generated
generated: ## Write what is generated from the schema and the headers: docs/model-file.md, python/, ...
	@$(call configure,ci)
	@$(call build,ci) --target test_spec_schema test_study_page
	@TRAMMEL_WRITE_PAGES=1 TRAMMEL_SOURCE_DIR="$(CURDIR)" build-ci/tests/test_spec_schema >/dev/null
	@TRAMMEL_WRITE_PAGES=1 TRAMMEL_SOURCE_DIR="$(CURDIR)" build-ci/tests/test_study_page >/dev/null
	@python3 python/tools/write_entries.py
	@python3 python/tools/write_abi.py
	@scripts/sensitivity --no-runs --resume docs/constants.md --out docs/constants.md

.PHONY: format
format: ## Format the C sources in place
	clang-format -i $(formatted)

.PHONY: lint
lint: ## Check the format, then clang-tidy (CHECKS='-clang-analyzer-*': without what takes it longest)
	clang-format --dry-run -Werror $(formatted)
	@$(call configure,asan)
	printf '%s\n' $(linted) | \
	    xargs -P $(JOBS) -n 4 clang-tidy -p build-asan --quiet --warnings-as-errors='*' --checks='$(CHECKS)' \
	    2>build-asan/lint.log || { cat build-asan/lint.log >&2; exit 1; }

.PHONY: clean
clean: ## Remove everything built
	rm -rf build build-ci build-debug build-asan build-tsan build-valgrind build-msan build-fuzz \
	    build-packages demo

.PHONY: help
help: ## This list
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 16
