"""A Python that has pyarrow, which the suite's own need not have."""

import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def python_with_pyarrow(folder):
    """FLATOUT_TEST_PYARROW, this one, or this one with what `make test` fetches for Hugging Face's datasets; None without."""
    fetched = ROOT / "build/hf_datasets/site-packages"
    with_fetched = folder / "python-with-pyarrow"
    with_fetched.write_text(f'#!/bin/sh\nexport PYTHONPATH={shlex.quote(str(fetched))}\nexec {shlex.quote(sys.executable)} "$@"\n')
    with_fetched.chmod(0o755)
    for python in (os.environ.get("FLATOUT_TEST_PYARROW"), sys.executable, with_fetched):
        if python and subprocess.run([python, "-c", "import pyarrow"], capture_output=True).returncode == 0:
            return python
    return None
