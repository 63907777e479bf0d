"""Modules, functions and launches of the simulated CUDA driver: NVIDIA's CUDA Driver API, and NVIDIA's own ptxas."""

import shutil
import subprocess

import machine
import pytest


def test_modules_from_ptx_and_what_their_launches_refuse(run_driver):
    said, truth = run_driver("""
start()
module = made("cuModuleLoadData", PTX)
function = made("cuModuleGetFunction", module, b"second")
names = [call("cuModuleGetFunction", byref(c_void_p()), module, name) for name in (b"first", b"not_this_one", b"nor_this")]
load = lambda image: call("cuModuleLoadData", byref(c_void_p()), image)
images = [load(image) for image in (b"", b"\\x7fELF" + bytes(60), b"words", b".version 7.0\\n.entry a() {}",
          PTX.replace(b"sm_75", b"sm_100"))]
launches = [launch(function, 3, 64), launch(function, 0), launch(function, 1, 2048)]
launches += [launch(function, 1, 32, 65536), launch(c_void_p(8))]
call("cuFuncSetAttribute", function, 8, 65536)
with_shared = launch(function, 1, 32, 65536)
too_much = call("cuFuncSetAttribute", function, 8, 300000)
call("cuModuleUnload", module)
unloaded = [launch(function), call("cuModuleUnload", module)]
told(count=number("cuModuleGetFunctionCount", made("cuModuleLoadData", PTX), kind=c_uint), names=names,
     images=images, launches=launches, 
     with_shared=with_shared, too_much=too_much, unloaded=unloaded,
     file=call("cuModuleLoad", byref(c_void_p()), b"/none"))
""")
    assert said["count"] == 2 and said["names"] == [0, 500, 500]
    assert said["images"] == [200, 200, 200, 218, 209]
    assert said["launches"] == [0, 1, 1, 1, 400]
    assert said["with_shared"] == 0 and said["too_much"] == 1 and said["unloaded"] == [400, 400] and said["file"] == 301
    ran = [(kernel.name, kernel.grid_blocks, kernel.block_threads) for kernel in truth.operations]
    assert ran == [("second", 3, 64), ("second", 1, 32)]


CUBIN = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry copies(.param .u64 to, .param .u32 value) .maxntid 128, 1, 1
{
  .shared .align 4 .b8 kept[2000];
  .reg .b64 %rd<3>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [value];
  mov.u32 %r2, kept;
  st.shared.u32 [%r2], %r1;
  bar.sync 0;
  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%rd2], %r3;
  ret;
}
"""


@pytest.mark.parametrize("device, architecture", [("a100", "sm_80"), ("h100", "sm_90")])
def test_a_cubin_says_what_its_kernels_need(run_driver, tmp_path, device, architecture):
    """Held to the numbers that NVIDIA's own ptxas says of what it compiled."""
    ptxas = machine.BUILT / "site" / "triton" / "backends" / "nvidia" / "bin" / "ptxas"
    ptxas = str(ptxas) if ptxas.is_file() else shutil.which("ptxas")
    if ptxas is None:
        pytest.skip("ptxas is neither in build/simgpu/site/triton nor in PATH")
    (tmp_path / "copies.ptx").write_text(CUBIN.replace("sm_80", architecture))
    compiled = [ptxas, "-v", "-arch", architecture, str(tmp_path / "copies.ptx"), "-o", str(tmp_path / "copies.cubin")]
    words = subprocess.run(compiled, check=True, capture_output=True, text=True).stderr.split()
    said, _ = run_driver("""
import sys
start()
function = made("cuModuleGetFunction", made("cuModuleLoad", sys.argv[1].encode()), b"copies")
of = lambda which: number("cuFuncGetAttribute", which, function)
def parameter(index):
    offset, size = c_size_t(), c_size_t()
    return call("cuFuncGetParamInfo", function, c_size_t(index), byref(offset), byref(size)), offset.value, size.value
told(registers=of(4), shared=of(1), threads=of(0), local=of(3), binary=of(6),
     parameters=[parameter(i) for i in range(3)], 
     launches=[launch(function, 1, threads) for threads in (128, 256)])
""", str(tmp_path / "copies.cubin"), device=device)
    assert said["registers"] == int(words[words.index("registers,") - 1])
    assert said["shared"] == 2000 and said["threads"] == 128 and said["local"] == 0
    assert said["binary"] == int(architecture[3:])
    assert said["parameters"] == [[0, 0, 8], [0, 8, 4], [1, 0, 0]] and said["launches"] == [0, 1]


def test_a_cubin_runs_on_its_own_generation_alone(run_driver, tmp_path):
    """CUDA C++ Programming Guide, "Binary Compatibility"."""
    ptxas = shutil.which("ptxas") or str(machine.BUILT / "site" / "triton" / "backends" / "nvidia" / "bin" / "ptxas")
    if not shutil.which(ptxas):
        pytest.skip("ptxas is neither in build/simgpu/site/triton nor in PATH")
    (tmp_path / "copies.ptx").write_text(CUBIN)
    subprocess.run([ptxas, "-arch", "sm_80", str(tmp_path / "copies.ptx"), "-o", str(tmp_path / "copies.cubin")], check=True)
    load = 'import sys\nstart()\ntold(status=call("cuModuleLoad", byref(c_void_p()), sys.argv[1].encode()))\n'
    cubin = str(tmp_path / "copies.cubin")
    devices = ("a100", "rtx4090", "h100", "t4")
    statuses = {device: run_driver(load, cubin, device=device)[0]["status"] for device in devices}
    assert statuses == {"a100": 0, "rtx4090": 0, "h100": 209, "t4": 209}


def test_occupancy_is_what_fits_onto_a_multiprocessor(run_driver):
    """CUDA C++ Best Practices Guide, "Calculating Occupancy"; of PTX 32 registers a thread are taken: threads are the limit."""
    said, _ = run_driver("""
start()
function = made("cuModuleGetFunction", made("cuModuleLoadData", PTX), b"first")
blocks = lambda threads, shared=0: number("cuOccupancyMaxActiveBlocksPerMultiprocessor", function, threads, c_size_t(shared))
threads = [blocks(count) for count in (32, 256, 1000, 1024)]
call("cuFuncSetAttribute", function, 8, 150000)
def launch_together(blocks):
    sizes = [c_uint(size) for size in (blocks, 1, 1, 1024, 1, 1, 0)]
    return call("cuLaunchCooperativeKernel", function, *sizes, None, None)


cooperative = [launch_together(264), launch_together(265)]
told(threads=threads, shared=[blocks(128, size) for size in (0, 40000, 150000)], cooperative=cooperative)
""")
    assert said["threads"] == [32, 8, 2, 2]
    assert said["shared"] == [16, 5, 1]
    assert said["cooperative"] == [0, 720]  # 132 multiprocessors, 2 blocks each


def test_entry_points_by_name(run_driver):
    """Driver Entry Point Access: a name means the version of a function that its CUDA version's header means."""
    said, _ = run_driver("""
def found(name, version=13000):
    address, result = c_void_p(), c_int(-1)
    status = call("cuGetProcAddress_v2", name, byref(address), version, c_uint64(0), byref(result))
    return status, result.value, address.value
here = lambda name: ctypes.cast(getattr(lib, name), c_void_p).value
told(newest=found(b"cuMemAlloc") == (0, 0, here("cuMemAlloc_v2")), plain=found(b"cuInit")[2] == here("cuInit"),
     old=found(b"cuCtxCreate", 12000)[2] == here("cuCtxCreate_v2"),
     new=found(b"cuCtxCreate")[2] == here("cuCtxCreate_v4"), 
     missing=found(b"cuNothing"),
     silent=call("cuGetProcAddress_v2", b"cuNothing", byref(c_void_p()), 13000, c_uint64(0), None), 
     words=[word("cuGetErrorName", 2), word("cuGetErrorString", 2), word("cuGetErrorName", 54321)])
""")
    assert said["newest"] and said["plain"] and said["old"] and said["new"]
    assert said["missing"] == [0, 1, None] and said["silent"] == 500
    assert said["words"] == [[0, "CUDA_ERROR_OUT_OF_MEMORY"], [0, "out of memory"], [1, None]]
