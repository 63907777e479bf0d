"""Reads a trace ring as the recorder would, for tests (src/wire/activity_record.h)."""

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path

HEADER = 4096
TRACE_ROLE = 2
NAME, LANE, FACT, ACTIVITY, CALL, WINDOW = 4, 3, 5, 10, 11, 12
KINDS = ("kernel", "copy", "memset")
DIRECTIONS = ("unknown", "to_device", "to_host", "on_device")
HOST_MEMORY = ("unknown", "pageable", "pinned")
ENDS = ("planned", "exit", "yielded", "failed")
UNKNOWN_BYTES = (1 << 64) - 1


@dataclass
class Activity:
    start_ns: int
    end_ns: int
    correlation: int
    bytes: int
    name: str
    stream: int
    graph: int
    graph_node: int
    context: int
    device: int
    kind: str
    direction: str
    host_memory: str


@dataclass
class Call:
    start_ns: int
    end_ns: int
    correlation: int
    name: str
    tid: int


@dataclass
class Window:
    start_ns: int
    end_ns: int
    dropped: int
    end: str


@dataclass
class TraceRing:
    pid: int
    dropped: int = 0
    activities: list = field(default_factory=list)
    calls: list = field(default_factory=list)
    ranges: list = field(default_factory=list)  # of NVTX: Calls, too
    started: list = field(default_factory=list)  # those of nvtxRangeStart
    marks: list = field(default_factory=list)
    windows: list = field(default_factory=list)
    facts: list = field(default_factory=list)  # (key, value)
    names: dict = field(default_factory=dict)
    lanes: dict = field(default_factory=dict)  # number: tid

    def states(self):
        return [value["state"] for key, value in self.facts if key == "trace"]

    def covers(self, at_ns):
        return any(one.start_ns <= at_ns < one.end_ns for one in self.windows)


def read_trace_rings(folder):
    return [read_trace_ring(path) for path in sorted(Path(folder).glob("ring.*.trace"))]


def read_trace_ring(path):
    """The ring is a file (FLATOUT_RING_IPC is not set) that nobody has drained."""
    data = path.read_bytes()
    assert data[:8] == b"FLORING1" and struct.unpack_from("<I", data, 12)[0] == TRACE_ROLE, path
    (capacity,) = struct.unpack_from("<Q", data, 16)
    (pid,) = struct.unpack_from("<i", data, 24)
    (head,) = struct.unpack_from("<Q", data, 64)
    (tail,) = struct.unpack_from("<Q", data, 128)
    (dropped,) = struct.unpack_from("<Q", data, 192)
    assert tail == 0 and head <= capacity, "these tests never wrap a ring"
    ring, at = TraceRing(pid, dropped), HEADER
    while at < HEADER + head:
        kind, _phase, lane, size, t_ns = struct.unpack_from("<BBHIq", data, at)
        assert size >= 16 and size % 8 == 0
        _take(ring, data[at : at + size], kind, lane, t_ns)
        at += size
    return ring


def _take(ring, record, kind, lane, t_ns):
    if kind == LANE:
        (ring.lanes[lane], _main) = struct.unpack_from("<iI", record, 16)
    elif kind == NAME:
        number, size = struct.unpack_from("<II", record, 16)
        assert number not in ring.names, "each name once"
        ring.names[number] = record[24 : 24 + size].decode()
    elif kind == FACT:
        key, value = struct.unpack_from("<II", record, 16)
        ring.facts.append((record[24 : 24 + key].decode(), json.loads(record[24 + key : 24 + key + value])))
    elif kind == ACTIVITY:
        end, correlation, size, name, stream, graph, node, context, device, what, direction, memory = struct.unpack_from(
            "<qQQIIIIHHBBB", record, 16
        )
        ring.activities.append(
            Activity(
                t_ns, end, correlation, size, ring.names[name] if name else "", stream, graph, node, context, device, KINDS[what],
                DIRECTIONS[direction], HOST_MEMORY[memory],
            )  # fmt: skip
        )
    elif kind == CALL:
        end, correlation, name, what = struct.unpack_from("<qQIB", record, 16)
        of_kind = {2: ring.calls, 3: ring.ranges, 4: ring.started, 5: ring.marks}  # HostSpanKind
        of_kind[what].append(Call(t_ns, end, correlation, ring.names[name], ring.lanes[lane]))
    elif kind == WINDOW:
        end, dropped, how, _ = struct.unpack_from("<qQII", record, 16)
        ring.windows.append(Window(t_ns, end, dropped, ENDS[how]))
    else:
        raise AssertionError("record of type %d" % kind)
