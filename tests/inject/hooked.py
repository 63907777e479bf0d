"""Run a Python program with the hooks and no recorder, and read what it wrote."""

import os
import subprocess
import sys
from pathlib import Path

from ring import read_rings

ROOT = Path(__file__).resolve().parents[2]


def library() -> Path:
    """lib/flatout beside the binary under test."""
    binary = Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
    return binary.resolve().parent.parent / "lib/flatout"


def made_up_driver() -> Path:
    """The CUDA driver of src/inject/device_clock/fake, as the build has made it beside the binary under test."""
    path = library().parents[1] / "test/device_clock/libcuda.so.1"
    assert path.is_file(), f"{path} is not there: build the target flatout_fake_libcuda"
    return path


def environment(rings, **extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith("FLATOUT_")}
    env.update(PYTHONPATH=str(library() / "site"), FLATOUT_RING_DIR=str(rings))
    env.update({k: str(v) for k, v in extra.items()})
    return env


def run(program, *args, rings, **extra):
    """(CompletedProcess, rings) of `python program args`."""
    done = subprocess.run(
        [sys.executable, str(program), *map(str, args)],
        env=environment(rings, **extra),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done, read_rings(rings)


def main_ring(rings):
    (ring,) = [r for r in rings if r.role == 0]
    return ring
