# The environment lives in .venv and is made on demand; `make env` makes only that.
# PYTHON=/path/to/python selects an interpreter, otherwise the first one of 3.11 or newer is taken.

VENV := .venv
BIN := $(VENV)/bin
CANDIDATES := python3.11 python3 python3.13 python3.12 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

export MPLBACKEND := Agg
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: env page demo test verify soak trust coverage lock mutants docs gallery bench bench-env clean
.DEFAULT_GOAL := env
# one process per core runs the tests: threads of linear algebra beside them would only wait in turn
test verify soak trust coverage: export OPENBLAS_NUM_THREADS := 1

SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/site
PAGE := src/cornerlaw/viewer/page/viewer.html

# run the tests with these marks and write docs/trust.md of them, also where some fail
define TABLE
	mkdir -p build
	rm -f build/trust.xml
	$(BIN)/python -m pytest -m "$(1)" --junitxml=build/trust.xml; code=$$?; \
	    $(BIN)/python tools/trust_table.py build/trust.xml docs/trust.md && exit $$code
endef

env: $(VENV)/.stamp-test page

# the page of the viewer is built where there is Node; without it everything else works
page: $(PAGE)

$(PAGE): viewer/package.json viewer/package-lock.json viewer/build.mjs $(wildcard viewer/src/*)
	@if command -v npm >/dev/null 2>&1; then \
	    cd viewer && npm ci --no-audit --no-fund --loglevel=error && npm run --silent check && npm run --silent build; \
	else \
	    echo "note: there is no Node on this machine, so the page of the viewer is not built;" \
	         "sol.view() and sol.to_html() need it, everything else works." >&2; \
	fi

$(VENV)/.stamp-test: pyproject.toml
	@if ! $(BIN)/python -c "$(NEW_ENOUGH)" 2>/dev/null || ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	    found=""; \
	    for python in $(if $(PYTHON),"$(PYTHON)",$(CANDIDATES)); do \
	        if "$$python" -c "$(NEW_ENOUGH)" >/dev/null 2>&1; then found="$$python"; break; fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "error: cornerlaw needs Python 3.11 or newer, and none of these is: $(or $(PYTHON),$(CANDIDATES));" \
	             "install one or name it with 'make env PYTHON=/path/to/python'." >&2; exit 1; \
	    fi; \
	    echo "creating $(VENV) with $$("$$found" --version)"; \
	    "$$found" -m venv --clear $(VENV) || { \
	        echo "error: '$$found -m venv' failed; on Debian and Ubuntu the package python3-venv is needed." >&2; exit 1; }; \
	fi
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

$(VENV)/.stamp-docs: pyproject.toml $(VENV)/.stamp-test
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	@touch $@

# what can be installed of the other software that the bench measures; the rest is left out
bench-env: env
	$(BIN)/cornerlaw bench --setup

demo: env
	$(BIN)/python -m cornerlaw.gallery.demo

test: env $(VENV)/.stamp-docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest
	$(SITE)

# every slow check, and the quick ones that docs/trust.md is about: the page is written of all of them
verify: env $(VENV)/.stamp-docs
	$(call TABLE,verify or mutations or trust)

# what a night is for: ten million steps, a million spoiled files, two thousand kill points, a hundred
# thousand random models, a thousand random scenes, the fall of the large wall
soak: env
	CORNERLAW_SOAK=10 $(BIN)/python -m pytest -m verify tests/api/test_soak.py tests/api/test_untrusted_files.py \
	    tests/api/test_used_files.py tests/api/test_kill_points.py tests/properties/test_random_models_1.py tests/properties/test_random_models_2.py \
	    tests/properties/test_random_scenes.py tests/regression/test_wall_hit.py

# what of the Python layers the tests run, and of the kernels those that run as plain Python; there
# a test is left when it runs nothing new, and what it has run counts
# of the unit tests all but those that run no kernel, or are about machine code
OTHER_UNITS := bench_peers cache heaps hydraulics_% kernel_rules lanes precompile progress slots space_peers
PLAIN := $(filter-out $(OTHER_UNITS:%=tests/unit/test_%.py),$(wildcard tests/unit/test_*.py)) \
    tests/properties/test_complementarity.py tests/properties/test_impacts.py \
    tests/properties/test_random_trees.py tests/equivalence/test_plain_kernels.py \
    tests/equivalence/test_pooled_contacts.py tests/regression \
    $(addprefix tests/verification/test_,theta_rule.py forces.py element_masses.py element_memory.py \
    driven_rotations.py starts.py resting.py law_derivatives.py rocking_block.py constraints.py \
    element_rows.py element_row_laws.py user_functions.py bouncing_ball.py element_events.py \
    events_in_impacts.py ball_friction.py space_rows.py crowded_events.py joint_limits.py grains.py)
coverage: env
	$(BIN)/python -m pytest --cov=cornerlaw --cov-report=term:skip-covered --cov-config=tools/layers.coveragerc
	NUMBA_DISABLE_JIT=1 CORNERLAW_PLAIN_LIMIT=20 PYTHONPATH=tests $(BIN)/python -m pytest -p plain_kernels $(PLAIN) \
	    --cov=cornerlaw.kernels --cov-report=term:skip-covered --cov-config=tools/kernels.coveragerc

# the exact packages that cornerlaw needs here, with hashes: pip install --require-hashes --no-deps -r
lock: env
	$(BIN)/python tools/lock.py build/cornerlaw.lock

# every sign and inequality of the solvers and laws changed once: a test must fail
mutants: env
	$(BIN)/python tools/mutants.py

# the table of docs/trust.md alone, from the tests that name a requirement
trust: env
	$(call TABLE,trust)

# the site with its notebooks, which are run; a warning is an error
docs: env $(VENV)/.stamp-docs
	$(SITE)

# a page per system, with its figure, animation and checks, and the site around them; takes some minutes
gallery: env $(VENV)/.stamp-docs
	$(BIN)/python tools/gallery_pages.py --out build/gallery
	$(SITE)

bench: bench-env
	$(BIN)/cornerlaw bench --peers

clean:
	rm -rf $(VENV) .venv-bench build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf viewer/node_modules src/cornerlaw/viewer/page
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
