"""The loaders' part of `make bench`: bench/data/loaders.py with what was built here, into docs/benchmarks/dataloading.md."""

import os
import pathlib
import subprocess
import sys

from bench_native import NATIVE, build

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "build" / "peers"
LIMIT_S = 3600
IMAGES = 2000  # 3000 with all peers took up to twenty minutes; an epoch of the fastest still takes more than half a second


def measure_loaders(out, quick):
    """Writes the page `out`. A peer that is not installed stands there with its import error. RuntimeError where nothing was measured."""
    print("loaders ...", flush=True)
    if not PEERS.exists():
        print(f"bench_data: no {PEERS.relative_to(ROOT)}: only loaders of this environment; bench/data/peers_venv.sh installs the others")
    build("flatout_data", "data_ceilings")
    command = [sys.executable, ROOT / "bench/data/loaders.py", "--ceilings", NATIVE / "bench/data_ceilings", "--peers", PEERS, "--out", out]
    command += ["--images", 200, "--epochs", 2, "--starts", 1] if quick else ["--images", IMAGES]
    environment = {**os.environ, "FLATOUT_DATA_LIBRARY": str(NATIVE / "lib/libflatout_data.so.0")}
    done = subprocess.run([str(part) for part in command], env=environment, timeout=LIMIT_S)
    if done.returncode != 0:
        raise RuntimeError(f"bench/data/loaders.py gave exit {done.returncode}")
