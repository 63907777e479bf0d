"""Programs on a made-up torch whose allocator says what they want: `allocator_programs.py NAME` runs one under the hooks and prints
the folder of its rings, and of which devices the allocator was asked."""

import json
import os
import sys
import threading
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from hooked import library  # noqa: E402
from native import NUMBER, load_with_ring  # noqa: E402

sys.path.insert(0, str(library()))
native, folder = load_with_ring()
sys.modules["hooks._native"] = native
from hooks.torch import allocator  # noqa: E402

GB = 10**9
asked = []


def stat(current, peak):
    return {"all": {"current": current, "peak": peak, "allocated": 9 * peak, "freed": 0}, "small_pool": {}}


class MadeUp:
    """What the allocator says of each device, as torch._C._cuda_memoryStats does."""

    started, backend, error = True, "native", None

    def __init__(self, devices=1):
        self.says = [{"num_alloc_retries": 0, "num_ooms": 0, "allocated_bytes": stat(0, 0), "reserved_bytes": stat(0, 0)} for _ in range(devices)]

    def memory_stats(self, device):
        asked.append(device)
        if self.error:
            raise self.error
        return self.says[device]

    def holds(self, device, allocated, reserved):
        self.says[device].update(allocated_bytes=stat(allocated, allocated + 1), reserved_bytes=stat(reserved, reserved + 2))


def hook(made_up, **of_c):
    of_c = {"_cuda_memoryStats": made_up.memory_stats, "_cuda_getAllocatorBackend": lambda: made_up.backend, **of_c}
    cuda = types.SimpleNamespace(is_initialized=lambda: made_up.started, device_count=lambda: len(made_up.says))
    allocator.install(native, types.SimpleNamespace(version=types.SimpleNamespace(cuda="13.0"), _C=types.SimpleNamespace(**of_c), cuda=cuda))


def trains():
    native.begin(NUMBER["optimizer"])
    native.end(NUMBER["optimizer"])


def samples(times=1):
    for _ in range(times):
        native.sample_allocator()


def hooked(made_up, **of_c):
    hook(made_up, **of_c)
    trains()
    return made_up


def says_its_figures():
    made_up = hooked(MadeUp())
    made_up.holds(0, 2 * GB, 3 * GB)
    made_up.says[0].update(num_alloc_retries=4, num_ooms=5)
    samples()
    made_up.holds(0, 0, 0)  # all of it was given back: that is known, and 0
    samples()


def nothing_is_counted():
    hooked(MadeUp())  # as with PYTORCH_NO_CUDA_MEMORY_CACHING
    samples(3)


def cuda_was_not_started():
    made_up = hooked(MadeUp())
    made_up.started = False
    samples(3)
    made_up.holds(0, 1, 2)
    made_up.started = True
    print(json.dumps(asked), end=" ")
    samples()


def did_not_train():
    made_up = MadeUp()
    hook(made_up)
    made_up.holds(0, 1, 2)
    samples(3)


def another_backend():
    made_up = hooked(MadeUp())
    made_up.backend = "pluggable"
    made_up.error = RuntimeError("CUDAPluggableAllocator does not yet support getDeviceStats")
    samples(3)


def release_that_names_no_backend():
    made_up = MadeUp()
    made_up.holds(0, 1, 2)
    of_c = types.SimpleNamespace(_cuda_memoryStats=made_up.memory_stats)
    cuda = types.SimpleNamespace(is_initialized=lambda: True, device_count=lambda: 1)
    allocator.install(native, types.SimpleNamespace(version=types.SimpleNamespace(cuda="11.7"), _C=of_c, cuda=cuda))
    trains()
    del made_up.says[0]["num_ooms"]
    samples()


def release_without_the_call():
    allocator.install(native, types.SimpleNamespace(version=types.SimpleNamespace(cuda="10.0"), _C=types.SimpleNamespace(), cuda=None))
    trains()
    samples()


def build_without_cuda():
    made_up = MadeUp()
    torch = types.SimpleNamespace(version=types.SimpleNamespace(cuda=None), _C=types.SimpleNamespace(_cuda_memoryStats=made_up.memory_stats))
    allocator.install(native, torch)
    trains()
    samples()


def release_that_counts_in_another_way():
    made_up = hooked(MadeUp())
    made_up.says[0] = {"allocated": 1}
    samples(3)


def raises():
    made_up = hooked(MadeUp())
    made_up.error = RuntimeError("Invalid device argument")
    samples(3)


def interrupted():
    made_up = hooked(MadeUp())
    made_up.holds(0, 1, 2)
    made_up.error = KeyboardInterrupt()
    try:
        samples()
        for _ in range(1000):
            pass
    except KeyboardInterrupt:
        print("interrupted", end=" ")
    made_up.error = None
    samples()


def one_of_four_devices():
    made_up = hooked(MadeUp(4))
    made_up.holds(2, 1, 2)
    samples(20)


def forked():
    made_up = hooked(MadeUp())
    made_up.holds(0, 1, 2)
    samples()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        made_up.started = False  # as torch says of a child that was forked after CUDA had started
        trains()
        samples(3)
        os._exit(len(asked) - 1)
    assert os.waitpid(child, 0)[1] == 0, "the child asked the allocator"
    samples()


def the_end():
    made_up = hooked(MadeUp())
    made_up.holds(0, 1, 2)
    threading._shutdown()


globals()[sys.argv[1]]()
print()
print(folder)
print(json.dumps(asked))
sys.stdout.flush()
os._exit(0)  # where Python ends by itself there is a sample more: the_end
