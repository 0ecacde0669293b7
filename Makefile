# make demo   set up everything, run the quickstart, draw its figures
# make test   set up everything, run all tests, types and lint
# make unit   the tests that need no guest and no browser, in about three minutes
# make lint   style of code and prose; make types: mypy; make coverage: make unit's
# make mutants  changes of the code that decides, one at a time: do tests find them?
# make integrity  byte for byte: every controller and scheduler under faults
# make middleboxes  the kernel with netfilter, and the tests that need it
# make selftests       upstream's tests of MPTCP in the kernel of experiments
# make selftests-full  the same with IPv6, netfilter, lockdep and KASAN; writes a page
# make kernels  build other releases of Linux, and check that runs in them repeat
# make docs   build the documentation into build/docs/VERSION, links checked
# make docs-numbers  execute what the pages show, and write its numbers and pictures
# make reproduction  every campaign of results/reference, and its pages; resumes
# make dashboard  bundle the dashboard's JavaScript again, after a change of it
# make release  tag this commit with the version that the changelog's top section has
# make wheel  what needs no installation but pip, in dist/: kernel and image inside
# make sources  the wheel's sources, in dist/: with Linux and the packages of the image
# make debian-sources  Debian's source packages of the root image, in dist/
# make constraints  pin the newest Python packages
# make endpoints  the programs that speak QUIC; needs cargo and cmake
# make setup  Debian packages, virtual environment, guest kernel, root image
#
# Only the Debian packages need root (or sudo); with them installed, all else
# works as an ordinary user.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

# What builds the guest kernel, the launcher and the analyser. Guests bring their own
# programs, in the root image.
PACKAGES := bc bison build-essential flex patch perl python3 python3-venv xz-utils
# Some tests show guests the host's programs, or run on the host's own kernel.
HOST_TOOLS := apache2-utils curl iperf3 iproute2 iputils-ping mininet mptcpize nginx \
	procps tcpdump util-linux
BROWSER := chromium chromium-driver
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/mpbench

# $(call step,what,how long) says what begins; $(call done) what it took.
step = printf '\n==> %s (%s)\n' "$(1)" "$(2)"; SECONDS=0
done = printf '    done in %d s\n' "$$SECONDS"

DASHBOARD := analysis/dashboard/assets
NODE_TOOLS := node_modules/.package-lock.json
# Node comes with the Python packages; Debian 12's is too old for these tools.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm

.PHONY: help setup packages venv tools kernel image endpoints demo reproduction
.PHONY: test tests unit coverage lint types docs docs-numbers integrity mutants
.PHONY: middleboxes
.PHONY: dashboard release wheel sources debian-sources constraints clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

setup: packages venv kernel image

packages:
	@missing=$$(dpkg-query -W -f='$${Package} $${db:Status-Status}\n' $(PACKAGES) 2>/dev/null \
		| awk '$$2 == "installed" {print $$1}' | sort \
		| comm -13 - <(printf '%s\n' $(PACKAGES) | sort) | paste -sd ' ') || true
	[ -n "$$missing" ] || exit 0
	$(call step,Debian packages,about a minute)
	printf '    %s\n' "$$missing"
	export DEBIAN_FRONTEND=noninteractive
	if [ "$$(id -u)" = 0 ]; then as_root=; elif command -v sudo >/dev/null; then as_root=sudo; else
		printf 'missing Debian packages; as root: apt-get install --no-install-recommends %s\n' "$$missing" >&2
		exit 2
	fi
	$$as_root apt-get -q update
	$$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $$missing
	# Guests start an nginx of their own; the machine's need not run.
	if [[ " $$missing " == *" nginx "* && -d /run/systemd/system ]]; then
		$$as_root systemctl --quiet disable --now nginx
	fi
	$(call done)

venv: $(VENV)/installed
# With what tests, lint and releases need.
tools: $(VENV)/tools

# One call of pip for both, where both are asked for.
test tests lint types unit coverage mutants barriers tools wheel: EXTRAS := [test]

$(VENV)/installed: setup.py pyproject.toml constraints.txt mpbench/version.py $(wildcard analysis/capture/core/*.[ch]) | packages
	@$(call step,Python packages in $(VENV),about a minute)
	/usr/bin/python3 -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.$(EXTRAS)'
	touch $@
	$(if $(EXTRAS),touch $(VENV)/tools)
	$(call done)

$(VENV)/tools: $(VENV)/installed
	@if [ $@ -nt $< ]; then exit 0; fi
	$(call step,Python packages of tests in $(VENV),about a minute)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[test]'
	touch $@
	$(call done)

kernel: venv
	@$(call step,Guest kernel,minutes the first time; at once when it is there)
	$(RUN) kernel build --or-newest
	$(call done)

image: venv
	@$(call step,Root image of guests,15 seconds the first time; at once when it is there)
	$(RUN) image build
	$(call done)

endpoints: venv
	@$(call step,Endpoints of multipath QUIC,minutes the first time; at once when they are there)
	$(RUN) endpoint build
	$(call done)

demo: setup
	@$(call step,The quickstart: 18 runs of 10 virtual seconds,under a minute)
	$(RUN) run experiments/quickstart.yaml
	$(RUN) report results/quickstart
	$(call done)

reproduction: setup
	@$(call step,Every campaign of results/reference and its pages,some 18 hours of CPU; it resumes)
	$(BIN)/python -m studies.reproduction
	$(call done)

# Target-specific: these packages are installed for the tests alone.
test tests: PACKAGES += $(BROWSER) $(HOST_TOOLS)
test: setup lint types tests

lint: tools $(NODE_TOOLS)
	@$(call step,Lint,under a minute)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python .ci/checkpatch.py
	$(NPM) run --silent check
	if ! $(NPM) run --silent bundle | cmp - $(DASHBOARD)/dashboard.js; then
		echo "$(DASHBOARD)/dashboard.js is older than its sources; run: make dashboard" >&2
		exit 1
	fi
	$(BIN)/python .ci/prose/check.py
	$(call done)

dashboard: tools $(NODE_TOOLS)
	@mkdir -p build
	$(NPM) run --silent bundle > build/dashboard.js
	mv build/dashboard.js $(DASHBOARD)/dashboard.js

$(NODE_TOOLS): package.json package-lock.json $(VENV)/tools
	@$(call step,Tools for JavaScript and prose in node_modules,half a minute)
	$(NPM) ci --silent --ignore-scripts
	touch $@
	$(call done)

types: tools
	@$(call step,Types,up to a minute)
	$(BIN)/mypy
	$(call done)

# What needs a guest, a browser or patience.
LONG := guest or browser or slow

tests: tools kernel image
	@$(call step,All tests on every CPU,minutes)
	$(BIN)/python -m pytest -n auto --durations 20
	$(call done)

.PHONY: barriers
barriers: tools
	@$(call step,Break each protection against hostile code,minutes)
	$(BIN)/python -m tests.hostile.break_barriers
	$(call done)

unit: tools
	@$(call step,Tests without guests and a browser,about three minutes)
	$(BIN)/python -m pytest -n auto -m 'not ($(LONG))'
	$(call done)

coverage: tools
	@$(call step,The same tests with coverage,longer than make unit)
	$(BIN)/python -m pytest -n auto -m 'not ($(LONG))' --cov --cov-report=term
	$(call done)

mutants: tools
	@$(call step,Mutants of the code that decides,minutes per target)
	$(BIN)/python -m tests.mutants.run
	$(call done)

integrity: venv kernel image
	@$(call step,672 transfers over bad paths,three minutes)
	$(BIN)/python -m validation.data_integrity
	$(call done)

middleboxes: venv kernel image
	@$(call step,Middleboxes in a kernel with netfilter,minutes the first time)
	$(BIN)/python -m mpbench.kernel.netfilter
	$(BIN)/python -m pytest tests/virtual/test_middleboxes.py
	$(call done)

.PHONY: kernels
kernels: venv kernel image
	@$(call step,Releases of Linux in virtual time,minutes per release the first time)
	$(BIN)/python -m validation.releases
	$(call done)

selftests: venv kernel
	@$(call step,Upstream's tests of MPTCP in 27 guests,about 5 minutes)
	$(BIN)/python -m validation.upstream_selftests
	$(call done)

# Only these tests need the firewall's tools. Interrupted, the same command continues.
selftests-full: PACKAGES += ethtool iptables nftables
selftests-full: PACKAGES += $(if $(PACKETDRILL),zlib1g-dev)
selftests selftests-full: PACKAGES += $(HOST_TOOLS)
selftests-full: setup
	@$(call step,Two kernels with the kernel's own checks,half an hour the first time)
	$(RUN) kernel build --config selftests-stock
	$(RUN) kernel build --config selftests
	$(call done)
	$(call step,Upstream's tests of MPTCP in three kernels,hours; it continues where it stopped)
	mkdir -p build
	failed=
	for config in guest selftests selftests-stock; do
		$(BIN)/python -m validation.upstream_selftests --config $$config \
			--save build/$$config.json \
			$(if $(PACKETDRILL),--packetdrill "$(PACKETDRILL)") || failed=yes
	done
	$(BIN)/python -m validation.upstream_selftests --page docs/selftests.md \
		build/guest.json build/selftests.json build/selftests-stock.json
	[ -z "$$failed" ]
	$(call done)

docs: $(VENV)/docs
	@$(call step,Documentation in build/docs,half a minute)
	# With --quiet, --strict would let broken links pass: it counts what is logged.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(call done)

$(VENV)/docs: $(VENV)/installed
	@$(call step,What builds the documentation,seconds)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[docs]'
	touch $@
	$(call done)

docs-numbers: venv kernel image
	@$(call step,The experiments of the documentation,some minutes; it resumes)
	$(BIN)/python -m docs.builder.measured
	$(BIN)/python -m docs.builder.quoted
	$(call done)

wheel: tools kernel image
	$(RUN) endpoint build --available
	@$(call step,The wheel in dist,a minute)
	$(BIN)/python -m packing
	$(call done)

sources: tools kernel
	@$(call step,The sources of the wheel in dist,a minute)
	$(BIN)/python -m packing sources
	$(call done)

debian-sources: tools
	@$(call step,The sources of the root image in dist,minutes)
	$(BIN)/python -m packing debian-sources
	$(call done)

constraints: tools
	@$(call step,The newest Python packages,two minutes)
	mkdir -p build
	$(BIN)/python -m pip install -q --dry-run --ignore-installed --report build/pip.json \
		-e '.[test,docs,parquet,cluster,slurm,pbs,sge,kubernetes]'
	$(BIN)/python -m packing.pins build/pip.json > build/constraints.txt
	mv build/constraints.txt constraints.txt
	$(call done)

release: tools
	@$(BIN)/python .ci/release.py

clean:
	rm -rf $(VENV) node_modules build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
