# Needs python3 (3.11 or newer) and make; everything else goes into .venv, at the versions of
# constraints.txt. A second run starts at once.

PYTHON ?= python3
VENV := .venv/bin/python
STAMP := .venv/.installed

.PHONY: demo test check

demo: $(STAMP)
	@.venv/bin/aps demo
	@echo 'aps is in .venv/bin here: . .venv/bin/activate' >&2

test: $(STAMP)
	@$(VENV) -m pytest -n 2 -q

check: $(STAMP)
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	$(VENV) -m mypy
	.venv/bin/lint-imports

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "aps needs Python 3.11 or newer; $(PYTHON) is not. Choose one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "$(PYTHON) cannot make a virtual environment: its venv module is missing (Debian: apt install python3-venv)" >&2; exit 1; }
	@echo "Installing aps into .venv (once, half a minute) ..."
	@rm -f $@
	@$(VENV) -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@$(VENV) -m pip install -qq --disable-pip-version-check -c constraints.txt hatchling
	@$(VENV) -m pip install -qq --disable-pip-version-check -c constraints.txt --no-build-isolation -e '.[demo,dev]'
	@touch $@
