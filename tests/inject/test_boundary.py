"""The callback at each change of phase: what it takes is time of the phase that begins or ends, as whoever times
the call from outside sees it."""

import json
import subprocess
import sys
from pathlib import Path

from ring import read_rings

PROGRAM = """
import json
import sys
import time

sys.path.insert(0, sys.argv[1])
from native import NUMBER, load_with_ring

native, folder = load_with_ring()
calls = []


def boundary(phase):
    begin = time.monotonic_ns()
    calls.append((phase, begin, time.monotonic_ns()))


native.set_boundary(boundary)
for name in ("forward", "sync"):
    native.begin(NUMBER[name])
for name in ("sync", "forward"):
    native.end(NUMBER[name])
print(folder)
print(json.dumps(calls))
"""


def test_the_callback_lies_inside_the_phase():
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", PROGRAM, here], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    folder, calls = done.stdout.splitlines()
    (ring,) = read_rings(folder)
    assert ring.sequence() == ["+forward", "+sync", "-sync", "-forward"]
    calls = json.loads(calls)
    forward, sync, other = 3, 7, 0
    assert [phase for phase, _, _ in calls] == [forward, sync, forward, other]
    at = [phase.t_ns for phase in ring.phases]
    assert at[0] <= calls[0][1] and at[1] <= calls[1][1]
    assert calls[2][2] <= at[2] and calls[3][2] <= at[3]
