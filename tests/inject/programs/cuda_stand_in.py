"""A stand-in for torch.cuda on the made-up driver (src/inject/device_clock/fake), whose device has a clock of its own."""

import ctypes
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from hooked import library, made_up_driver


class FakeDriver(ctypes.Structure):
    """As in fake/driver_for_test.h."""

    _fields_ = [(name, ctypes.c_double) for name in ("host_ms", "device_done_ms", "event_ms", "question_ms")]
    _fields_ += [(name, ctypes.c_int64) for name in ("made", "recorded", "queried", "elapsed", "forbidden", "places")]
    _fields_ += [(name, ctypes.c_int32) for name in ("device", "capturing", "current_captures", "fails")]


# It bears the name of CUDA's own, which is how the hooks find it: they load none by themselves.
driver = FakeDriver.in_dll(ctypes.CDLL(str(made_up_driver())), "fake_driver")
driver.current_captures = 1


class Now:
    """The clocks of host and device, in milliseconds."""

    def __getitem__(self, name):
        return getattr(driver, name)

    def __setitem__(self, name, ms):
        setattr(driver, name, ms)


NOW = Now()


def calls():
    names = ("made", "recorded", "queried", "elapsed", "forbidden", "places")
    return {name: getattr(driver, name) for name in names}


class CUDAGraph:
    spoiled = False
    device_ms = 0.0

    def replay(self):
        NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + self.device_ms
        NOW["host_ms"] += 0.1

    def capture_begin(self):
        if self.spoiled == "begin":
            raise RuntimeError("CUDA graphs must be captured on a non-default stream")
        driver.capturing = 1

    def capture_end(self):
        driver.capturing = 0
        if self.spoiled:
            raise RuntimeError("CUDA error: operation failed due to a previous error during capture")


class Cuda(types.SimpleNamespace):
    started = False

    def is_initialized(self):
        return self.started

    def current_device(self):
        return driver.device

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


class Waits:
    def synchronize(self):
        pass


cuda = Cuda(Event=Waits, CUDAGraph=CUDAGraph, Stream=type("Stream", (Waits,), dict(vars(Waits))))
torch = types.SimpleNamespace(
    cuda=cuda, Tensor=Tensor, device=type("device", (), {}), version=types.SimpleNamespace(cuda="13.0"),
    _C=types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0),
    distributed=types.SimpleNamespace(is_available=lambda: True),
)


class Occasions:
    def __init__(self):
        self.listeners = []
        self.asked = []

    def sooner(self, forwards):
        self.asked.append(forwards)

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
    importlib.import_module("_flatout_hooks.torch.cuda").install(native, torch)
    c10d = sys.modules["torch._C._distributed_c10d"] = types.ModuleType("c10d")
    c10d.Work, c10d.ProcessGroup = comm_stand_in.Work, comm_stand_in.ProcessGroup
    importlib.import_module("_flatout_hooks.torch.comm").install(native, torch, OCCASIONS)
