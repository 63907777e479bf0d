"""Simulated NCCL under the real PyTorch: processes of one machine that train and talk to each other.

Sums and copies up to 1 MiB are real. Kernels of PyTorch compute nothing, so tensors come from the host.
"""

import json

import pytest

LAUNCH = """
import hashlib
import json
import os
import sys
import time

if "RANK" not in os.environ:
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", os.path.abspath(__file__)])

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
here = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
torch.cuda.set_device(here)


def told(**what):
    os.write(1, ("TOLD " + json.dumps({"rank": rank, **what}) + "\\n").encode())  # in one piece


def on_device(values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype).cuda()


def values(tensor):
    return tensor.cpu().tolist()


def timed(run):
    '''Milliseconds of the host and of the device.'''
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    started = time.perf_counter()
    begin.record()
    run()
    end.record()
    host_ms = 1e3 * (time.perf_counter() - started)
    end.synchronize()
    return host_ms, begin.elapsed_time(end)


dist.init_process_group("nccl", device_id=here)
"""


@pytest.fixture
def run_ranks(simgpu, tmp_path):
    def run(source, launch=LAUNCH, **options):
        program = tmp_path / "program.py"
        program.write_text(launch + source)
        result = simgpu.run(str(program), devices=2, **options)
        lines = [json.loads(line.split("TOLD ", 1)[1]) for line in result.output.splitlines() if "TOLD " in line]
        assert lines, result.output
        return result, {line.pop("rank"): line for line in lines}

    return run


DATA = """
dtypes = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int32, torch.int64]
sums = {}
for dtype in dtypes:
    tensor = on_device([rank + 1, 10 * rank], dtype)
    dist.all_reduce(tensor)
    sums[str(dtype)] = values(tensor)
reduced = {}
for name in ("MAX", "MIN", "PRODUCT", "AVG"):
    tensor = on_device([3.0 if rank == 0 else 5.0])
    dist.all_reduce(tensor, getattr(dist.ReduceOp, name))
    reduced[name] = values(tensor)[0]
broadcast = on_device([rank, 7])
dist.broadcast(broadcast, 1)
gathered = torch.empty(4, device=here)
dist.all_gather_into_tensor(gathered, on_device([rank, 100 + rank]))
scattered = torch.empty(2, device=here)
dist.reduce_scatter_tensor(scattered, on_device([1, 2, 3, 4]))
exchanged = torch.empty(4, device=here)
dist.all_to_all_single(exchanged, on_device([10 * rank + i for i in range(4)]))
at_root = on_device([1 + rank])
dist.reduce(at_root, 0)
objects = [None, None]
dist.all_gather_object(objects, "from %d" % rank)
told(
    sums=sums,
    reduced=reduced,
    broadcast=values(broadcast),
    gathered=values(gathered),
    scattered=values(scattered),
    exchanged=values(exchanged),
    at_root=values(at_root)[0] if rank == 0 else None,
    objects=objects,
)
dist.destroy_process_group()
"""


def test_small_operations_really_move_and_reduce(run_ranks):
    result, ranks = run_ranks(DATA)
    assert result.status == 0, result.output
    for rank in (0, 1):
        told = ranks[rank]
        assert len(told["sums"]) == 8
        assert all(sums == [3, 10] for sums in told["sums"].values())
        assert told["reduced"] == {"MAX": 5, "MIN": 3, "PRODUCT": 15, "AVG": 4}
        assert told["broadcast"] == [1, 7]
        assert told["gathered"] == [0, 100, 1, 101]
        assert told["objects"] == ["from 0", "from 1"]
    assert ranks[0]["scattered"] == [2, 4]
    assert ranks[1]["scattered"] == [6, 8]
    assert ranks[0]["exchanged"] == [0, 1, 10, 11]
    assert ranks[1]["exchanged"] == [2, 3, 12, 13]
    assert ranks[0]["at_root"] == 3


TIMES = """
tensor = on_device([1.0])
dist.all_reduce(tensor)
dist.barrier()
torch.cuda.synchronize()
if rank == 1:
    time.sleep(0.4)
early_host_ms, early_ms = timed(lambda: dist.all_reduce(tensor))
sizes = {}
for mib in (256, 1024):
    large = torch.empty(mib << 20, device=here, dtype=torch.uint8)
    behind = []
    for _ in range(5):
        dist.all_reduce(tensor)  # the ranks are together when the next one starts
        behind.append(timed(lambda: [dist.all_reduce(large) for _ in range(10)])[1] / 10)
    sizes[mib] = min(behind)
told(early_host_ms=early_host_ms, early_ms=early_ms, sizes=sizes)
dist.destroy_process_group()
"""


def test_an_early_rank_keeps_its_device_busy_and_not_its_host(run_ranks):
    result, ranks = run_ranks(TIMES)
    assert result.status == 0, result.output
    assert ranks[0]["early_ms"] > 300
    assert ranks[0]["early_host_ms"] < 100
    assert ranks[1]["early_ms"] < 100
    for rank in (0, 1):  # S bytes over 80 % of 450 GB/s: 2 (n - 1) / n is 1 for two ranks
        assert ranks[rank]["sizes"]["256"] == pytest.approx(1e3 * (256 << 20) / 360e9, rel=0.2)
        assert ranks[rank]["sizes"]["1024"] == pytest.approx(1e3 * (1024 << 20) / 360e9, rel=0.1)


CALLS = """
if rank == 0:
    dist.send(on_device([42]), 1)
    received = None
else:
    buffer = torch.empty(1, device=here)
    dist.recv(buffer, 0)
    received = values(buffer)
swapped = torch.empty(1, device=here)
both = [dist.P2POp(dist.isend, on_device([rank]), 1 - rank), dist.P2POp(dist.irecv, swapped, 1 - rank)]
for work in dist.batch_isend_irecv(both):
    work.wait()
other = dist.new_group([0, 1])
alone = dist.split_group(split_ranks=[[0], [1]])
interleaved = [on_device([1]) for _ in range(4)]
works = [dist.all_reduce(tensor, group=[None, other][i % 2], async_op=True) for i, tensor in enumerate(interleaved)]
for work in works:
    work.wait()
by_itself = on_device([5])
dist.all_reduce(by_itself, group=alone)
coalesced = [on_device([rank + i]) for i in range(3)]
with dist._coalescing_manager(device=here):
    for tensor in coalesced:
        dist.all_reduce(tensor)
captured = on_device([1, 1])
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(captured)
torch.cuda.synchronize()
before = values(captured)
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()
told(
    received=received,
    swapped=values(swapped),
    interleaved=[values(tensor)[0] for tensor in interleaved],
    by_itself=values(by_itself),
    coalesced=[values(tensor)[0] for tensor in coalesced],
    before=before,
    replayed=values(captured),
)
del graph
dist.destroy_process_group()
"""


def test_groups_sends_other_communicators_and_graphs(run_ranks):
    result, ranks = run_ranks(CALLS)
    assert result.status == 0, result.output
    assert ranks[1]["received"] == [42]
    for rank in (0, 1):
        told = ranks[rank]
        assert told["swapped"] == [1 - rank]
        assert told["interleaved"] == [2, 2, 2, 2]
        assert told["by_itself"] == [5]
        assert told["coalesced"] == [1, 3, 5]
        assert told["before"] == [1, 1]
        assert told["replayed"] == [8, 8]


TRAINING = """
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(rank)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8))
model = DistributedDataParallel(model.cuda(), device_ids=[here.index])
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(5):
    model(torch.randn(16, 64).cuda()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
os.write(1, b"IN STEP\\n")
other_model = torch.nn.Linear(8, 4, bias=rank == 0).cuda()
try:
    DistributedDataParallel(other_model, device_ids=[here.index])
    refused = ""
except RuntimeError as error:
    refused = str(error)
all_values = json.dumps([values(parameter) for parameter in model.parameters()])  # longer than a pipe takes in one piece
told(refused=refused, parameters=hashlib.sha256(all_values.encode()).hexdigest())
dist.destroy_process_group()
"""


def test_ddp_trains_and_compares_the_models_of_the_ranks(run_ranks):
    result, ranks = run_ranks(TRAINING)
    assert result.output.count("IN STEP") == 2, result.output
    assert ranks[0]["parameters"] == ranks[1]["parameters"]
    for rank in (0, 1):
        assert "expects same model across all ranks" in ranks[rank]["refused"]


KILLED = """
import signal

tensor = on_device([1.0])
dist.all_reduce(tensor)
torch.cuda.synchronize()
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
dist.barrier()
torch.cuda.synchronize()
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
begin = time.perf_counter()
dist.all_reduce(tensor)
behind = torch.cuda.Event()
behind.record()
time.sleep(1)
ran_on = not behind.query()
dist.distributed_c10d._abort_process_group()
torch.cuda.synchronize()
told(ran_on=ran_on, ended_s=time.perf_counter() - begin)
os._exit(0)
"""

TWO_PROCESSES = LAUNCH.replace(
    'os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", os.path.abspath(__file__)])',
    """
    import socket, subprocess
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0",
              "TORCH_NCCL_DUMP_ON_TIMEOUT": "0", "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "100"}  # else PyTorch itself waits a minute

    started = [subprocess.Popen([sys.executable, __file__], env={**os.environ, **common, "RANK": str(i), "LOCAL_RANK": str(i)}) for i in range(2)]
    sys.exit(started[0].wait())
""".strip(),
)


def test_abort_ends_the_wait_for_a_rank_that_was_killed(run_ranks):
    result, ranks = run_ranks(KILLED, launch=TWO_PROCESSES)
    assert result.status == 0, result.output
    assert ranks[0]["ran_on"], "the operation ended without the other rank"
    assert ranks[0]["ended_s"] < 30


ONE_PROCESS = """
import json
import torch
import torch.cuda.nccl

a, b = torch.tensor([1.0, 2.0]).to("cuda:0"), torch.tensor([10.0, 20.0]).to("cuda:1")
torch.cuda.nccl.all_reduce([a, b])
told = {"rank": 0, "version": torch.cuda.nccl.version(), "a": a.cpu().tolist(), "b": b.cpu().tolist()}
print("TOLD " + json.dumps(told))
"""


def test_one_process_serves_two_devices(run_ranks):
    result, ranks = run_ranks(ONE_PROCESS, launch="")
    assert result.status == 0, result.output
    assert ranks[0] == {"version": [2, 29, 7], "a": [11, 22], "b": [11, 22]}
