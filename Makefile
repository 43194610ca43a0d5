# Affix: a thin front for CMake, made to work in a fresh clone. `make help` lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
RUN_ARGS ?= run pulley --time 6
FUZZ_SECONDS ?= 600
BENCH_ARGS ?=
MUTANTS_ARGS ?=
PEERS_ARGS ?=
PAPERS_ARGS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Warnings are errors where CI=true.
WERROR ?= $(if $(filter true 1,$(CI)),ON,OFF)

CONFIGURE = tools/configure
# Make's own flags and job server stay here: what CMake calls takes its own.
BUILD = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build
BUILD_ARGS = -j $(JOBS) --target

.NOTPARALLEL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

.PHONY: all run test test-long mutants bench accuracy peers papers wasm reference debug asan tsan clang fuzz format lint install release reproducible clean help deps deps-test deps-dev

all: deps ## build the libraries and the program in build/ (the default)
	@$(CONFIGURE) release -DAFFIX_WERROR=$(WERROR)
	@$(BUILD) build $(BUILD_ARGS) product

run: all ## build, then show something: build/affix $(RUN_ARGS), and a page of it in out/
	@tools/run_and_show $(RUN_ARGS)

test: deps-test ## build and run the tests
	@$(CONFIGURE) release -DAFFIX_WERROR=$(WERROR)
	@$(BUILD) build $(BUILD_ARGS) product tests
	@tools/run_tests build

test-long: deps-test ## the tests, and the long ones (AFFIX_TEST_LONG=1)
	@$(CONFIGURE) release -DAFFIX_WERROR=$(WERROR)
	@$(BUILD) build $(BUILD_ARGS) product tests
	@AFFIX_TEST_LONG=1 tools/run_tests build

mutants: deps-test ## would the tests notice a fault? one-line faults, one at a time, in build-mutants/ (MUTANTS_ARGS="--only joint")
	@tools/mutants $(MUTANTS_ARGS)

bench: deps ## build the benchmarks, print their table, write it and curves to build/bench/ (BENCH_ARGS=--quick: short)
	@$(CONFIGURE) release -DAFFIX_WERROR=$(WERROR)
	@$(BUILD) build $(BUILD_ARGS) product benches
	@build/bench_table $(BENCH_ARGS) build/bench
	@build/bench_contact $(BENCH_ARGS) build/bench/contact.md
	@build/bench_cliffs
	@if command -v python3 >/dev/null; then tools/plot_scaling; else echo "no python3: the curves are not drawn" >&2; fi

accuracy: all ## run the cases with known answers and write docs/accuracy.md anew (a minute or two)
	@tools/accuracy build

peers: all ## run other engines on our scenes and write docs/comparison.md anew (below 20 minutes; FULL=1, WASM=1: more)
	@tools/deps peers
	@tools/deps dart
	@tools/deps mujoco
	@$(if $(WASM),tools/deps wasm)
	@bench/peers/build
	@tools/peers $(if $(FULL),--full) $(PEERS_ARGS)

papers: deps ## run scenes of five papers, ours beside theirs, and write docs/papers.md anew (PAPERS_ARGS=--quick: short)
	@$(CONFIGURE) release -DAFFIX_WERROR=$(WERROR)
	@$(BUILD) build $(BUILD_ARGS) product bench_papers
	@tools/papers $(PAPERS_ARGS)

wasm: all ## engine, cases and viewer as one page that needs no server, out/affix.html (Emscripten; minutes at first)
	@tools/deps wasm
	@JOBS=$(JOBS) viewer/wasm/build build
	@mkdir -p out && cp build/wasm/affix.html out/affix.html && echo "out/affix.html"

reference: all ## the API reference of C and Python as one searchable page, out/reference.html
	@tools/make_reference out/reference.html build

debug: deps ## build everything for the debugger in build-debug/
	@$(CONFIGURE) debug
	@$(BUILD) build-debug $(BUILD_ARGS) all

asan: deps-test ## build in build-asan/ and run the tests under the address and undefined-behaviour sanitizers
	@$(CONFIGURE) asan
	@$(BUILD) build-asan $(BUILD_ARGS) product tests
	@tools/run_tests build-asan

tsan: deps-test deps-dev ## build in build-tsan/ and run the tests under the thread sanitizer
	@$(CONFIGURE) tsan -DAFFIX_X86_VARIANTS=ON
	@$(BUILD) build-tsan $(BUILD_ARGS) product tests
	@tools/run_tests build-tsan

clang: deps-test deps-dev ## build everything with clang and the thread sanitizer in build-clang/, warnings are errors, and run the tests of threads
	@$(CONFIGURE) clang
	@$(BUILD) build-clang $(BUILD_ARGS) all
	@tools/run_tests build-clang -R '^threads$$'

fuzz: deps-dev ## build the fuzz targets in build-fuzz/ and run each for FUZZ_SECONDS (600)
	@$(CONFIGURE) fuzz
	@$(BUILD) build-fuzz $(BUILD_ARGS) fuzzers
	@tools/fuzz $(FUZZ_SECONDS)

format: deps-dev ## format every C file in place
	@tools/check_format --fix

lint: deps-test deps-dev ## clang-tidy over every C file
	@$(CONFIGURE) clang
	@tools/check_format --list | grep '\.c$$' | xargs -P $(JOBS) -n 1 clang-tidy -p build-clang --quiet

install: deps ## install into $(DESTDIR)$(PREFIX)
	@$(CONFIGURE) release -DAFFIX_WERROR=$(WERROR) -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@$(BUILD) build $(BUILD_ARGS) product
	@DESTDIR="$(DESTDIR)" cmake -P build/cmake_install.cmake

release: deps ## make tarball, Debian package, wheel, bill of materials and checksums of the last commit, in dist/
	@tools/deps release
	@tools/release

reproducible: deps ## build the last commit twice in different folders, and compare bit for bit
	@tools/reproducible

clean: ## remove every build folder, out/ and dist/
	rm -rf out dist build build-debug build-asan build-tsan build-clang build-fuzz build-mutants build-release build-reproducible build-hardening

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo "Variables: PREFIX, DESTDIR, RUN_ARGS, BENCH_ARGS, MUTANTS_ARGS, PEERS_ARGS, PAPERS_ARGS, FULL, JOBS, WERROR=ON|OFF, FUZZ_SECONDS"

deps:
	@tools/deps core
	@tools/deps view

deps-test: deps
	@tools/deps test

deps-dev:
	@tools/deps core dev
