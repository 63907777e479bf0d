"""The simulated CUDA driver against NVIDIA's CUDA Driver API: contexts, streams, memory.

And under PyTorch and flatout's own loader.
"""

from pathlib import Path

import pytest
from measured import PREAMBLE
from measured import told as told_by

PYTHON = Path(__file__).resolve().parents[2] / "python"


def test_before_it_is_initialized_and_in_a_child_every_call_is_refused(run_driver):
    """Data types used by CUDA driver: CUDA_ERROR_NOT_INITIALIZED; a context does not survive fork()."""
    said, _ = run_driver("""
version = number("cuDriverGetVersion")
early = [call("cuDeviceGetCount", byref(c_int())), call("cuMemAlloc_v2", byref(c_void_p()), c_size_t(1)), call("cuInit", 1)]
unused_child = in_child(lambda: call("cuInit", 0))
start()
child = [in_child(lambda: call("cuInit", 0)), in_child(lambda: call("cuMemAlloc_v2", byref(c_void_p()), c_size_t(1)))]
told(version=version, early=early, count=number("cuDeviceGetCount"), unused_child=unused_child, child=child,
     parent=call("cuCtxSynchronize"))
""", devices=2)
    assert said["version"] == 13000 and said["count"] == 2
    assert said["early"] == [3, 3, 1]
    assert said["unused_child"] == 0 and said["child"] == [3, 3] and said["parent"] == 0


def test_a_threads_contexts_are_a_stack_and_the_runtime_uses_the_top(run_driver):
    """Context Management; CUDA Runtime API, "Interactions with the CUDA Driver API"."""
    said, _ = run_driver("""
assert call("cuInit", 0) == 0
def device_of_runtime():
    device = c_int()
    cudart.call("cudaGetDevice", byref(device))
    return device.value
current = lambda: number("cuCtxGetCurrent", kind=c_void_p)
none = [current(), call("cuCtxSynchronize"), call("cuCtxPopCurrent_v2", None)]
first, second = (made("cuDevicePrimaryCtxRetain", device) for device in range(2))
call("cuCtxPushCurrent_v2", first)
call("cuCtxPushCurrent_v2", second)
devices = [number("cuCtxGetDevice"), device_of_runtime()]
elsewhere = in_thread(current)
popped = number("cuCtxPopCurrent_v2", kind=c_void_p) == second.value
devices += [number("cuCtxGetDevice"), device_of_runtime()]
cudart.call("cudaSetDevice", 1)
set_by_runtime = current() == second.value
call("cuCtxSetCurrent", None)
told(none=none, devices=devices, elsewhere=elsewhere, popped=popped, set_by_runtime=set_by_runtime, emptied=current(),
     wrong=call("cuCtxPushCurrent_v2", c_void_p(12345)),
     no_device=call("cuDevicePrimaryCtxRetain", byref(c_void_p()), 2))
""", devices=2)
    assert said["none"] == [None, 201, 201]
    assert said["devices"] == [1, 1, 0, 0] and said["popped"]
    assert said["elsewhere"] is None and said["emptied"] is None and said["set_by_runtime"]
    assert said["wrong"] == 201 and said["no_device"] == 101


def test_a_primary_context_lives_as_long_as_somebody_holds_it(run_driver):
    """Primary Context Management: reference counted; each context takes memory of its own."""
    said, _ = run_driver("""
start()
call("cuDevicePrimaryCtxRetain", byref(c_void_p()), 0)
held = free_bytes()
own = made("cuCtxCreate_v2", 0, 0)
with_another = free_bytes()
call("cuCtxDestroy_v2", own)
releases = [call("cuDevicePrimaryCtxRelease_v2", 0) for _ in range(3)]
state = c_int()
call("cuDevicePrimaryCtxGetState", 0, None, byref(state))
told(another_takes=held - with_another, releases=releases, active=state.value, use=call("cuCtxSynchronize"),
     destroyed=call("cuCtxSetCurrent", own))
""")
    assert said["another_takes"] == 300 << 20
    assert said["releases"] == [0, 0, 201] and said["active"] == 0
    assert said["use"] == 709 and said["destroyed"] == 201


def test_streams_and_events_are_the_runtimes(run_driver):
    said, truth = run_driver("""
start()
stream = made("cuStreamCreate", 1)
begin, end = made("cuEventCreate", 0), cudart.event()
cudart.record(begin, stream)
cudart.launch(stream, ms=50)
call("cuEventRecord", end, stream)
running = [call("cuStreamQuery", stream), call("cuEventQuery", end)]
ended = [cudart.status_of(cudart.call, "cudaStreamSynchronize", stream), call("cuEventQuery", end)]
ms = ctypes.c_float()
call("cuEventElapsedTime", byref(ms), begin, end)
told(running=running, ended=ended, ms=ms.value, flags=call("cuEventCreate", byref(c_void_p()), 8),
     wrong=[call("cuStreamQuery", c_void_p(4096)), call("cuEventRecord", c_void_p(4096), None), call("cuStreamDestroy_v2", end)])
""")
    (kernel,) = truth.operations
    assert said["running"] == [600, 600] and said["ended"] == [0, 0]
    assert said["ms"] == pytest.approx((kernel.end_ns - kernel.start_ns) / 1e6, rel=0.01)
    assert said["wrong"] == [400, 400, 400] and said["flags"] == 1
    assert truth.call_count("cuEventRecord") == 2 and truth.call_count("cudaEventRecord") == 1


def test_memory_and_what_it_refuses(run_driver):
    said, _ = run_driver("""
start()
before = free_bytes()
one = alloc(64 * MB)
held = before - free_bytes()
host = ctypes.create_string_buffer(4096)
registered = [call("cuMemHostRegister_v2", host, c_size_t(4096), 0) for _ in range(2)]
registered += [call("cuMemHostUnregister", host) for _ in range(2)]
base, size = c_uint64(), c_size_t()
call("cuMemGetAddressRange_v2", byref(base), byref(size), c_uint64(one.value + 1000))
kind = number("cuPointerGetAttribute", 2, one, kind=c_uint)
unknown = call("cuPointerGetAttribute", byref(c_uint()), 2, host)
wrong = [call("cuMemFree_v2", host), call("cuMemcpyHtoD_v2", host, host, c_size_t(16)),
         call("cuMemAlloc_v2", byref(c_void_p()), c_size_t(0)),
         call("cuMemAlloc_v2", byref(c_void_p()), c_size_t(1 << 40))]
call("cuMemFree_v2", one)
told(held=held, registered=registered, base=base.value == one.value, size=size.value, kind=kind, unknown=unknown,
     wrong=wrong, 
     given_back=free_bytes() == before)
""")
    assert said["held"] == 64 << 20 and said["given_back"]
    assert said["registered"] == [0, 712, 0, 713]
    assert said["base"] and said["size"] == 64 << 20 and said["kind"] == 2 and said["unknown"] == 1
    assert said["wrong"] == [1, 1, 1, 2]


def test_values_are_set_and_copied_in_the_order_of_the_stream(run_driver):
    said, _ = run_driver("""
start()
stream = made("cuStreamCreate", 1)
one = alloc(4096)
cudart.launch(stream, ms=100)
call("cuMemsetD32Async", one, 0x01020304, c_size_t(3), stream)
call("cuMemsetD16Async", c_void_p(one.value + 12), 0x0506, c_size_t(1), stream)
flag = cudart.pinned(4096)
seen = ctypes.cast(flag, ctypes.POINTER(c_uint))
seen[0] = 0
call("cuStreamWriteValue32_v2", stream, flag, c_uint(7), 0)
early = seen[0]
call("cuStreamSynchronize", stream)
told(early=early, late=seen[0], bytes=list(read(one.value, 16)),
     unaligned=call("cuMemsetD32_v2", c_void_p(one.value + 2), 0, c_size_t(1)))
""")
    assert (said["early"], said["late"]) == (0, 7)
    assert said["bytes"] == [4, 3, 2, 1] * 3 + [6, 5, 0, 0] and said["unaligned"] == 1


def test_memory_by_handles_counts_while_something_holds_it(run_driver):
    """Virtual Memory Management: a mapping holds the memory beyond cuMemRelease."""
    said, _ = run_driver("""
start()
size = 4 * MB
before = free_bytes()
used = lambda: before - free_bytes()
address = reserve(4 * size)
assert address % (2 * MB) == 0
steps = [used()]
handle = physical(size)
steps += [used()]
assert map_at(address, size, handle) == 0 and open_access(address, size) == 0
assert call("cuMemRelease", c_uint64(handle)) == 0
steps += [used()]
assert unmap(address, size) == 0
steps += [used()]
wrong = [map_at(address, size, handle), unmap(address, size), call("cuMemRelease", c_uint64(handle))]
handle = physical(size)
wrong += [map_at(address + 4 * size, size, handle), map_at(address, size - 1, handle), map_at(address + 4096, size, handle)]
assert map_at(address, size, handle) == 0
wrong += [map_at(address, size, handle), unmap(address, size // 2)]
wrong += [call("cuMemAddressFree", c_uint64(address), c_size_t(4 * size))]
unmap(address, size)
def create(size, device=0):
    how = AllocationProperties(1, 0, Location(1, device), None, 0)
    return call("cuMemCreate", byref(c_uint64()), c_size_t(size), byref(how), c_uint64(0))


odd, far, full = create(1000), create(size, device=3), create(1 << 40)
told(steps=steps, wrong=wrong, freed=call("cuMemAddressFree", c_uint64(address), c_size_t(4 * size)), odd=odd,
     far=far, full=full)
""")
    assert said["steps"] == [0, 4 << 20, 4 << 20, 0]
    assert said["wrong"] == [1] * 9 and said["freed"] == 0
    assert (said["odd"], said["far"], said["full"]) == (1, 101, 2)


def test_what_is_mapped_twice_is_one_memory_and_keeps_its_content(run_driver):
    said, _ = run_driver("""
start()
size = 2 * MB
address, handle = reserve(2 * size), physical(size)
for at in (address, address + size):
    assert map_at(at, size, handle) == 0
assert open_access(address, 2 * size) == 0
call("cuMemsetD8_v2", c_void_p(address), 42, c_size_t(100))
second = read(address + size, 4)
unmap(address, 2 * size)
assert map_at(address + size, size, handle) == 0 and open_access(address + size, size) == 0
again = read(address + size, 4)
other = physical(size)
map_at(address, size, other)
open_access(address, size)
told(second=list(second), again=list(again), other=list(read(address, 4)))
""")
    assert said["second"] == said["again"] == [42] * 4 and said["other"] == [0] * 4


def test_memory_by_handles_needs_no_current_context(run_driver):
    """Virtual Memory Management: none of its calls names CUDA_ERROR_INVALID_CONTEXT."""
    said, _ = run_driver("""
start()
size = 2 * MB


def elsewhere():
    if number("cuCtxGetCurrent", kind=c_void_p) is not None:
        return "a context"
    address, handle = reserve(size), physical(size)
    return [map_at(address, size, handle), open_access(address, size), unmap(address, size), call("cuMemRelease", c_uint64(handle)),
            call("cuMemAddressFree", c_uint64(address), c_size_t(size))]


told(elsewhere=in_thread(elsewhere), ordinary=in_thread(lambda: call("cuMemAlloc_v2", byref(c_void_p()), c_size_t(size))))
""")
    assert said == {"elsewhere": [0] * 5, "ordinary": 201}


def test_a_killed_process_gives_its_memory_back(run_driver):
    said, _ = run_driver("""
import signal, subprocess, sys
start()
before = free_bytes()
source = "from cudadriver import *; start(); keep = physical(512 * MB); print('held', flush=True); input()"
child = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
held = before - free_bytes()
child.send_signal(signal.SIGKILL)
child.wait()
told(held=held, back=before - free_bytes())
""")
    assert said["held"] == (512 + 300) << 20 and said["back"] == 0


def test_an_illegal_address_sticks(run_driver):
    said, _ = run_driver("""
start()
function = made("cuModuleGetFunction", made("cuModuleLoadData", PTX), b"first")
told(launched=launch(function), synchronized=call("cuCtxSynchronize"),
     later=call("cuMemAlloc_v2", byref(c_void_p()), c_size_t(1)))
""", env={"SIMGPU_FAULT": 1})
    assert (said["launched"], said["synchronized"], said["later"]) == (0, 700, 700)


EXPANDABLE = """
MB = 1 << 20
used = lambda: torch.cuda.mem_get_info()[1] - torch.cuda.mem_get_info()[0]
torch.cuda.init()
before = used()
kept = []
try:
    while True:
        kept.append(torch.empty(64 * MB, dtype=torch.uint8, device="cuda"))
except torch.OutOfMemoryError:
    pass
stats = torch.cuda.memory_stats()
full = dict(blocks=len(kept), reserved=torch.cuda.memory_reserved(), used=used() - before)
full.update(retries=stats["num_alloc_retries"], ooms=stats["num_ooms"])
del kept[::2]
# Between what is left there are holes of 64 MB: an ordinary segment of 128 MB would not find room.
large = torch.full((128 * MB,), 7, dtype=torch.uint8, device="cuda")
after = dict(reserved=torch.cuda.memory_reserved(), used=used() - before)
after.update(retries=torch.cuda.memory_stats()["num_alloc_retries"])
segments = torch.cuda.memory_snapshot()
del large, kept
torch.cuda.empty_cache()
told(full=full, after=after, expandable=all(segment["is_expandable"] for segment in segments), left=used() - before)
"""


def test_expandable_segments_count_what_they_map(simgpu):
    """PyTorch's "Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF": pages of 20 MiB, mapped and unmapped one by one."""
    env = {"SIMGPU_MEMORY_GB": 1, "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
    said = told_by(simgpu.run(PREAMBLE + EXPANDABLE, env=env))
    assert said["expandable"] and said["left"] == 0
    assert said["full"]["used"] == said["full"]["reserved"] <= 1 << 30
    assert said["full"]["blocks"] >= 14 and said["full"]["ooms"] == 1 and said["full"]["retries"] == 1
    assert said["after"]["used"] == said["after"]["reserved"] and said["after"]["retries"] > 1


LOADER = """
import sys
import numpy

sys.path.insert(0, sys.argv[1])
from flatout import data

start()


def values(part):
    if isinstance(part, numpy.ndarray):
        return part.tolist()
    assert part.device == "cuda:0"
    size = int(numpy.prod(part.shape)) * numpy.dtype(part.dtype).itemsize
    return numpy.frombuffer(read(part.address, size), part.dtype).reshape(part.shape).tolist()


described = data.images(sys.argv[2]).shuffle(seed=3).random_resized_crop(16).dtype("uint8", "nchw")
on_cpu = [[values(part) for part in batch] for batch in described.batch(5)]
loader = described.batch(5).to("cuda", arrays="dlpack")
on_device = []
for batch in loader:
    batch = list(batch)
    call("cuCtxSynchronize")
    on_device.append([values(part) for part in batch])
told(same=on_cpu == on_device, batches=len(on_device), gpu=loader.stats()["h2d"]["gpu"],
     bytes=loader.stats()["h2d"]["bytes"])
"""


def test_flatouts_loader_sends_its_batches_through_it(run_driver, tmp_path):
    import numpy
    from PIL import Image

    random = numpy.random.default_rng(5)
    (tmp_path / "class").mkdir()
    for count in range(11):
        pixels = random.integers(0, 256, (30, 40 + count, 3), dtype=numpy.uint8)
        Image.fromarray(pixels).save(tmp_path / "class" / f"{count}.png")
    said, truth = run_driver(LOADER, PYTHON, tmp_path)
    assert said["same"] and said["batches"] == 3
    assert said["gpu"] == "NVIDIA H100 80GB HBM3 (simulated)"
    copies = truth.of(kinds=("copy_to_device",))
    assert sum(copy.bytes for copy in copies) == said["bytes"] == 11 * (16 * 16 * 3 + 8)
    assert not any(copy.pageable for copy in copies)
