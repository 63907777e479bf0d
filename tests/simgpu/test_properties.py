"""Properties of the timeline that hold for every program: made-up programs over several streams, held against their truth."""

import itertools
import json
import pathlib
import subprocess
import sys

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from truth import Truth, union_ns

STREAMS = ("legacy", "blocking", "other blocking", "free", "other free")
BLOCKING = ("blocking", "other blocking")

# Runs programs, one a line, and says of each what the calls gave. Names of kernels carry the program and the step.
PLAYER = """
import json
import pathlib
import sys
from cudart import *

streams = {"legacy": LEGACY, "blocking": stream(), "other blocking": stream(), "free": stream(NON_BLOCKING), "other free": stream(NON_BLOCKING)}
events = [event() for _ in range(3)]
device, host = malloc(8 << 20), pinned(8 << 20)
for line in sys.stdin:
    program = json.loads(line)
    said = []
    begun = time.monotonic_ns()
    for number, (what, where, value) in enumerate(program["steps"]):
        one = streams[where]
        got = None
        if what == "kernel":
            launch(one, value / 100, "p%d.%d" % (program["number"], number))
        elif what == "small":
            launch(one, name="p%d.%d" % (program["number"], number), blocks=4)
        elif what == "in":
            copy(device, host, value << 14, TO_DEVICE, one)
        elif what == "out":
            copy(host, device, value << 14, TO_HOST, one)
        elif what == "fill":
            fill(device, value << 14, one)
        elif what == "record":
            record(events[value % 3], one)
        elif what == "wait":
            wait(one, events[value % 3])
        elif what == "query":
            got = status_of(call, "cudaEventQuery", events[value % 3])
        elif what == "synchronize":
            call("cudaStreamSynchronize", one)
            got = time.monotonic_ns()
        elif what == "capture" and where != "legacy":
            begin_capture(one)
            for part in range(value % 4 + 1):
                launch(one, 0.05, "p%d.%d" % (program["number"], number))
            replay(instantiate(end_capture(one)), one)
        said.append([got, time.monotonic_ns()])
    synchronize()
    print(json.dumps({"begun": begun, "ended": time.monotonic_ns(), "said": said}), flush=True)
"""

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["kernel", "kernel", "small", "in", "out", "fill", "record", "wait", "query", "synchronize", "capture"]),
        st.sampled_from(STREAMS),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=25,
)


class Player:
    def __init__(self, simgpu):
        self.scratch = simgpu.scratch()
        (self.scratch / "player.py").write_text(PLAYER)
        environment = simgpu.environment(self.scratch)
        environment["PYTHONPATH"] = str(pathlib.Path(__file__).resolve().parent)
        command = [sys.executable, str(self.scratch / "player.py")]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.programs = 0

    def play(self, steps):
        """(what the calls said, the operations of this program in the order in which they were enqueued)"""
        self.programs += 1
        self.process.stdin.write(json.dumps({"number": self.programs, "steps": steps}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the player has died"
        said = json.loads(line)
        ran = [operation for operation in Truth(self.scratch / "truth").operations if operation.enqueued_ns >= said["begun"]]
        return said, sorted(ran, key=lambda operation: (operation.enqueued_ns, operation.start_ns))


@pytest.fixture(scope="module")
def player(simgpu):
    one = Player(simgpu)
    yield one
    one.process.stdin.close()
    one.process.wait()


def expected_operations(steps):
    """(stream, step) of each operation, in order; steps that give none are left out."""
    for number, (what, where, value) in enumerate(steps):
        if what in ("kernel", "small", "in", "out", "fill"):
            yield where, number
        elif what == "capture" and where != "legacy":
            yield from [(where, number)] * (value % 4 + 1)


def overlapping(operations):
    ordered = sorted(operations, key=lambda operation: operation.start_ns)
    return [(a, b) for a, b in zip(ordered, ordered[1:]) if b.start_ns < a.end_ns]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_every_program_keeps_the_order_that_it_asked_for(player, steps):
    said, ran = player.play(steps)
    expected = list(expected_operations(steps))
    assert len(ran) == len(expected), "each operation once"
    placed = [(where, number, operation) for (where, number), operation in zip(expected, ran)]

    for operation in ran:
        assert operation.enqueued_ns < operation.start_ns < operation.end_ns <= said["ended"]

    # One stream: one after the other, as they were enqueued.
    for where in STREAMS:
        own = [operation for at, _, operation in placed if at == where]
        assert all(a.end_ns <= b.start_ns for a, b in zip(own, own[1:])), where

    # The legacy stream and the blocking ones: no two at the same time, unless both are of blocking streams.
    for (at, _, first), (to, _, second) in itertools.combinations(placed, 2):
        if "legacy" in (at, to) and {at, to} <= {"legacy", *BLOCKING}:
            assert first.end_ns <= second.start_ns, (at, to)

    # One engine a direction; kernels that fill the device, and sets, one at a time.
    for kinds in (("copy_to_device",), ("copy_to_host",)):
        assert not overlapping([operation for operation in ran if operation.kind in kinds])
    large = [operation for operation in ran if operation.kind == "set" or operation.grid_blocks > 66]
    assert not overlapping(large)

    assert union_ns(ran) <= said["ended"] - said["begun"]
    _check_events(steps, said, placed)


def _check_events(steps, said, placed):
    """Waits, queries and synchronisations against the ends of what was before the record."""

    def end_before(where, number):
        ends = [operation.end_ns for at, step, operation in placed if at == where and step < number]
        return max(ends, default=0)

    recorded = {}  # event: end of what it marked
    waits = []  # (stream, step, time)
    for number, (what, where, value) in enumerate(steps):
        got, returned_ns = said["said"][number]
        if what == "record":
            recorded[value % 3] = end_before(where, number)
        elif what == "wait" and value % 3 in recorded:
            waits.append((where, number, recorded[value % 3]))
        elif what == "query":
            marked = recorded.get(value % 3, 0)
            assert got in (0, 600)
            if got == 0:
                assert marked <= returned_ns, "told as over before it was"
        elif what == "synchronize":
            assert got >= end_before(where, number)
    for where, number, until in waits:
        later = [operation for at, step, operation in placed if at == where and step > number]
        assert all(operation.start_ns >= until for operation in later), "began before what it waits for"
