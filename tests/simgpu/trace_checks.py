"""The trace agent's library, and a process's trace ring held to the truth of the same execution."""

import collections
import os
import pathlib

from trace_ring import UNKNOWN_BYTES

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
LIBRARY = BINARY.resolve().parent.parent / "lib/flatout/libflatout_inject.so"
HOOKS = LIBRARY.parent / "site"
CLOSE_NS = 1000  # between the simulator's clock and its CUPTI's

KIND = {
    "kernel": ("kernel", "unknown"), "copy_to_device": ("copy", "to_device"), "copy_to_host": ("copy", "to_host"),
    "copy_on_device": ("copy", "on_device"), "copy_peer": ("copy", "on_device"), "set": ("memset", "unknown"),
}  # fmt: skip


class Traced:
    def __init__(self, done, rings, truth):
        self.done, self.rings, self.truth = done, rings, truth

    @property
    def ring(self):
        (ring,) = self.rings
        return ring

    @property
    def facts(self):
        return [value for key, value in self.ring.facts if key == "trace"]


def assert_same(activity, operation):
    assert (activity.kind, activity.direction) == KIND[operation.kind]
    assert abs(activity.start_ns - operation.start_ns) <= CLOSE_NS and abs(activity.end_ns - operation.end_ns) <= CLOSE_NS
    assert (activity.stream, activity.device) == (operation.stream, operation.device)
    assert (activity.name, activity.graph, activity.graph_node) == (operation.name, operation.graph, operation.graph_node & 0xFFFFFFFF)
    assert activity.bytes == (UNKNOWN_BYTES if operation.kind == "kernel" else operation.bytes)
    if operation.kind in ("copy_to_device", "copy_to_host"):
        assert activity.host_memory == ("pageable" if operation.pageable else "pinned")


def assert_agrees(ring, operations):
    """Each operation is there once, as it was, below its launching call."""
    order = lambda one: (one.correlation, one.start_ns)  # noqa: E731
    activities, operations = sorted(ring.activities, key=order), sorted(operations, key=order)
    assert [one.correlation for one in activities] == [one.correlation for one in operations]
    for activity, operation in zip(activities, operations):
        assert_same(activity, operation)
    launching = collections.Counter(call.correlation for call in ring.calls if call.correlation)
    assert set(launching.values()) <= {1}, "a call once"
    assert {one.correlation for one in operations} <= set(launching)
    enqueued = {one.correlation: one.enqueued_ns for one in operations}
    for call in ring.calls:
        assert call.start_ns <= call.end_ns
        if call.correlation in enqueued:
            assert call.start_ns - CLOSE_NS <= enqueued[call.correlation] <= call.end_ns + CLOSE_NS


def whole(ring):
    assert ring.dropped == 0 and all(window.dropped == 0 for window in ring.windows)
