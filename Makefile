# The front door. It needs a C compiler, make and a Python from 3.11 on; everything
# more is installed from PyPI into .venv. `make help` lists the targets.
#
# make PYTHON=/path/to/python3   uses that Python instead of the newest that fits
# make CC=clang                  uses that compiler, in a build folder of its own

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh

VENV := .venv
GFORTRAN := $(shell command -v gfortran)
PYTHON :=
# Quoted, since the path may hold spaces.
PY := '$(CURDIR)/$(VENV)/bin/python'
WITH_VENV := PATH='$(CURDIR)/$(VENV)/bin':"$$PATH"

# A compiler that was asked for has its own build folder, since a build keeps the one
# that it began with.
ifneq ($(filter command line environment,$(origin CC)),)
  export CC
  BUILD := build-$(notdir $(firstword $(CC)))
else
  BUILD := build
endif
PREFIX := $(CURDIR)/$(BUILD)/prefix
RESULTS := $(BUILD)/results
CHECK := $(WITH_VENV) tools/check.sh $(RESULTS)

find_files = $(sort $(shell find $(1) -type f $(2) 2>/dev/null))
C_FILES := $(call find_files,include src cli tests examples bench,-name '*.[ch]' -not -path '*/build/*') \
  $(call find_files,examples,-name '*.[ch]pp' -not -path '*/build/*')
PYTHON_FILES := docs examples bench fortran python tests tools
LIBRARY_FILES := $(call find_files,include src cmake fortran,) meson.build meson.options
CLI_FILES := $(call find_files,cli,)
PACKAGE_FILES := $(LIBRARY_FILES) $(call find_files,python,-not -name '*.pyc') \
  pyproject.toml README.md LICENSE

# ---- What everything stands on --------------------------------------------------------

# The environment is also brought up to date where another Python is asked for.
VENV_READY := $(VENV)/ready
ifneq ($(PYTHON),)
  ifneq ($(PYTHON),$(shell cat $(VENV)/base-python 2>/dev/null))
    .PHONY: $(VENV_READY)
  endif
endif
$(VENV_READY): requirements/development.txt tools/make_venv.sh tools/find_python.sh tools/probe_python.py
	tools/make_venv.sh $(VENV) $< '$(PYTHON)'
	rm -rf build*/wheel build*/traced
	touch $@

# cyipopt, which examples/ipopt is compared with, is built against the Ipopt that is
# installed, and cannot be where there is none. Isolated, the build would not find the
# pkg-config of the environment.
IPOPT := $(firstword $(wildcard /usr/lib/pkgconfig/ipopt.pc /usr/lib/*/pkgconfig/ipopt.pc))
VENV_COMPLETE := $(VENV_READY) $(VENV)/hardware.ready $(VENV)/jax-0.12.ready $(if $(IPOPT),$(VENV)/ipopt.ready)
$(VENV)/ipopt.ready: requirements/ipopt.txt $(IPOPT) $(VENV_READY)
	PKG_CONFIG_PATH='$(dir $(IPOPT))' $(WITH_VENV) $(PY) -m pip install --quiet \
	  --disable-pip-version-check --no-build-isolation --requirement $<
	touch $@

# Plugins for hardware, and a newer JAX, in folders of their own.
$(VENV)/hardware.ready $(VENV)/jax-0.12.ready: $(VENV)/%.ready: requirements/%.txt $(VENV_READY)
	rm -rf $(VENV)/$*
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps \
	  --target $(VENV)/$* --requirement $<
	touch $@

.PHONY: venv
venv: $(VENV_COMPLETE)

# $(call configure,FOLDER,OPTIONS) makes or updates a build folder of Meson's. One that
# cannot be updated, as where an option is newer than the folder, is made anew.
configure = mkdir -p $(BUILD) && { $(call setup,$(1),$(if $(wildcard $(1)/build.ninja),--reconfigure) $(2)) || \
  { rm -rf $(1) && $(call setup,$(1),$(2)); } || { cat $(1).log; exit 1; }; }
setup = $(WITH_VENV) meson setup $(1) $(2) >$(1).log 2>&1

# $(call build_wheel,NAME,OPTIONS) builds the Python package into $(BUILD)/NAME-dist.
build_wheel = @rm -rf $(BUILD)/$(1)-dist && $(CHECK) build-$(1) $(PY) -m pip wheel \
  --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir $(BUILD)/$(1)-dist --config-settings=build-dir=$(BUILD)/$(1) \
  --config-settings=setup-args=-Dwerror=true $(2) .

# Fortran is built where gfortran is, also where gfortran came after the library. Meson does
# not see what Fortran files include, so that they are compiled anew each time.
FORTRAN_OPTION := -Dfortran=$(if $(GFORTRAN),enabled,disabled)
FORGET_FORTRAN = rm -f $(BUILD)/*/fortran/*.p/*.o $(BUILD)/*/tests/fortran/*.p/*.o
ifneq ($(GFORTRAN),)
  ifeq ($(wildcard $(BUILD)/prefix/lib/pkgconfig/cyxla-fortran.pc),)
    .PHONY: $(BUILD)/library.ready
  endif
endif

# ---- What is built --------------------------------------------------------------------

# For users: the C library, its headers and its package files.
$(BUILD)/library.ready: $(VENV_READY) $(LIBRARY_FILES) $(CLI_FILES)
	@$(call configure,$(BUILD)/library,--prefix='$(PREFIX)' -Dlibdir=lib -Dbuildtype=release -Dwerror=true $(FORTRAN_OPTION))
	@$(FORGET_FORTRAN)
	@rm -rf '$(PREFIX)'
	@$(CHECK) build-library meson install -C $(BUILD)/library
	@touch $@

# For users: the Python package, as it is published.
$(BUILD)/wheel.ready: $(VENV_READY) $(PACKAGE_FILES)
	$(call build_wheel,wheel,)
	@touch $@

# For the tests: the package with line tracing in its Cython module, unpacked.
$(BUILD)/python.ready: $(VENV_READY) $(PACKAGE_FILES)
	$(call build_wheel,traced,--config-settings=setup-args=-Dpython_trace=true --config-settings=setup-args=-Dbuildtype=debugoptimized)
	@rm -rf $(BUILD)/python
	@$(PY) -m zipfile -e $(BUILD)/traced-dist/*.whl $(BUILD)/python
	@touch $@

.PHONY: library package
library: $(BUILD)/library.ready ## build and install the C library into build/prefix
	@echo "installed in $(PREFIX); to find it:" \
	  "export PATH='$(PREFIX)/bin':\"\$$PATH\" PKG_CONFIG_PATH='$(PREFIX)/lib/pkgconfig'"
package: $(BUILD)/wheel.ready ## build the Python package and install it into .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps \
	  --force-reinstall $(BUILD)/wheel-dist/*.whl

# ---- Commands -------------------------------------------------------------------------

.PHONY: demo
demo: library package ## train a network in JAX, run it from C (examples/digits)
	@mkdir -p $(RESULTS)
	@echo failed >$(RESULTS)/demo.check
	@$(WITH_VENV) $(MAKE) --no-print-directory -C examples/digits run PYTHON=$(PY) PREFIX='$(PREFIX)'
	@echo passed >$(RESULTS)/demo.check

.PHONY: test
test: forget-results test-format test-lint test-header test-c test-sanitize test-threads test-fortran test-install test-wheel test-python test-docs summary ## run all tests; the parts are targets too

.PHONY: forget-results
forget-results:
	@rm -rf $(RESULTS)

.PHONY: test-format
test-format: $(VENV_READY) ## the layout of C and Python files
	@$(CHECK) format-c clang-format --dry-run -Werror $(C_FILES)
	@$(CHECK) format-python ruff format --check $(wildcard $(PYTHON_FILES))

.PHONY: test-lint
test-lint: $(VENV_READY) ## ruff's rules for Python files
	@$(CHECK) lint-python ruff check $(wildcard $(PYTHON_FILES))

.PHONY: test-header
test-header: $(VENV_READY) ## the public header alone, as C99 and as C++
	@$(CHECK) header-c tools/check_header.sh include c
	@$(CHECK) header-c++ tools/check_header.sh include c++

TEST_OPTIONS := -Dtests=true -Dwerror=true -Dbuildtype=debug

$(BUILD)/plain.ready: $(VENV_READY) Makefile
	@$(call configure,$(BUILD)/plain,$(TEST_OPTIONS) -Db_coverage=true)
	@touch $@

$(BUILD)/sanitized.ready: $(VENV_READY) Makefile
	@$(call configure,$(BUILD)/sanitized,$(TEST_OPTIONS) -Db_sanitize=address$(,)undefined -Db_lundef=false)
	@touch $@

$(BUILD)/fuzz.ready: $(VENV_READY) Makefile
	@$(call configure,$(BUILD)/fuzz,-Dfuzz=true -Dwerror=true -Dbuildtype=debugoptimized -Db_sanitize=address$(,)undefined -Db_lundef=false)
	@touch $@

$(BUILD)/threads.ready: $(VENV_READY) Makefile
	@$(call configure,$(BUILD)/threads,$(TEST_OPTIONS) -Db_sanitize=thread -Db_lundef=false)
	@touch $@

.PHONY: test-c
test-c: $(BUILD)/plain.ready ## the C tests, with the coverage of the C library
	@mkdir -p $(RESULTS)
	@$(CHECK) build-plain meson compile -C $(BUILD)/plain
	@find $(BUILD)/plain -name '*.gcda' -delete
	@$(WITH_VENV) tools/run_c_tests.sh $(BUILD)/plain $(RESULTS)/c-plain.tests.json
	@$(WITH_VENV) tools/measure_c_coverage.sh $(BUILD)/plain $(RESULTS) 95

.PHONY: test-sanitize
test-sanitize: $(BUILD)/sanitized.ready ## the C tests under the address and undefined sanitizers
	@mkdir -p $(RESULTS)
	@$(CHECK) build-sanitized meson compile -C $(BUILD)/sanitized
	@$(WITH_VENV) tools/run_c_tests.sh $(BUILD)/sanitized $(RESULTS)/c-sanitized.tests.json

.PHONY: test-threads
test-threads: $(BUILD)/threads.ready ## the C tests under the thread sanitizer
	@mkdir -p $(RESULTS)
	@$(CHECK) build-threads meson compile -C $(BUILD)/threads
	@$(WITH_VENV) tools/run_thread_tests.sh $(BUILD)/threads $(RESULTS)

# How long each fuzz target runs.
FUZZ_SECONDS := 60

.PHONY: fuzz
fuzz: $(BUILD)/fuzz.ready ## run all fuzz targets (FUZZ_SECONDS=600, FUZZ_TARGETS=ffi_frame)
	@$(CHECK) build-fuzz meson compile -C $(BUILD)/fuzz fuzz
	@tools/run_fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

$(BUILD)/fortran.ready: $(VENV_READY) Makefile
	@$(call configure,$(BUILD)/fortran,$(TEST_OPTIONS) -Dfortran=enabled -Dfortran_args=-fcheck=all)
	@touch $@

.PHONY: test-fortran
ifneq ($(GFORTRAN),)
test-fortran: $(BUILD)/fortran.ready ## the Fortran module, with floating-point traps
	@mkdir -p $(RESULTS)
	@$(FORGET_FORTRAN)
	@$(CHECK) build-fortran meson compile -C $(BUILD)/fortran test_fortran fake_plugin
	@$(WITH_VENV) tools/run_c_tests.sh $(BUILD)/fortran $(RESULTS)/fortran.tests.json --suite fortran
else
test-fortran:
	@$(CHECK) fortran sh -c 'echo gfortran is not installed; exit 77'
endif

.PHONY: test-install
test-install: $(BUILD)/library.ready $(BUILD)/python.ready ## the installed C library: symbols, pkg-config, CMake
	@$(CHECK) symbols $(PY) tools/check_symbols.py include/cyxla.h \
	  '$(PREFIX)'/lib/libcyxla.so '$(PREFIX)'/lib/libcyxla.a
	@PYTHONPATH=$(BUILD)/python $(CHECK) install tests/installed/run.sh '$(PREFIX)' $(BUILD)/installed

.PHONY: test-wheel
test-wheel: $(BUILD)/wheel.ready ## the contents of the Python package, and its sources
	@$(CHECK) wheel $(PY) tools/check_wheel.py $(BUILD)/wheel-dist
	@$(CHECK) sdist $(PY) tools/check_sdist.py

.PHONY: test-python
test-python: $(VENV_COMPLETE) $(BUILD)/python.ready $(BUILD)/wheel.ready $(BUILD)/library.ready ## the Python tests, with coverage, Cython included
	@mkdir -p $(RESULTS)
	@$(WITH_VENV) tools/run_python_tests.sh $(BUILD) $(RESULTS) $(PYTEST_ARGUMENTS)

.PHONY: test-docs
test-docs: $(BUILD)/python.ready ## that the documentation is complete and its links work
	@PYTHONPATH=$(BUILD)/python $(CHECK) docs $(PY) docs/build.py $(BUILD)/docs

.PHONY: sweep
sweep: $(VENV_COMPLETE) $(BUILD)/python.ready ## compare all of linear algebra with JAX, into docs/linear-algebra.md
	@PYTHONPATH=$(BUILD)/python $(WITH_VENV) $(PY) tools/sweep.py docs/linear-algebra.md $(SWEEP_ARGUMENTS)

.PHONY: summary
summary: ## add up the results of the last tests
	@$(PY) tools/summary.py $(RESULTS)

.PHONY: bench
bench: library package $(VENV)/bench-ready ## measure, side by side with the alternatives
	@$(WITH_VENV) $(PY) bench/run.py --prefix '$(PREFIX)' --output $(BUILD)/bench $(BENCH_ARGUMENTS)

# What is measured beside cyxla, which nothing else needs.
$(VENV)/bench-ready: requirements/bench.txt $(VENV_READY)
	$(PY) -m pip install --quiet --disable-pip-version-check \
	  --upgrade-strategy only-if-needed --requirement $<
	touch $@

.PHONY: docs
docs: package ## build the documentation
	$(WITH_VENV) $(PY) docs/build.py $(BUILD)/docs

.PHONY: format
format: $(VENV_READY) ## lay out all C and Python files
	@$(WITH_VENV) clang-format -i $(C_FILES)
	@$(WITH_VENV) ruff check --fix --quiet $(wildcard $(PYTHON_FILES)) || true
	@$(WITH_VENV) ruff format $(wildcard $(PYTHON_FILES))

.PHONY: clean
clean: ## remove what was built; .venv stays
	rm -rf build build-* examples/*/build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk -F'|' '{ printf "make %-14s %s\n", $$1, $$2 }'

, := ,
