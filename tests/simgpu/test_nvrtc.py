"""Simulated NVRTC: what PyTorch compiles at run time is launched under its own name, and what cannot be is refused."""

from measured import PREAMBLE, told

COMPILED = """
x = torch.ones(1000, device="cuda")
torch.lgamma(x)
product = torch.cuda.jiterator._create_jit_fn("template <typename T> T product(T x, T y) { return x * y; }")
product(x, x)
torch.cuda.synchronize()
told(done=True)
"""


def test_kernels_that_pytorch_compiles_at_run_time(simgpu):
    result = simgpu.run(PREAMBLE + COMPILED)
    assert told(result)["done"]
    names = [operation.name for operation in result.truth.of(kinds=("kernel",))]
    assert [name for name in names if name.startswith(("lgamma", "product"))] == names[-2:]


STATUSES = """
import ctypes
from cudadriver import *

nvrtc = ctypes.CDLL("libnvrtc.so.13")
nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
SOURCE = b'''
extern "C" __global__ void plain(int* out) {}
extern "C" __launch_bounds__(256, 2) __global__ void before() {}
extern "C" __global__ void __launch_bounds__(128) bounded(float x) {}
__device__ int no_kernel(int x) { return x; }
'''


def program(source):
    handle = c_void_p()
    assert nvrtc.nvrtcCreateProgram(byref(handle), source, b"a.cu", 0, None, None) == 0
    return handle


def compiled(handle, *options):
    return nvrtc.nvrtcCompileProgram(handle, len(options), (ctypes.c_char_p * len(options))(*options))


def ptx(handle):
    size = c_size_t()
    nvrtc.nvrtcGetPTXSize(handle, byref(size))
    text = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(handle, text)
    return text


start()
good, name = program(SOURCE), ctypes.c_char_p()
nvrtc.nvrtcAddNameExpression(good, b"plain")
early = nvrtc.nvrtcGetLoweredName(good, b"plain", byref(name))
status = compiled(good, b"--std=c++17", b"--gpu-architecture=compute_90")
late = [nvrtc.nvrtcAddNameExpression(good, b"other"), nvrtc.nvrtcGetLoweredName(good, b"other", byref(name))]
nvrtc.nvrtcGetLoweredName(good, b"plain", byref(name))
module = made("cuModuleLoadData", ptx(good))
found = [call("cuModuleGetFunction", byref(c_void_p()), module, kernel) for kernel in (b"plain", b"before", b"bounded", b"no_kernel")]
newer = program(SOURCE)
compiled(newer, b"-arch", b"sm_100")
told(
    early=early, status=status, late=late, lowered=name.value.decode(), found=found,
    newer=call("cuModuleLoadData", byref(c_void_p()), ptx(newer)),
    none=compiled(program(b"__device__ int x;")), odd=compiled(program(SOURCE), b"--gpu-architecture=mips"),
    gone=[nvrtc.nvrtcDestroyProgram(byref(good)), compiled(c_void_p(8))],
    word=nvrtc.nvrtcGetErrorString(6).decode(),
)
"""


def test_programs_and_what_is_refused(run_driver):
    """NVRTC, "User Interface": nvrtcResult."""
    said, _ = run_driver(STATUSES)
    assert (said["early"], said["status"], said["late"]) == (9, 0, [8, 10])
    assert said["lowered"] == "plain" and said["found"] == [0, 0, 0, 500]
    assert said["newer"] == 209, "PTX for a newer device"
    assert (said["none"], said["odd"], said["gone"]) == (6, 5, [0, 4])
    assert said["word"] == "NVRTC_ERROR_COMPILATION"
