"""Device time and copies, on a stand-in for torch.cuda; no GPU is needed or used."""

import subprocess
import sys
from pathlib import Path

from ring import read_rings

PROGRAM = Path(__file__).parent / "programs/cuda_stand_in.py"


def test_device_time_copies_and_waits():
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (ring,) = read_rings(done.stdout.strip())
    forward = [ns for phase, ns, _ in ring.device if phase == "forward"]
    optimizer = [ns for phase, ns, _ in ring.device if phase == "optimizer"]
    assert forward and set(forward) == {7_000_000}
    assert optimizer and set(optimizer) == {3_000_000}
    copies = [p for p in ring.phases if p.begin and p.phase == "h2d"]
    syncs = [p for p in ring.phases if p.begin and p.phase == "sync"]
    assert len(copies) == 6
    assert len([s for s in syncs]) >= 5
    assert ring.fact("devices")[0]["devices"][0]["name"] == "Stand-in"
    (copy,) = ring.fact("copy")
    assert copy["pinned"] is False and copy["bytes"] == 40 and copy["at"].startswith(str(PROGRAM))
