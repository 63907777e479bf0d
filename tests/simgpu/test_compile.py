"""torch.compile on the simulated device: Triton compiles for it, its kernels run under their own names and are captured into graphs.

Triton builds a module of its own with the C compiler, against the libcuda.so.1 below TRITON_LIBCUDA_PATH (machine.py).
"""

import shutil
import sysconfig
from pathlib import Path

import machine
import pytest
from measured import H100_FLOOR_MS, PREAMBLE, h100_ms, told

ELEMENTS = 1 << 24
STEPS = 3

PROGRAM = """
torch.set_float32_matmul_precision("high")
windows = {}


def window(name, run, warm=2):
    for _ in range(warm):
        run()
    torch.cuda.synchronize()
    begin = time.monotonic_ns()
    for _ in range(STEPS):
        run()
    torch.cuda.synchronize()
    windows[name] = (begin, time.monotonic_ns())


def pointwise(x, y):
    return (x * y + 1).relu()


x, y = (torch.zeros(ELEMENTS, device="cuda") for _ in range(2))
compiled = torch.compile(pointwise)
window("eager", lambda: pointwise(x, y))
window("compiled", lambda: compiled(x, y))


@torch.compile
def broken(x):
    x = x * 2
    torch._dynamo.graph_break()
    return x + 1


window("broken", lambda: broken(x))

net = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
graphed = torch.compile(net, mode="reduce-overhead")
batch = torch.zeros(32, 64, device="cuda")


def step():
    torch.compiler.cudagraph_mark_step_begin()
    graphed(batch).relu().sum().backward()
    optimizer.step()
    optimizer.zero_grad()


window("graphed", step, warm=4)
told(windows=windows, breaks=sum(torch._dynamo.utils.counters["graph_break"].values()))
"""


@pytest.fixture(scope="module")
def ran(simgpu, tmp_path_factory):
    """(windows of each part, the truth's operations in them, what was said)"""
    if not (machine.BUILT / "site" / "triton").is_dir():
        pytest.skip("Triton is not in build/simgpu/site; tests/simgpu/prepare.py fetches it")
    if shutil.which("gcc") is None or not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        pytest.skip("Triton needs gcc and Python.h")
    caches = tmp_path_factory.mktemp("compiled")
    env = {"TORCHINDUCTOR_COMPILE_THREADS": 1, "TORCHINDUCTOR_CACHE_DIR": caches / "inductor", "TRITON_CACHE_DIR": caches / "triton"}
    program = PREAMBLE + f"ELEMENTS, STEPS = {ELEMENTS}, {STEPS}\n" + PROGRAM
    result = simgpu.run(program, env=env, timeout=600)
    said = told(result)
    operations = {
        name: [one for one in result.truth.operations if begin <= one.enqueued_ns <= end] for name, (begin, end) in said["windows"].items()
    }
    return said, operations


def ms(operation):
    return (operation.end_ns - operation.start_ns) / 1e6


def test_what_is_fused_is_one_kernel_that_moves_each_tensor_once(ran):
    _, operations = ran
    compiled = operations["compiled"]
    assert [kernel.name for kernel in compiled] == ["triton_poi_fused_add_mul_relu_0"] * STEPS
    for kernel in compiled:
        assert ms(kernel) == pytest.approx(h100_ms(0, "f32", 3 * 4 * ELEMENTS), rel=0.01)
    eager = operations["eager"]
    assert len(eager) == 3 * STEPS
    assert sum(map(ms, eager)) / STEPS == pytest.approx(7 / 3 * ms(compiled[0]), rel=0.02)  # 3, 2 and 2 tensors


def test_a_graph_break_makes_two_kernels(ran):
    said, operations = ran
    assert said["breaks"] == 1
    names = [kernel.name for kernel in operations["broken"]]
    assert len(names) == 2 * STEPS
    assert [name.split("_")[3] for name in names[:2]] == ["mul", "add"] and names == names[:2] * STEPS
    assert all(kernel.graph == 0 for kernel in operations["broken"])


def test_reduce_overhead_replays_graphs(ran):
    _, operations = ran
    replayed = [kernel for kernel in operations["graphed"] if kernel.graph != 0]
    forward, backward = (sorted({kernel.graph for kernel in replayed}) + [0, 0])[:2]
    of_step = [kernel.graph for kernel in replayed]
    assert forward and backward and len(set(of_step)) == 2
    assert of_step == of_step[: len(of_step) // STEPS] * STEPS
    assert any(kernel.name.startswith("triton_") for kernel in replayed)
    # Kernels of one replay have the correlation of its launch.
    assert len({kernel.correlation for kernel in replayed}) == 2 * STEPS
    assert any(kernel.graph == 0 for kernel in operations["graphed"]), "the loss and the optimizer are not compiled"
    assert min(map(ms, replayed)) >= H100_FLOOR_MS
