"""The simulated CUDA runtime by its C interface, without PyTorch: for programs that test the simulator itself.

Each function raises CudaError where the call does not succeed. Times of kernels: a thread that nothing is known of
moves 16 bytes (core/kernel_cost.cc), so that `launch(ms=...)` knows how many it needs on an H100.
"""

import ctypes
import time

from measured import H100_BYTES_PER_S, MEMORY_EFFICIENCY

NOT_READY, INVALID_VALUE, OUT_OF_MEMORY, INVALID_HANDLE, ILLEGAL_ADDRESS = 600, 1, 2, 400, 700
TO_DEVICE, TO_HOST = 1, 2
NON_BLOCKING, DISABLE_TIMING = 1, 2
LEGACY = None
THREADS = 256

_lib = ctypes.CDLL("libcudart.so.13")


class CudaError(Exception):
    def __init__(self, status):
        super().__init__(status)
        self.status = status


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def call(name, *arguments):
    status = getattr(_lib, name)(*arguments)
    if status:
        raise CudaError(status)


def status_of(function, *arguments):
    """0, or the number of the error that it raised."""
    try:
        function(*arguments)
    except CudaError as error:
        return error.status
    return 0


def made(name, *arguments):
    handle = ctypes.c_void_p()
    call(name, ctypes.byref(handle), *arguments)
    return handle


def stream(flags=0):
    return made("cudaStreamCreateWithFlags", ctypes.c_uint(flags))


def event(flags=0):
    return made("cudaEventCreateWithFlags", ctypes.c_uint(flags))


def record(an_event, a_stream=LEGACY):
    call("cudaEventRecord", an_event, a_stream)


def wait(a_stream, an_event):
    call("cudaStreamWaitEvent", a_stream, an_event, 0)


def elapsed_ms(begin, end):
    milliseconds = ctypes.c_float()
    call("cudaEventElapsedTime", ctypes.byref(milliseconds), begin, end)
    return milliseconds.value


def synchronize():
    call("cudaDeviceSynchronize")


def malloc(size):
    return made("cudaMalloc", ctypes.c_size_t(size))


def pinned(size):
    return made("cudaHostAlloc", ctypes.c_size_t(size), ctypes.c_uint(0))


def pageable(size):
    return ctypes.create_string_buffer(size)


def copy(to, source, size, kind, a_stream=LEGACY):
    call("cudaMemcpyAsync", to, source, ctypes.c_size_t(size), kind, a_stream)


def fill(to, size, a_stream=LEGACY):
    call("cudaMemsetAsync", to, 0, ctypes.c_size_t(size), a_stream)


_kernels = {}


def kernel(name):
    """A kernel as nvcc would register it: known by the address of its host function."""
    if name not in _kernels:
        _kernels[name] = ctypes.create_string_buffer(name.encode())
        _lib.__getattr__("__cudaRegisterFunction")(None, _kernels[name], None, _kernels[name], -1, None, None, None, None, None)
    return _kernels[name]


def launch(a_stream=LEGACY, ms=1.0, name="kernel", blocks=None):
    if blocks is None:
        blocks = max(1, round(ms * 1e-3 * H100_BYTES_PER_S * MEMORY_EFFICIENCY / 16 / THREADS))
    call("cudaLaunchKernel", kernel(name), Dim3(blocks, 1, 1), Dim3(THREADS, 1, 1), None, ctypes.c_size_t(0), a_stream)


GLOBAL, THREAD_LOCAL, RELAXED = 0, 1, 2


def begin_capture(a_stream, mode=GLOBAL):
    call("cudaStreamBeginCapture", a_stream, mode)


def end_capture(a_stream):
    graph = ctypes.c_void_p()
    call("cudaStreamEndCapture", a_stream, ctypes.byref(graph))
    return graph


def instantiate(graph):
    return made("cudaGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))


def replay(executable, a_stream=LEGACY):
    call("cudaGraphLaunch", executable, a_stream)


def timed_ms(function, *arguments):
    """Host time of a call."""
    begin = time.perf_counter()
    function(*arguments)
    return 1e3 * (time.perf_counter() - begin)
