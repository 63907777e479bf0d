#!/bin/sh
# PyTorch's and torchdata's own suites of their loaders against flatout.torch.DataLoader.
#
#     tools/run_upstream_suites.sh CHECKOUT...      writes docs/dataloader-compat.md
#
# A CHECKOUT is a working tree of pytorch/pytorch (test/test_dataloader.py) or of meta-pytorch/data (test/stateful_dataloader/)
# that fits the installed torch. It is read, never stored. Needs torch, pytest, parameterized and expecttest in $PYTHON.
exec "${PYTHON:-python3}" "$(dirname "$0")/upstream_suites.py" "$@"
