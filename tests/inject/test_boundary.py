"""What the device's clock does at each change of phase: what it takes is time of the phase that begins or ends, as
whoever times the call from outside sees it."""

import json
import subprocess
import sys
from pathlib import Path

from ring import read_rings

PROGRAM = """
import json
import sys
import time

sys.path[:0] = [sys.argv[1], sys.argv[1] + "/programs"]
from cuda_stand_in import driver
from native import NUMBER, load_with_ring

native, folder = load_with_ring()
asked = []


def current_stream(device):
    asked.append(time.monotonic_ns())
    return 0


native.device_time(lambda: True, current_stream, type(None), lambda: None, lambda *_: None, lambda _source: False)
for change, name in ((native.begin, "forward"), (native.begin, "sync"), (native.end, "sync"), (native.end, "forward"), (native.end, "sync")):
    change(NUMBER[name])
    driver.host_ms += 1
print(folder)
print(json.dumps(asked))
"""


def test_an_event_lies_inside_the_phase_that_begins_or_ends():
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", PROGRAM, here], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    folder, asked = done.stdout.splitlines()
    (ring,) = read_rings(folder)
    assert ring.sequence() == ["+forward", "+sync", "-sync", "-forward"]
    asked = json.loads(asked)
    assert len(asked) == 4  # what was not open ends nothing
    at = [phase.t_ns for phase in ring.phases]
    assert at[0] <= asked[0] and at[1] <= asked[1]
    assert asked[2] <= at[2] and asked[3] <= at[3]
    assert [name for name, _, _ in ring.device] == ["forward", "sync"]
