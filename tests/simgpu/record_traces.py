"""Records traces of torch.profiler with their truth, as material for what reads such traces.

    python tests/simgpu/record_traces.py [FOLDER] [NAME...]

Each program below runs on simulated devices (build/simgpu, which tests/simgpu/prepare.py makes). Of each process
FOLDER gets NAME.trace.json.gz, the profiler's own Chrome trace without names of this machine, and NAME.truth.json:
the operations that the simulator placed in the same window. Default folder: tests/simgpu/traces.
"""

import dataclasses
import gzip
import json
import pathlib
import sys
import tempfile

import machine
from profiled import PREAMBLE, within
from truth import Operation

TRACES = pathlib.Path(__file__).resolve().parent / "traces"
FIELDS = [field.name for field in dataclasses.fields(Operation) if field.name not in ("pid", "name")]
OWN_NAMES = ("host_name", "traceName", "trace_id")  # of the trace: they tell of the machine, not of the program

END = """
os.write(1, ("TOLD " + json.dumps({"pid": os.getpid(), "rank": int(os.environ.get("RANK", 0)), "window": window}) + "\\n").encode())
if "RANK" in os.environ:
    torch.distributed.barrier()
os._exit(0)
"""

MLP = """
model = torch.nn.Sequential(torch.nn.Linear(1024, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
images, labels = torch.randn(256, 1024), torch.randint(10, (256,))


def steps():
    for _ in range(3):
        with torch.profiler.record_function("step"):
            loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()


steps()
window = traced("0.json", steps)
"""

PREFETCHED = """
model = torch.nn.Sequential(torch.nn.Linear(4096, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 4096)).cuda()
host = torch.randn(1024, 4096).pin_memory()
side = torch.cuda.Stream()


def fetch():
    with torch.cuda.stream(side):
        return host.to("cuda", non_blocking=True)


def steps():
    batch = fetch()
    for _ in range(4):
        torch.cuda.current_stream().wait_stream(side)
        later = fetch()
        model(batch).sum().backward()
        batch = later


steps()
window = traced("0.json", steps)
"""

GRAPH = """
model = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(6))).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)
batch = torch.zeros(64, 256, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=False)
    model(batch).square().mean().backward()
    optimizer.step()


side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()


def replays():
    for _ in range(5):
        with torch.profiler.record_function("step"):
            graph.replay()
            torch.cuda.synchronize()


window = traced("0.json", replays)
"""

TWO_DEVICES = """
first, second = (torch.nn.Linear(2048, 2048, device=device) for device in ("cuda:0", "cuda:1"))
batch = torch.randn(512, 2048).pin_memory()


def steps():
    for _ in range(3):
        second(first(batch.to("cuda:0")).relu().to("cuda:1")).sum().backward()


steps()
window = traced("0.json", steps)
"""

TINY_KERNELS = """
x = torch.zeros(64, device="cuda")


def many():
    for _ in range(3):
        with torch.profiler.record_function("step"):
            y = x
            for _ in range(40):
                y = y * 2 + 1


many()
window = traced("0.json", many)
"""

SLOW_RANK = """
if "RANK" not in os.environ:
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *sys.argv])

rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)
torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", rank))
model = torch.nn.Sequential(torch.nn.Linear(2048, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048)).cuda()
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank], bucket_cap_mb=8)
batch = torch.randn(256, 2048).cuda()


def steps():
    for _ in range(3):
        with torch.profiler.record_function("step"):
            if rank == 1:
                time.sleep(0.01)
            model(batch).sum().backward()


steps()
torch.cuda.synchronize()
window = traced("%d.json" % rank, steps)
"""

PROGRAMS = {  # name: (devices, program, what is to be seen in its trace)
    "mlp": (1, MLP, "a small model: pageable copies and `.item()` in each step"),
    "prefetched": (1, PREFETCHED, "pinned copies on a stream of their own, beside the kernels"),
    "graph": (1, GRAPH, "each step is one replay of a CUDA graph"),
    "two_devices": (2, TWO_DEVICES, "half of a model on each device, with copies between them"),
    "tiny_kernels": (1, TINY_KERNELS, "the device waits for launches"),
    "slow_rank": (2, SLOW_RANK, "two processes that train together, of which one is late: a trace of each"),
}


def without_own_names(trace):
    content = json.loads(trace.read_text())
    return {name: value for name, value in content.items() if name not in OWN_NAMES}


def write(folder, name, trace, operations, program):
    (folder / (name + ".trace.json.gz")).write_bytes(gzip.compress(json.dumps(trace).encode(), mtime=0))
    names = sorted({operation.name for operation in operations})
    rows = [[names.index(operation.name), *(getattr(operation, field) for field in FIELDS)] for operation in operations]
    head = {"program": program, "names": names, "fields": ["name", *FIELDS]}
    text = json.dumps(head)[:-1] + ', "operations": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n"
    (folder / (name + ".truth.json")).write_text(text)


def record(name, folder):
    devices, program, _ = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        result = machine.Machine(scratch).run(PREAMBLE + program + END, scratch, devices=devices)
        if result.status != 0:
            raise RuntimeError(result.output)
        ranks = [json.loads(line.split("TOLD ")[1]) for line in result.output.splitlines() if "TOLD " in line]
        for one in ranks:
            operations = [operation for operation in within(result.truth, one["window"]) if operation.pid == one["pid"]]
            own_name = name if len(ranks) == 1 else "%s_%d" % (name, one["rank"])
            write(folder, own_name, without_own_names(scratch / ("%d.json" % one["rank"])), operations, name)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TRACES
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or PROGRAMS:
        record(name, folder)
        print(name, flush=True)


if __name__ == "__main__":
    main()
