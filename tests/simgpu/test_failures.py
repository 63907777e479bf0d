"""Errors that stick, memory that runs out, children after fork, processes that share a device."""

import pytest
from test_streams import run  # noqa: F401


def test_the_error_of_a_kernel_sticks(run):  # noqa: F811
    """CUDA Runtime API, cudaErrorIllegalAddress: "the process must be terminated and relaunched"."""
    said, _ = run("""
for _ in range(3):
    launch(LEGACY, 1)
seen = [status_of(synchronize), status_of(malloc, 4096), status_of(launch), status_of(call, "cudaGetLastError"), status_of(call, "cudaGetLastError")]
print("TOLD " + json.dumps({"seen": seen}), flush=True)
os._exit(0)
""", env={"SIMGPU_FAULT": 3})
    assert said["seen"] == [700] * 5


def test_an_ordinary_error_is_told_once_and_does_not_stick(run):  # noqa: F811
    said, truth = run("""
wrong = status_of(call, "cudaEventDestroy", ctypes.c_void_p(12345))
seen = [wrong, status_of(call, "cudaPeekAtLastError"), status_of(call, "cudaGetLastError"), status_of(call, "cudaGetLastError")]
launch(LEGACY, 1)
told(seen=seen)
""")
    assert said["seen"] == [400, 400, 400, 0]
    assert len(truth.operations) == 1


def test_a_child_may_not_use_what_its_parent_had_opened(run):  # noqa: F811
    said, truth = run("""
launch(LEGACY, 1)
into, out = os.pipe(), os.pipe()
pid = os.fork()
if pid == 0:
    os.write(into[1], str([status_of(malloc, 4096), status_of(synchronize), status_of(launch)]).encode())
    os._exit(0)
os.waitpid(pid, 0)
launch(LEGACY, 1)
told(child=os.read(into[0], 100).decode())
""")
    assert said["child"] == "[3, 3, 3]"
    assert len(truth.operations) == 2


def test_a_child_may_use_a_device_that_its_parent_never_did(run):  # noqa: F811
    said, truth = run("""
pid = os.fork()
if pid == 0:
    launch(LEGACY, 1, "of the child")
    synchronize()
    os._exit(0)
_, status = os.waitpid(pid, 0)
told(status=status)
""")
    assert said["status"] == 0
    assert [operation.name for operation in truth.operations] == ["of the child"]


MEMORY = """
def room():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cudaMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


"""


def test_memory_runs_out_and_comes_back(run):  # noqa: F811
    said, _ = run(MEMORY + """
before, total = room()
large = malloc(3 << 30)
full = status_of(malloc, 2 << 30)
within = room()[0]
call("cudaFree", large)
again = status_of(malloc, 2 << 30)
told(before=before, total=total, full=full, within=within, again=again)
""", env={"SIMGPU_MEMORY_GB": 4})
    assert said["total"] == 4 << 30
    assert said["before"] - said["within"] == 3 << 30
    assert (said["full"], said["again"]) == (2, 0)


TWO = """
import subprocess
import sys

if len(sys.argv) < 2:
    other = subprocess.Popen([sys.executable, __file__, "other"], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    other.stdout.readline()
"""


def test_two_processes_share_the_memory_of_a_device(run):  # noqa: F811
    said, _ = run(TWO + MEMORY + """
if len(sys.argv) > 1:
    kept = malloc(3 << 30)
    print("holds", flush=True)
    sys.stdin.read()
    os._exit(0)
held, full = room()[0], status_of(malloc, 2 << 30)
other.kill()  # no call of its own gives the memory back
other.wait()
told(held=held, full=full, after=status_of(malloc, 2 << 30))
""", env={"SIMGPU_MEMORY_GB": 4})
    assert said["held"] < 1 << 30
    assert (said["full"], said["after"]) == (2, 0)


def test_two_processes_take_turns_on_a_device(run):  # noqa: F811
    """Without MPS kernels of two processes never run at the same time: CUDA C++ Programming Guide, "Compute Modes", time slicing."""
    _, truth = run(TWO + """
if len(sys.argv) > 1:
    launch(LEGACY, 1, "other")
    print("begins", flush=True)
for _ in range(50):
    launch(LEGACY, 2, "other" if len(sys.argv) > 1 else "own")
synchronize()
if len(sys.argv) > 1:
    os._exit(0)
other.wait()
told()
""")
    operations = truth.operations
    assert len({operation.pid for operation in operations}) == 2 and len(operations) == 101
    assert all(first.end_ns <= second.start_ns for first, second in zip(operations, operations[1:]))


@pytest.mark.parametrize("call_in_vain", [
    'call("cudaSetDevice", 7)', 'launch(ctypes.c_void_p(64), 1)', 'call("cudaEventRecord", ctypes.c_void_p(64), LEGACY)',
    'call("cudaFree", ctypes.c_void_p(4096))', 'call("cudaStreamDestroy", ctypes.c_void_p(64))', 'call("cudaFreeHost", ctypes.c_void_p(4096))',
])  # fmt: skip
def test_handles_of_nobody_are_refused(run, call_in_vain):  # noqa: F811
    said, _ = run("told(status=status_of(lambda: exec(%r)))" % call_in_vain)
    assert said["status"] in (1, 101, 400)
