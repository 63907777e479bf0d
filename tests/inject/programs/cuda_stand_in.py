"""The CUDA hooks against a stand-in for torch.cuda whose device has a clock of its own."""

import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from hooked import library
from native import DEVICE_CALL, NUMBER, load_with_ring

native, folder = load_with_ring()
NOW = {"host_ms": 0.0, "device_done_ms": 0.0}


class Event:
    def __init__(self, enable_timing=False):
        self.at_ms = None

    def record(self):
        self.at_ms = max(NOW["host_ms"], NOW["device_done_ms"])

    def query(self):
        return NOW["host_ms"] >= self.at_ms

    def synchronize(self):
        NOW["host_ms"] = max(NOW["host_ms"], self.at_ms)

    def elapsed_time(self, other):
        return other.at_ms - self.at_ms


class Cuda(types.SimpleNamespace):
    started = False

    def is_initialized(self):
        return self.started

    def is_current_stream_capturing(self):
        return False

    def current_device(self):
        return 0

    def device_count(self):
        return 1

    def get_device_properties(self, _index):
        return types.SimpleNamespace(name="Stand-in", total_memory=1 << 30)

    def synchronize(self):
        NOW["host_ms"] = max(NOW["host_ms"], NOW["device_done_ms"])


class Tensor:
    def __init__(self, is_cuda=False):
        self.is_cuda = is_cuda

    def to(self, device):
        if device == "cuda" and not self.is_cuda:
            NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + 2
            NOW["host_ms"] = NOW["device_done_ms"]
            return Tensor(True)
        return self

    def item(self):
        if self.is_cuda:
            NOW["host_ms"] = max(NOW["host_ms"], NOW["device_done_ms"])
        return 1.0

    def is_pinned(self):
        return False

    def numel(self):
        return 10

    def element_size(self):
        return 4

    cuda = cpu = tolist = numpy = __bool__ = __float__ = __int__ = item


def load_hook():
    from importlib.util import module_from_spec, spec_from_file_location

    package = types.ModuleType("_flatout_hooks")
    package.__path__ = [str(library() / "hooks")]
    sys.modules["_flatout_hooks"] = package
    spec = spec_from_file_location("_flatout_hooks.cuda", library() / "hooks/cuda.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


cuda = Cuda(Event=Event, Stream=type("Stream", (), {"synchronize": lambda self: None}))
torch = types.SimpleNamespace(cuda=cuda, Tensor=Tensor, version=types.SimpleNamespace(cuda="13.0"))
native.set_torch(lambda: True, Tensor, Tensor.numel, lambda: 0)
load_hook().install(native, torch)

Tensor().to("cuda")  # before CUDA was started: passes through, and is a copy all the same
cuda.started = True
for _ in range(5):
    x = Tensor().to("cuda")
    native.begin(NUMBER["forward"])
    NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + 7
    NOW["host_ms"] += 1  # launches only
    native.end(NUMBER["forward"])
    native.begin(NUMBER["optimizer"])
    NOW["device_done_ms"] += 3
    native.end(NUMBER["optimizer"])
    x.item()
    Tensor().item()  # on the host: no sync
    NOW["host_ms"] += 5
print(folder)
