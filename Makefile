# Everything runs in .venv, which `make setup` builds from pyproject.toml and constraints.txt.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
PIP := pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test setup lint suite unit packaging docs gallery fuzz fixtures validate bench clean

demo: setup
	$(BIN)/truerank demo truerank-demo

# Lint and types beside the suite, and one line over all.
test: setup
	$(BIN)/python scripts/check.py

setup: $(STAMP)

# uv takes seconds where pip takes a minute; where there is no uv, or it reaches no index, pip does it.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("truerank needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	($(BIN)/python -m $(PIP) uv && \
		UV_HTTP_TIMEOUT=20 $(BIN)/uv pip install --quiet --python .venv -c constraints.txt -e '.[all]' --group dev) || \
		($(BIN)/python -m $(PIP) --upgrade 'pip>=25.1' && \
		$(BIN)/python -m $(PIP) --no-compile -e '.[all]' --group dev)
	touch $(STAMP)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# The suite, with the examples in docstrings and documentation. It starts a hundred processes, each of which would
# compile the package anew where the environment keeps Python from writing what it compiled.
# As many workers as processors: each takes ten seconds to import and collect all tests, and lint runs beside.
WORKERS = $(shell $(PYTHON) -c 'import os; print(os.cpu_count())')
SUITE = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(WORKERS) --dist worksteal --doctest-modules src/truerank tests scripts/check.py

# Assertions are not rewritten, which takes a minute of a new clone; tests that fail run once more with their values.
suite: setup
	$(SUITE) --assert=plain -m "not validation" || { $(SUITE) --lf --lfnf none -m "not validation"; exit 1; }

# What is slow and rarely breaks: the wheel, the site, the notebooks, clusters, and pages in a browser.
packaging: setup
	$(SUITE) -m "packaging and not validation"

# All but that.
unit: setup
	$(SUITE) -m "not packaging and not validation"

# The documentation as a site, from docs/ and the program itself; a link that leads nowhere is an error. Not
# --quiet: mkdocs then drops warnings before it counts them.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build
	@echo "The site is in site/. To read it: $(BIN)/python -m webbrowser -t \"file://$(CURDIR)/site/index.html\""

# The boards of the gallery, computed anew from gallery/tables, and the site with their pages.
gallery: setup
	$(BIN)/python -m gallery
	$(MAKE) docs

# Every reader with spoilt versions of the fixtures; what fails is kept in tests/readers/corpus.
MINUTES ?= 20
fuzz: setup
	$(BIN)/python -m fuzz --minutes $(MINUTES)

# The fixtures once more, written by the tools themselves in environments of their own (network, git, a C compiler).
fixtures:
	for script in scripts/fixtures/[!_]*.py; do $(PYTHON) $$script || exit 1; done

# Every property with eight times the examples, and heavy checks against published figures; needs the data folder
# beside the project.
validate: setup
	TRUERANK_EXAMPLES=200 $(BIN)/pytest -n auto -m "hypothesis or validation" tests
	$(BIN)/python -m validation

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build site *.egg-info src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis truerank-demo
