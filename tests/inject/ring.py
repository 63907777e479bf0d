"""Reads a ring file as the recorder would, for tests (src/wire/record.h)."""

import json
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

if sys.version_info >= (3, 11):
    from declared_facts import undeclared
else:  # programs that tests start under older Pythons, which cannot read the schema
    def undeclared(_key, _value):
        return []

PHASES = ("other", "data_wait", "h2d", "forward", "backward", "optimizer", "comm", "sync", "checkpoint", "iter_build",
          "eval", "step", "replay")
GRAD, TRAINING, RAISED, EXHAUSTED, SKIPPED, CAPTURED = 1, 2, 4, 8, 16, 128


@dataclass
class Phase:
    begin: bool
    phase: str
    t_ns: int
    flags: int
    id: int
    value: int


@dataclass
class Batch:
    begin_ns: int
    end_ns: int
    cpu_ns: int
    collate_ns: int
    iterator: int
    sequence: int
    samples: int
    stages: dict
    run_delay_ns: int
    bytes: int


@dataclass
class Allocator:
    device: int
    allocated: int
    reserved: int
    allocated_peak: int
    reserved_peak: int
    retries: int
    ooms: int


UNKNOWN_COUNT = 2**64 - 1


@dataclass
class Ring:
    role: int
    worker_id: int
    phases: list = field(default_factory=list)
    batches: list = field(default_factory=list)
    facts: list = field(default_factory=list)  # (key, value)
    device: list = field(default_factory=list)  # (phase, duration_ns, step)
    values: list = field(default_factory=list)  # (name, step, value)
    allocators: list = field(default_factory=list)
    stops: int = 0

    def fact(self, key):
        return [value for name, value in self.facts if name == key]

    def sequence(self):
        """Phases in order, "+forward" for a begin and "-forward" for an end."""
        return [("+" if p.begin else "-") + p.phase for p in self.phases]


def read_rings(folder):
    return [_read(path) for path in sorted(Path(folder).glob("ring.*"))]


def _read(path):
    data = path.read_bytes()
    assert data[:8] == b"FLORING1", path
    (role,) = struct.unpack_from("<I", data, 12)
    (worker,) = struct.unpack_from("<i", data, 48)
    (head,) = struct.unpack_from("<Q", data, 64)
    assert head <= len(data) - 4096, "these tests never fill a ring"
    ring, names, at = Ring(role, worker), {}, 4096
    while at < 4096 + head:
        kind, phase, _lane, size, t_ns = struct.unpack_from("<BBHIq", data, at)
        _take(ring, names, data, at, kind, phase, size, t_ns)
        at += size
    return ring


def _take(ring, names, data, at, kind, phase, size, t_ns):
    body = at + 16
    if kind in (1, 2):
        flags, number, value = struct.unpack_from("<IIQ", data, body)
        ring.phases.append(Phase(kind == 1, PHASES[phase], t_ns, flags, number, value))
    elif kind == 4:
        number, length = struct.unpack_from("<II", data, body)
        names[number] = data[body + 8 : body + 8 + length].decode()
    elif kind == 5:
        key, text = struct.unpack_from("<II", data, body)
        start = body + 8
        name, value = data[start : start + key].decode(), json.loads(data[start + key : start + key + text])
        assert not undeclared(name, value), f"schema/facts.toml lacks {undeclared(name, value)}"
        ring.facts.append((name, value))
    elif kind == 6:
        begin, cpu, collate, _idle, _read_bytes, _disk, delay, size, iterator, sequence, samples, count = struct.unpack_from(
            "<qqqqQQqQIIII", data, body
        )
        rows = [struct.unpack_from("<IIq", data, at + 96 + 16 * i) for i in range(count)]
        stages = {names[name]: (calls, wall) for name, calls, wall in rows}
        ring.batches.append(Batch(begin, t_ns, cpu, collate, iterator, sequence, samples, stages, delay, size))
    elif kind == 7:
        duration, step, _device = struct.unpack_from("<qII", data, body)
        ring.device.append((PHASES[phase], duration, step))
    elif kind == 9:
        value, step, length = struct.unpack_from("<dqI", data, body)
        ring.values.append((data[body + 24 : body + 24 + length].decode(), step, value))
    elif kind == 13:
        *figures, device = struct.unpack_from("<6QI", data, body)
        ring.allocators.append(Allocator(device, *figures))
    elif kind == 8:
        ring.stops += 1
