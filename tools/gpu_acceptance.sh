#!/usr/bin/env bash
# One command for a machine with an NVIDIA GPU:
#
#   tools/gpu_acceptance.sh [STEPS]
#   tools/gpu_acceptance.sh tune resnet50|gpt2 [BUDGET]
#   tools/gpu_acceptance.sh data [STEPS]
#   tools/gpu_acceptance.sh zoo
#
# The last form runs the programs of the CUDA zoo, which tests hold on simulated
# devices, on this one, and writes docs/benchmarks/gpu-zoo-<date>.md; the first
# form ends with it.
# The third form proves and measures flatout.data's way to the device, and writes
# docs/benchmarks/gpu-data-<date>.md; without nvcc at
# build time numbers are made on the CPU. The second form tunes a naive script
# (examples/gpu) within BUDGET (8m), and runs it as it is, under the plan and
# tuned by hand, in turn; it writes docs/benchmarks/gpu-tune-<model>-<date>.md.
# The first form:
#
# Trains the demo's small CNN and a real ResNet-50 on cuda, each with 0 and 8
# loader workers and each three times with and without flatout, in turn. Writes
# docs/benchmarks/gpu-<date>.md: machine, driver, verdicts, phases_device and
# what flatout cost. Before that, gpu-fields-<date>.md: each figure of the driver
# against nvidia-smi; after it, the third form. Needs `make build` (torch with
# CUDA in .venv, or another interpreter in PYTHON) and timm or torchvision for
# the ResNet-50.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-.venv/bin/python}
images=build/demo/images

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi --list-gpus | grep -q GPU; then
  echo "gpu_acceptance: there is no NVIDIA GPU here (nvidia-smi lists none); run this on a machine with one" >&2
  exit 1
fi
if [[ ! -x ./flatout ]]; then
  echo "gpu_acceptance: ./flatout is not there; run make build first" >&2
  exit 1
fi
if ! "$python" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())'; then
  echo "gpu_acceptance: the torch of $python cannot use cuda; name another with PYTHON=..., or make setup TORCH_SPEC=... with a CUDA build" >&2
  exit 1
fi

"$python" examples/make_images.py "$images"
if [[ ${1:-} == tune ]]; then
  exec "$python" tools/gpu_tune.py "${2:?name a model: resnet50 or gpt2}" --flatout ./flatout --images "$images" --budget "${3:-8m}"
fi

if [[ ${1:-} == data ]]; then
  exec "$python" tools/gpu_device.py --images "$images" --steps "${2:-200}" --out docs/benchmarks
fi

if [[ ${1:-} == zoo ]]; then
  exec "$python" tools/gpu_zoo.py --flatout ./flatout --out docs/benchmarks
fi

steps=${1:-200}
failed=0
"$python" tools/gpu_fields.py --flatout ./flatout --out docs/benchmarks || failed=1
"$python" tools/gpu_acceptance.py --flatout ./flatout --images "$images" --steps "$steps" --out docs/benchmarks || failed=1
"$python" tools/gpu_device.py --images "$images" --steps "$steps" --out docs/benchmarks || failed=1
"$python" tools/gpu_zoo.py --flatout ./flatout --out docs/benchmarks || failed=1
exit $failed
