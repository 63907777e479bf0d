"""torch.profiler on simulated devices: compiled kernels, waits and events, a detached CUPTI, and collectives."""

import json
import shutil
import sysconfig
from pathlib import Path

import chrome_trace
import machine
import pytest
from measured import told
from profiled import PREAMBLE, within

COMPILED = """
@torch.compile
def compiled(x, y):
    return (x * y + 1).relu().sum()


x, y = (torch.zeros(1 << 20, device="cuda") for _ in range(2))


def three():
    for _ in range(3):
        compiled(x, y)


three()
told(window=traced("trace.json", three))
"""


def test_kernels_of_triton_belong_to_launches_of_the_driver(simgpu, tmp_path):
    if not (machine.BUILT / "site" / "triton").is_dir():
        pytest.skip("Triton is not in build/simgpu/site; tests/simgpu/prepare.py fetches it")
    if shutil.which("gcc") is None or not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        pytest.skip("Triton needs gcc and Python.h")
    env = {"TORCHINDUCTOR_COMPILE_THREADS": 1, "TORCHINDUCTOR_CACHE_DIR": tmp_path / "inductor", "TRITON_CACHE_DIR": tmp_path / "triton"}
    result = simgpu.run(PREAMBLE + COMPILED, tmp_path, env=env, timeout=600)
    traced = chrome_trace.Trace(tmp_path / "trace.json")
    pairs = chrome_trace.assert_agrees(traced, within(result.truth, told(result)["window"]))
    fused = [event for event, _ in pairs if event["name"].startswith("triton_")]
    assert len(fused) == len(pairs) and len(pairs) % 3 == 0
    assert {call["name"] for event in fused for call in traced.call_of(event)} <= {"cuLaunchKernel", "cuLaunchKernelEx"}


WAITS = """
side = torch.cuda.Stream()
x = torch.zeros(2048, 2048, device="cuda")
done = torch.cuda.Event()
x @ x
torch.cuda.synchronize()
config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
with profile(activities=BOTH, experimental_config=config) as profiler, Window() as window:
    with torch.cuda.stream(side):
        x @ x
        done.record()
    done.wait()
    x @ x
    done.synchronize()
    side.synchronize()
    torch.cuda.synchronize()
profiler.export_chrome_trace(FOLDER + "/trace.json")
told(window=[window.begin, window.end], side=torch._C._cuda_getCurrentStream(0)[0])
"""


def test_waits_are_in_the_trace_with_what_they_waited_for(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + WAITS, tmp_path)
    window = told(result)["window"]
    traced = chrome_trace.Trace(tmp_path / "trace.json")
    pairs = chrome_trace.assert_agrees(traced, within(result.truth, window))
    side = next(operation.stream for _, operation in pairs if operation.stream != 7)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    waits = [(event["name"], event["args"]) for event in events if event.get("cat") == "cuda_sync"]
    named = [name for name, _ in waits]
    assert named.count("Event Sync") == 1 and named.count("Stream Sync") == 1 and named.count("Stream Wait Event") == 1
    assert named.count("Context Sync") >= 2  # one of the program, one of the window, and the profiler's own
    arguments = dict(waits)
    assert arguments["Stream Sync"]["stream"] == side
    # Since CUDA 12.9 records of events are a kind of their own, which this release of PyTorch does not enable: it
    # cannot say which stream was waited for, on a real device either (github.com/pytorch/kineto/pull/1552).
    assert arguments["Stream Wait Event"]["wait_on_stream"] == arguments["Event Sync"]["wait_on_stream"] == -1
    last = {operation.stream: operation.end_ns for _, operation in pairs}
    (one,) = [event for event in events if event["name"] == "Event Sync"]
    middle = pairs[0][0]["ts"] * 1000 - pairs[0][1].start_ns
    assert (one["ts"] + one["dur"]) * 1000 - middle >= last[side] - 1000


DETACHED = """
import ctypes

cupti = ctypes.CDLL("libcupti.so.13")
model = torch.nn.Linear(512, 512).cuda()


def step():
    for _ in range(3):
        model(torch.randn(64, 512).cuda()).sum().backward()


def detached():
    '''A thread of the profiler detaches CUPTI in the next call; after that nothing can be flushed.'''
    deadline = time.monotonic() + 60
    while cupti.cuptiActivityFlushAll(0) == 0 and time.monotonic() < deadline:
        step()
        time.sleep(0.01)
    time.sleep(0.5)  # that thread gives no sign of its end
    return cupti.cuptiActivityFlushAll(0)


step()
windows, statuses = [], []
for number in range(3):
    windows.append(traced("%d.json" % number, step))
    statuses.append(detached())
told(windows=windows, statuses=statuses)
"""


def test_a_profiler_that_detaches_cupti_comes_back(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + DETACHED, tmp_path, env={"TEARDOWN_CUPTI": 1})
    seen = told(result)
    assert seen["statuses"] == [7, 7, 7]  # CUPTI_ERROR_INVALID_OPERATION
    for number, window in enumerate(seen["windows"]):
        chrome_trace.assert_agrees(chrome_trace.Trace(tmp_path / ("%d.json" % number)), within(result.truth, window))


COLLECTIVES = """
if "RANK" not in os.environ:
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *sys.argv])

import torch.distributed as dist

rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(512, 512).cuda(), device_ids=[rank])
batch = torch.randn(64, 512).cuda()


def steps():
    for _ in range(3):
        if rank == 1:
            time.sleep(0.02)  # the other waits in the collective
        model(batch).sum().backward()


steps()
torch.cuda.synchronize()
window = traced("%d.json" % rank, steps)
os.write(1, ("TOLD " + json.dumps({"rank": rank, "pid": os.getpid(), "window": window}) + "\\n").encode())
dist.barrier()
os._exit(0)
"""


def test_collectives_are_in_the_trace_as_long_as_they_took(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + COLLECTIVES, tmp_path, devices=2)
    assert result.status == 0, result.output
    ranks = [json.loads(line.split("TOLD ")[1]) for line in result.output.splitlines() if "TOLD " in line]
    assert len(ranks) == 2
    waited = {}
    for one in ranks:
        operations = [operation for operation in within(result.truth, one["window"]) if operation.pid == one["pid"]]
        pairs = chrome_trace.assert_agrees(chrome_trace.Trace(tmp_path / ("%d.json" % one["rank"])), operations)
        collectives = [event for event, _ in pairs if "nccl" in event["name"].lower()]
        assert len(collectives) == 3
        waited[one["rank"]] = max(event["dur"] for event in collectives)
    assert waited[0] > 10e3 > waited[1]  # microseconds
