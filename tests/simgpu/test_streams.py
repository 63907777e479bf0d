"""Streams, events, copies and what keeps the host: the simulated runtime against CUDA's documentation."""

import json

import pytest

START = """
import json
import os
import threading
from cudart import *


def told(**what):
    synchronize()
    print("TOLD " + json.dumps(what), flush=True)


"""
MB = 1 << 20


@pytest.fixture
def run(simgpu):
    """(what the program said, its truth) of a program that uses cudart.py."""

    def runs(source, **options):
        result = simgpu.run(START + source, own_modules=True, **options)
        assert result.status == 0, result.output
        return json.loads(result.output.split("TOLD ")[-1].splitlines()[0]), result.truth

    return runs


def kernels(truth):
    return {operation.name: operation for operation in truth.of(kinds=("kernel",))}


def test_a_launch_returns_before_its_kernel_has_run(run):
    said, truth = run("""
host_ms = timed_ms(launch, LEGACY, 200)
running = status_of(call, "cudaStreamQuery", LEGACY)
waited_ms = timed_ms(synchronize)
told(host_ms=host_ms, running=running, ended=status_of(call, "cudaStreamQuery", LEGACY), waited_ms=waited_ms)
""")
    assert said["running"] == 600 and said["ended"] == 0
    assert said["host_ms"] < 100 < said["waited_ms"]
    (kernel,) = truth.operations
    assert (kernel.end_ns - kernel.start_ns) / 1e6 == pytest.approx(200, rel=0.01)


def test_the_legacy_stream_waits_for_blocking_streams_and_they_for_it(run):
    """CUDA Runtime API, "Stream synchronization behavior": a non-blocking stream takes no part."""
    _, truth = run("""
first, second, free = stream(), stream(), stream(NON_BLOCKING)
device, host = malloc(64 << 20), pinned(64 << 20)
launch(first, 20, "first")
launch(LEGACY, 20, "legacy")
copy(device, host, 64 << 20, TO_DEVICE, free)
copy(host, device, 64 << 20, TO_HOST, second)
told()
""")
    ran = kernels(truth)
    (free,) = truth.of(kinds=("copy_to_device",))
    (second,) = truth.of(kinds=("copy_to_host",))
    assert ran["legacy"].start_ns >= ran["first"].end_ns
    assert second.start_ns >= ran["legacy"].end_ns
    assert free.start_ns < ran["first"].end_ns


def test_which_copies_keep_the_host(run):
    """CUDA Runtime API, "API synchronization behavior", of asynchronous calls."""
    said, _ = run("""
device, small, large, locked = malloc(64 << 20), pageable(32 << 10), pageable(64 << 20), pinned(64 << 20)
aside = stream(NON_BLOCKING)


def behind_a_kernel(to, source, size, kind):
    synchronize()
    launch(aside, 100)
    return timed_ms(copy, to, source, size, kind, aside)


behind_a_kernel(device, large, 64 << 20, TO_DEVICE)  # touches the memory once
told(
    pageable_in=behind_a_kernel(device, large, 64 << 20, TO_DEVICE),
    small_in=behind_a_kernel(device, small, 32 << 10, TO_DEVICE),
    pinned_in=behind_a_kernel(device, locked, 64 << 20, TO_DEVICE),
    pageable_out=behind_a_kernel(large, device, 64 << 20, TO_HOST),
    small_out=behind_a_kernel(small, device, 32 << 10, TO_HOST),
    pinned_out=behind_a_kernel(locked, device, 64 << 20, TO_HOST),
)
""")
    waits = {name for name, ms in said.items() if ms > 60}
    assert waits == {"pageable_in", "pageable_out", "small_out"}


def test_each_direction_has_a_copy_engine_and_kernels_run_beside_both(run):
    """CUDA C++ Programming Guide, "Overlap of Data Transfer and Kernel Execution", "Concurrent Data Transfers"."""
    _, truth = run("""
device, out, locked = malloc(256 << 20), pinned(256 << 20), pinned(256 << 20)
streams = [stream(NON_BLOCKING) for _ in range(4)]
launch(streams[0], 10)
copy(device, locked, 256 << 20, TO_DEVICE, streams[1])
copy(out, device, 256 << 20, TO_HOST, streams[2])
copy(device, locked, 256 << 20, TO_DEVICE, streams[3])
told()
""", slower=4)
    (kernel,) = truth.of(kinds=("kernel",))
    first, second = truth.of(kinds=("copy_to_device",))
    (out,) = truth.of(kinds=("copy_to_host",))
    for copy in (first, out):
        assert copy.start_ns < kernel.end_ns and kernel.start_ns < copy.end_ns
    assert out.start_ns < first.end_ns
    assert second.start_ns >= first.end_ns, "one engine a direction"


def test_two_streams_overlap_as_in_the_guides_example(run):
    """CUDA C++ Programming Guide, "Overlapping Behavior": the copy of stream 1 to the device overlaps with the kernel of stream 0."""
    _, truth = run("""
streams = [stream() for _ in range(2)]
size = 32 << 20
host, device = [pinned(size) for _ in streams], [malloc(size) for _ in streams]
for i, one in enumerate(streams):
    copy(device[i], host[i], size, TO_DEVICE, one)
    launch(one, 2, "kernel%d" % i)
    copy(host[i], device[i], size, TO_HOST, one)
told()
""", slower=10)
    ran = kernels(truth)
    copies_in, copies_out = truth.of(kinds=("copy_to_device",)), truth.of(kinds=("copy_to_host",))
    assert copies_in[1].start_ns < ran["kernel0"].end_ns and ran["kernel0"].start_ns < copies_in[1].end_ns
    for i in range(2):
        assert copies_in[i].end_ns <= ran["kernel%d" % i].start_ns
        assert ran["kernel%d" % i].end_ns <= copies_out[i].start_ns


def test_events_have_the_times_of_the_timeline(run):
    said, truth = run("""
begin, end, never, timeless = event(), event(), event(), event(DISABLE_TIMING)
launch(LEGACY, 200)  # long enough that a busy host records before it has ended
record(begin)
launch(LEGACY, 50)
record(end)
record(timeless)
early = [status_of(call, "cudaEventQuery", end), status_of(elapsed_ms, begin, end), status_of(elapsed_ms, begin, never)]
synchronize()
told(early=early, late=status_of(call, "cudaEventQuery", end), ms=elapsed_ms(begin, end),
     never=status_of(call, "cudaEventQuery", never), timeless=status_of(elapsed_ms, begin, timeless))
""")
    assert said["early"] == [600, 600, 400]
    assert (said["late"], said["never"], said["timeless"]) == (0, 0, 400)
    first, second = truth.operations
    assert said["ms"] == pytest.approx((second.end_ns - first.end_ns) / 1e6, rel=0.02)


def test_a_wait_is_for_what_the_event_had_recorded_when_it_was_called(run):
    _, truth = run("""
one, other = stream(NON_BLOCKING), stream(NON_BLOCKING)
device, host = malloc(1 << 20), pinned(1 << 20)
mark = event()
launch(one, 20, "before")
record(mark, one)
wait(other, mark)
launch(one, 50, "after")
record(mark, one)
copy(device, host, 1 << 20, TO_DEVICE, other)
told()
""")
    ran = kernels(truth)
    (copy,) = truth.of(kinds=("copy_to_device",))
    assert ran["before"].end_ns <= copy.start_ns < ran["after"].end_ns


def test_events_and_streams_of_another_device(run):
    """CUDA C++ Programming Guide, "Stream and Event Behavior" of several devices: to record is an error, to wait is none."""
    said, truth = run("""
here = event()
launch(LEGACY, 20, "here")
record(here)
call("cudaSetDevice", 1)
there = stream(NON_BLOCKING)
wrong = status_of(record, here, there)
wait(there, here)
launch(there, 1, "there")
call("cudaSetDevice", 0)
foreign = status_of(launch, there, 1, "foreign")
told(wrong=wrong, foreign=foreign, missing=status_of(call, "cudaSetDevice", 2))
call("cudaSetDevice", 1)
synchronize()
""", devices=2)
    ran = kernels(truth)
    assert said["wrong"] == 400 and said["missing"] == 101
    assert ran["there"].device == 1 and ran["there"].start_ns >= ran["here"].end_ns
    assert said["foreign"] == 400 and "foreign" not in ran


def test_visible_devices(run):
    said, truth = run("""
count = ctypes.c_int()
call("cudaGetDeviceCount", ctypes.byref(count))
launch(LEGACY, 1, "on the third")
told(count=count.value)
""", devices=4, env={"CUDA_VISIBLE_DEVICES": "2,1,9,0"})
    assert said["count"] == 2, "the list ends at the first that is none"
    assert truth.operations[0].device == 2


def test_small_kernels_of_two_streams_run_side_by_side_and_large_ones_do_not(run):
    """CUDA C++ Programming Guide, "Concurrent Kernel Execution": where the first leaves multiprocessors free."""
    _, truth = run("""
streams = [stream(NON_BLOCKING) for _ in range(2)]
for one in streams:
    launch(one, name="small", blocks=4)
synchronize()
for one in streams:
    launch(one, 0.002, "large")
told()
""", slower=30000)  # so that the host, however busy, launches both within the first one's time
    small = [operation for operation in truth.operations if operation.name == "small"]
    large = [operation for operation in truth.operations if operation.name == "large"]
    assert small[1].start_ns < small[0].end_ns
    assert large[1].start_ns >= large[0].end_ns


def test_a_full_launch_queue_keeps_the_host(run):
    said, _ = run("""
begin = time.perf_counter()
for _ in range(1500):
    launch(LEGACY, 0.5)
told(host_ms=1e3 * (time.perf_counter() - begin))
""")
    assert said["host_ms"] > 0.9 * 476 * 0.5, "476 more than the 1024 that are queued"


def test_host_functions_run_in_the_order_of_their_stream(run):
    said, truth = run("""
seen = []
HOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
noted = HOST(lambda _: seen.append(time.monotonic_ns()))
aside = stream(NON_BLOCKING)
launch(aside, 20, "before")
call("cudaLaunchHostFunc", aside, noted, None)
launch(aside, 1, "after")
called_at = time.monotonic_ns()
synchronize()
told(called_at=called_at, seen=seen)
""")
    ran = kernels(truth)
    (at,) = said["seen"]
    assert ran["before"].end_ns <= at <= ran["after"].start_ns
