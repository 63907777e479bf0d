"""The cost of flatout a step on CUDA: each API call that it adds, by name.

The program runs alone and under `flatout run`; what differs is flatout's. Calls are counted by the simulated libraries. The CPU time
of the thread that trains is measured by `make bench` (bench/cuda_cost.py)."""

import dataclasses
import json
import pathlib
import subprocess
import sys

import harness
import pytest

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "cost.py"


def told(simgpu, *prefix):
    """What cost.py says of its loops."""
    scratch = simgpu.scratch()
    environment = simgpu.environment(scratch, env={"FLATOUT_HOME": scratch / "home"})
    done = subprocess.run([*prefix, sys.executable, PROGRAM], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


@dataclasses.dataclass
class Cost:
    alone: dict
    observed: dict

    def calls(self, loop):
        """{entry point: calls a step that flatout adds}"""
        alone, observed = self.alone[loop]["calls"], self.observed[loop]["calls"]
        return {name: observed.get(name, 0) - alone.get(name, 0) for name in {*alone, *observed}}


@pytest.fixture(scope="module")
def cost(simgpu):
    return Cost(told(simgpu), told(simgpu, harness.flatout_bin(), "run", "--quiet", "--no-bench", "--"))


@dataclasses.dataclass(frozen=True)
class Bound:
    """Of the calls that flatout may add to a step."""

    places: float  # where the thread's next work goes
    records: float
    times: float  # of which some find that the device is not there yet
    queries: float

    def calls(self):
        return {
            "cuCtxGetDevice": self.places,
            "cuStreamIsCapturing": self.places,
            "cuEventRecord": self.records,
            "cuEventElapsedTime_v2": self.times,
            "cuEventQuery": self.queries,
        }


# Eight boundaries a step: draw, forward, backward and update each begin and end. A blocking copy has an event before and one after it.
# The third copy, which does not block, is looked at while few lines are known to copy. Behind loss.item() what is done by then is read.
PHASES, COPIES, ASKS = 8, 2, 32
BOUNDS = {
    "tiny": Bound(places=PHASES, records=PHASES, times=2 * PHASES, queries=0),
    "copies": Bound(places=PHASES + COPIES + 2, records=PHASES + 2 * COPIES, times=2 * PHASES + ASKS * COPIES + 4, queries=COPIES),
    "replay": Bound(places=2, records=2, times=4, queries=0),
}
NEW_EVENTS = 1  # a step, until as many are made as are on their way at once
# What the program calls more or less of, by how quickly its own work is done.
TIMING = 0.5


@pytest.mark.parametrize("loop", BOUNDS)
def test_calls_that_are_added_to_a_step(cost, loop):
    may, added = BOUNDS[loop].calls(), cost.calls(loop)
    assert added.get("cuEventRecord", 0) == pytest.approx(may["cuEventRecord"])  # each boundary is timed
    assert {name: count for name, count in added.items() if name in may and count > may[name]} == {}
    assert added.pop("cuEventCreate", 0) <= NEW_EVENTS
    assert {name: count for name, count in added.items() if name not in may and abs(count) > TIMING} == {}
    waits = [name for name in added if "Synchronize" in name or "Malloc" in name or "HostAlloc" in name or "StreamCreate" in name]
    assert {name: added[name] for name in waits if added[name]} == {}


def test_a_step_on_cuda_calls_no_python(cost):
    assert cost.observed["phases"]["python"] == {}
