# `make demo` and `make test` start from nothing but Debian or Ubuntu, Python 3.11 or newer, git and make.
.DEFAULT_GOAL := help
.PHONY: help setup setup-test demo test long quick check format reference docs bench faults fuzz mutants wheel picture tutorial validation pins clean
BIN := .venv/bin
OUT := out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 22

setup: ## what rendering needs, into .venv
	@tools/setup.sh run

setup-test:
	@tools/setup.sh test

demo: ## set up, render the shipped scenarios, print where the PDFs are
	@tools/setup.sh demo
	@$(BIN)/render scenarios/*.scn --format html,pdf,json --out $(OUT) --jobs 2
	@printf '\nReports to read:\n'; printf '  %s\n' $(CURDIR)/$(OUT)/*.pdf

test: setup-test ## set up, run the tests
	@$(BIN)/pytest -n 2 --dist worksteal -m 'not long'

long: setup-test ## the tests that `make test` leaves out: more scenarios of what it holds
	@$(BIN)/pytest -n 2 --dist worksteal -m long

quick: setup-test ## the tests that take no time
	@$(BIN)/pytest -n 2 -q -m 'not slow and not long'

faults: setup-test ## 200 calls killed at random moments, and 50 that are gone on with
	@TONNAGE_KILLS=200 $(BIN)/pytest -q tests/test_faults_killed.py

check: setup-test ## style, types, import rules
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --config pyproject.toml

format: setup-test ## what ruff can put right by itself
	@$(BIN)/ruff check --fix .

reference: setup-test ## dsl/REFERENCE.md, docs/method.md, docs/commands.md and the editor's grammar, from the tables they are made of
	@$(BIN)/python tools/generate.py

docs: setup-test ## static pages of the documentation, in out/docs
	@$(BIN)/python -m tools.pages $(OUT)/docs

bench: setup-test ## speed limits; fails when one is missed
	@$(BIN)/python bench/bench.py

fuzz: setup-test ## damaged and made-up inputs for SECONDS=60; NIGHTLY=1: five hours of them
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) $(if $(NIGHTLY),--nightly) $(if $(SEED),--seed $(SEED))

mutants: setup-test ## changes N=300 places of dsl/ and engine/ in a copy: do the tests notice? survivors in out/mutants
	@$(BIN)/python -m tests.mutants --count $(or $(N),300) --seed $(or $(SEED),1)

wheel: setup-test ## dist/*.whl and dist/*.tar.gz
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation --outdir dist .

picture: setup-test ## docs/report-page.png, the first page of the example plan
	@$(BIN)/render scenarios/team-70b.scn --format pdf --out $(OUT)
	@pdftoppm -r 110 -f 1 -l 1 -singlefile -png $(OUT)/team-70b.pdf docs/report-page

tutorial: setup-test ## what the commands in docs/ print, written into its pages, and the pictures of the tutorial
	@rm -rf $(OUT)/tutorial
	@$(BIN)/python -m tools.consoles $(OUT)/tutorial $$(grep -l '```console' docs/*.md)
	@pdftoppm -r 80 -f 1 -l 1 -singlefile -png $(OUT)/tutorial/tutorial/ours-8b/out/plan.pdf docs/tutorial-1
	@pdftoppm -r 80 -f 15 -l 15 -singlefile -png $(OUT)/tutorial/tutorial/ours-8b/out/plan.pdf docs/tutorial-2

validation: setup ## docs/validation.pdf, predictions against the published runs of tests/data
	@$(BIN)/scn validate tests/data/fit_runs.csv tests/data/memory.csv --refit --out $(OUT)
	@cp $(OUT)/validation.pdf docs/validation.pdf

pins: ## constraints.txt from what .venv holds
	@{ sed '/^[^#]/,$$d' constraints.txt; $(BIN)/pip freeze --exclude-editable; } > constraints.new
	@mv constraints.new constraints.txt

clean: ## remove what the other targets made
	rm -rf .venv $(OUT) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
