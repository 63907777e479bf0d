"""A stand-in for torch.cuda whose devices have a clock of their own; it follows CUDA's rules
for events: one device each, and no query while a capture in global mode is open."""

import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from hooked import library

NOW = {"host_ms": 0.0, "device_done_ms": 0.0}
CALLS = {"made": 0, "record": 0, "query": 0, "synchronize": 0, "forbidden": 0}


class Event:
    fails = False

    def __init__(self, enable_timing=False):
        CALLS["made"] += 1
        self.at_ms = self.device = None

    def record(self):
        CALLS["record"] += 1
        if self.fails:
            raise RuntimeError("CUDA error: made up")
        if self.device not in (None, cuda.device):
            raise RuntimeError("CUDA error: invalid resource handle")
        self.device = cuda.device
        self.at_ms = max(NOW["host_ms"], NOW["device_done_ms"])

    def query(self):
        CALLS["query"] += 1
        cuda.not_in_a_capture()
        return NOW["host_ms"] >= self.at_ms

    def synchronize(self):
        CALLS["synchronize"] += 1
        cuda.not_in_a_capture()
        NOW["host_ms"] = max(NOW["host_ms"], self.at_ms)

    def elapsed_time(self, other):
        return other.at_ms - self.at_ms


class CUDAGraph:
    spoiled = False
    device_ms = 0.0

    def replay(self):
        NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + self.device_ms
        NOW["host_ms"] += 0.1

    def capture_begin(self):
        if self.spoiled == "begin":
            raise RuntimeError("CUDA graphs must be captured on a non-default stream")
        cuda.capturing = True

    def capture_end(self):
        cuda.capturing = False
        if self.spoiled:
            raise RuntimeError("CUDA error: operation failed due to a previous error during capture")


class Cuda(types.SimpleNamespace):
    started = False
    capturing = False
    current_stream_captures = True
    device = 0

    def not_in_a_capture(self):
        if self.capturing:
            CALLS["forbidden"] += 1
            raise RuntimeError("CUDA error: operation not permitted when stream is capturing")

    def is_initialized(self):
        return self.started

    def is_current_stream_capturing(self):
        return self.capturing and self.current_stream_captures

    def current_device(self):
        return self.device

    def device_count(self):
        return 2

    def get_device_properties(self, _index):
        return types.SimpleNamespace(name="Stand-in", total_memory=1 << 30)

    def synchronize(self):
        NOW["host_ms"] = max(NOW["host_ms"], NOW["device_done_ms"])


class Tensor:
    def __init__(self, is_cuda=False, pinned=False):
        self.is_cuda = is_cuda
        self.pinned = pinned

    def to(self, device, non_blocking=False):
        if device == "cuda" and not self.is_cuda:
            NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + 2
            if not (non_blocking and self.pinned):
                NOW["host_ms"] = NOW["device_done_ms"]
            return Tensor(True)
        return self

    def item(self):
        if self.is_cuda:
            NOW["host_ms"] = max(NOW["host_ms"], NOW["device_done_ms"])
        return 1.0

    def is_pinned(self):
        return self.pinned

    def numel(self):
        return 10

    def element_size(self):
        return 4

    cuda = cpu = tolist = numpy = __bool__ = __float__ = __int__ = item


cuda = Cuda(Event=Event, CUDAGraph=CUDAGraph, Stream=type("Stream", (), {"synchronize": lambda self: None}))
torch = types.SimpleNamespace(
    cuda=cuda, Tensor=Tensor, device=type("device", (), {}), version=types.SimpleNamespace(cuda="13.0"), _C=None,
    distributed=types.SimpleNamespace(is_available=lambda: True),
)


class Occasions:
    def __init__(self):
        self.listeners = []

    def listen(self, listener):
        self.listeners.append(listener)

    def look(self, module):
        for listener in self.listeners:
            listener(module, "cuda")


OCCASIONS = Occasions()


def install(native):
    """The CUDA hooks of the library under test, on this stand-in."""
    import importlib

    import comm_stand_in

    package = types.ModuleType("_flatout_hooks")
    package.__path__ = [str(library() / "hooks")]
    sys.modules["_flatout_hooks"] = package
    native.set_torch(lambda: True, Tensor, Tensor.numel, lambda: 0)
    importlib.import_module("_flatout_hooks.cuda").install(native, torch)
    c10d = sys.modules["torch._C._distributed_c10d"] = types.ModuleType("c10d")
    c10d.Work, c10d.ProcessGroup = comm_stand_in.Work, comm_stand_in.ProcessGroup
    importlib.import_module("_flatout_hooks.comm").install(native, torch, OCCASIONS)
