"""A trial's steps take the host as long as the device, however far a program's host could run ahead."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "inject"))
import hooked  # noqa: E402
from machine import BUILT  # noqa: E402

STEPS = 40
PROGRAM = """
import sys
import time

import torch

torch.set_num_threads(1)
x = torch.zeros(2048, 2048, device="cuda")
net = torch.nn.Linear(2048, 2048).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)


class Batches(torch.utils.data.Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.zeros(1)


def step():
    optimizer.zero_grad(set_to_none=True)
    net(x).sum().backward()
    optimizer.step()


graph = None
if "graph" in sys.argv:
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
for _ in torch.utils.data.DataLoader(Batches()):
    print(time.perf_counter_ns(), flush=True)
    graph.replay() if graph else step()
"""


def host_times_ms(simgpu, *arguments, trial):
    scratch = simgpu.scratch()
    (scratch / "rings").mkdir()
    (scratch / "program.py").write_text(PROGRAM)
    environment = simgpu.environment(scratch, slower=60)
    environment["PYTHONPATH"] = f"{hooked.library() / 'site'}:{BUILT / 'site'}"
    environment.update(FLATOUT_RING_DIR=str(scratch / "rings"), FLATOUT_STOP_AFTER=str(STEPS))
    if trial:
        environment["FLATOUT_TRIAL"] = "1"
    done = subprocess.run([sys.executable, scratch / "program.py", *arguments], env=environment, capture_output=True, text=True, timeout=120)
    at = [int(line) / 1e6 for line in done.stdout.split()]
    assert len(at) >= STEPS - 2, done.stdout + done.stderr
    return [after - before for before, after in zip(at, at[1:])]


@pytest.mark.parametrize("kind", ["eager", "graph"])
@pytest.mark.every_change("graph")
def test_steps_of_a_trial_take_as_long_as_on_the_device(simgpu, kind):
    times = host_times_ms(simgpu, kind, trial=True)
    free = host_times_ms(simgpu, kind, trial=False)
    paced, ahead = statistics.median(times[10:]), statistics.median(free[10:])
    assert ahead < paced / 2, f"the host was to run ahead: {ahead:.2f} ms a step, in a trial {paced:.2f}"
    assert statistics.quantiles(times[10:], n=10)[0] > 0.8 * paced, json.dumps(times)
