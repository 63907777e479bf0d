"""Reads what a program on the simulated device really did: the files of core/truth.h.

Times are nanoseconds of CLOCK_MONOTONIC. One Truth holds all processes of a run.
"""

import collections
import dataclasses
import pathlib
import struct

ROW = struct.Struct("<qqqQIIIIIIHBBIQ")
CALL = struct.Struct("<64sQQ")
SPAN = struct.Struct("<qqIIII")
KINDS = (None, "kernel", "copy_to_device", "copy_to_host", "copy_on_device", "copy_peer", "set")
COPIES = ("copy_to_device", "copy_to_host", "copy_on_device", "copy_peer")


@dataclasses.dataclass(frozen=True)
class Operation:
    pid: int
    kind: str  # of KINDS
    name: str  # of a kernel, mangled; otherwise ""
    device: int
    stream: int
    enqueued_ns: int
    start_ns: int
    end_ns: int
    bytes: int
    pageable: bool
    correlation: int
    graph: int  # of the executable graph that it belongs to, 0: none
    graph_node: int
    grid_blocks: int
    block_threads: int


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of the runtime or the driver that no other one made; with SIMGPU_TRUTH_CALLS=1 alone."""

    name: str
    thread: int
    begin_ns: int
    end_ns: int
    correlation: int


@dataclasses.dataclass(frozen=True)
class Calls:
    count: int
    host_ns: int  # of those not made inside another call


class Truth:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.operations = sorted(self._operations(), key=lambda operation: operation.start_ns)
        self.calls = self._calls()

    def of(self, device=None, pid=None, kinds=None):
        return [
            operation
            for operation in self.operations
            if (device is None or operation.device == device)
            and (pid is None or operation.pid == pid)
            and (kinds is None or operation.kind in kinds)
        ]

    def busy_ns(self, from_ns=None, to_ns=None, **which):
        """The union of operations within a window: by default from the first start to the last end."""
        return union_ns(self.of(**which), from_ns, to_ns)

    def busy(self, from_ns, to_ns, **which):
        """Share of the window in which the device did anything."""
        return self.busy_ns(from_ns, to_ns, **which) / (to_ns - from_ns)

    def _operations(self):
        for path in sorted(self.folder.glob("*.operations")):
            pid = int(path.stem)
            names = [""] + path.with_suffix(".names").read_text().splitlines()
            content = path.read_bytes()
            for row in ROW.iter_unpack(content[: len(content) // ROW.size * ROW.size]):
                enqueued, start, end, size, name, stream, correlation, graph, blocks, threads, device, kind, pageable, _, node = row
                if kind:
                    yield Operation(
                        pid=pid, kind=KINDS[kind], name=names[name], device=device, stream=stream, enqueued_ns=enqueued, start_ns=start,
                        end_ns=end, bytes=size, pageable=bool(pageable), correlation=correlation, graph=graph, graph_node=node,
                        grid_blocks=blocks, block_threads=threads,
                    )  # fmt: skip

    def _calls(self):
        """{pid: {entry point: Calls}}"""
        found = collections.defaultdict(dict)
        for path in sorted(self.folder.glob("*.calls")):
            for name, count, host_ns in CALL.iter_unpack(path.read_bytes()):
                if count:
                    found[int(path.stem)][name.rstrip(b"\0").decode()] = Calls(count, host_ns)
        return dict(found)

    def each_call(self, pid, wanted=lambda name: True):
        """Of one process, in order of their begin; a program makes ten calls for each launch, so only those whose name is wanted."""
        path = self.folder / f"{pid}.spans"
        if not path.is_file():
            return []
        names = [name.rstrip(b"\0").decode() for name, _, _ in CALL.iter_unpack(path.with_suffix(".calls").read_bytes())]
        taken = [False, *map(wanted, names)]
        content = path.read_bytes()
        rows = SPAN.iter_unpack(content[: len(content) // SPAN.size * SPAN.size])
        found = [Call(names[call - 1], thread, begin, end, correlation) for begin, end, call, thread, correlation, _ in rows if taken[call]]
        return sorted(found, key=lambda call: call.begin_ns)

    def call_count(self, name, pid=None):
        return sum(calls[name].count for one, calls in self.calls.items() if (pid is None or one == pid) and name in calls)


def union_ns(operations, from_ns=None, to_ns=None):
    total, reached = 0, None
    for start, end in sorted((operation.start_ns, operation.end_ns) for operation in operations):
        start = start if from_ns is None else max(start, from_ns)
        end = end if to_ns is None else min(end, to_ns)
        if reached is not None:
            start = max(start, reached)
        if end > start:
            total += end - start
            reached = end
    return total
