"""`flatout run` over the simulated NVML: what it says of devices, against the truth of the same run."""

import json
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import harness  # noqa: E402
from truth import Truth  # noqa: E402

# A training loop on the device, of which the last 90 steps are steady, and which says when they were.
TRAINS = """
import json, os, time
import torch
from torch import nn


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        steps.append(time.monotonic_ns())
        time.sleep(0.02)
        return torch.zeros(64, 1024), torch.zeros(64, dtype=torch.long)


steps = []
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)], nn.Linear(1024, 10)).cuda()
optimizer, loss_of = torch.optim.SGD(model.parameters(), 0.01), nn.CrossEntropyLoss()
for x, y in torch.utils.data.DataLoader(Slow(), batch_size=None):
    optimizer.zero_grad()
    loss = loss_of(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    loss.item()
print(json.dumps([steps[10], time.monotonic_ns()]), flush=True)
os._exit(0)  # a thread of autograd that lets go of Python objects while Python 3.11 ends makes PyTorch abort
"""

# A PyTorch without CUDA trains on the CPU, while something that flatout's hooks do not know uses the device.
HIDDEN_USE = """
import sys, threading, time
sys.path.append(sys.argv[1])
import cudart
import torch
from torch import nn

torch.set_num_threads(1)
assert not torch.version.cuda


def use_the_device():
    cudart.malloc(1 << 30)
    while not ended and cudart.status_of(cudart.synchronize) == 0:
        cudart.status_of(cudart.launch, cudart.LEGACY, 5)
        time.sleep(0.005)


ended = []
thread = threading.Thread(target=use_the_device)
thread.start()
model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
begin = time.monotonic()
while time.monotonic() < begin + 3:
    optimizer.zero_grad()
    model(torch.zeros(256, 256)).sum().backward()
    optimizer.step()
ended.append(True)
thread.join()
"""


@pytest.fixture
def run(simgpu, flatout):
    """What flatout said of a program, what the program said, and the truth."""

    def runs(source, *arguments, torch="cuda", **options):
        scratch = simgpu.scratch()
        (scratch / "program.py").write_text(source)
        environment = simgpu.environment(scratch, **options)
        if torch == "cpu":
            del environment["PYTHONPATH"]  # the environment's own is built without CUDA
        outcome = harness.run_observed([harness.PYTHON, scratch / "program.py", *arguments], scratch, env=environment)
        assert outcome.code == 0 and outcome.report, outcome.err.decode()
        return outcome, Truth(scratch / "truth")

    return runs


def test_device_busy_and_memory_are_the_devices(run):
    outcome, truth = run(TRAINS, slower=60)
    begin, end = json.loads(outcome.out)
    (device,) = outcome.report["devices"]
    busy = truth.busy(begin, end, kinds=("kernel",))
    assert busy > 0.1
    assert device["utilization"]["source"] == "nvml"
    assert outcome.report["steps"]["device_busy"] == pytest.approx(busy, abs=0.02)
    assert device["used"] is True and device["others"]["processes"] == 0
    assert device["power_w"] == pytest.approx(70 + 630 * busy, abs=20)
    assert device["sm_clock_mhz"] == 1980 and device["throttled"]["power"] == 0


def test_a_driver_without_buffers_and_lists_is_polled_and_says_nothing_of_others(run):
    outcome, truth = run(TRAINS, slower=60, env={"SIMGPU_NVML": "no_samples,no_processes"})
    begin, end = json.loads(outcome.out)
    (device,) = outcome.report["devices"]
    assert outcome.report["steps"]["device_busy"] == pytest.approx(truth.busy(begin, end, kinds=("kernel",)), abs=0.02)
    assert "samples.device.utilization" in device["unavailable"]
    assert device["used"] is True  # the hooks saw it
    assert "processes" not in device.get("others", {})


def hidden_use(run, **options):
    return run(HIDDEN_USE, HERE, torch="cpu", **options)[0]


def device_of_kind(outcome, kind):
    return [device for device in outcome.report["devices"] if device["kind"] == kind]


def test_what_no_hook_sees_is_known_from_the_drivers_list(run):
    (device,) = device_of_kind(hidden_use(run), "cuda")
    assert device["used"] is True


@pytest.mark.parametrize("knob", ["no_processes", "processes_denied"])
@pytest.mark.every_change("processes_denied")
def test_where_the_driver_lists_nobody_use_is_unknown_and_not_false(run, knob):
    outcome = hidden_use(run, env={"SIMGPU_NVML": knob})
    (device,) = device_of_kind(outcome, "cuda")
    assert device["utilization"]["mean"] > 0.3
    assert "used" not in device
    assert outcome.report["verdict"]["finding"] != "device_unused"


def test_an_instance_of_mig_has_memory_and_gpm(run):
    outcome = hidden_use(run, env={"SIMGPU_NVML": "mig"})
    whole, instance = device_of_kind(outcome, "cuda")
    assert whole["mig"] == "parent of 1" and whole["used"] is False
    assert instance["mig"] == "7g.80gb of device 0"
    assert instance["memory_used_bytes"] > 1 << 30
    assert "device.utilization" in instance["unavailable"] and "utilization" not in instance
    assert "device.gpm.pcie.received" not in instance["unavailable"]


def test_a_pytorch_without_cuda_beside_an_idle_gpu_is_the_verdict(run):
    outcome = run(HIDDEN_USE.replace("thread.start()", "").replace("thread.join()", ""), HERE, torch="cpu")[0]
    (device,) = device_of_kind(outcome, "cuda")
    assert device["used"] is False
    verdict = outcome.report["verdict"]
    assert (verdict["finding"], verdict["cause"]) == ("device_unused", "cpu_build")
    assert "DEVICE-UNUSED: the model computes on the CPU" in outcome.said


def test_an_xid_error_of_the_device_is_one_line(run):
    outcome = hidden_use(run, env={"SIMGPU_FAULT": 50})
    told = [line for line in outcome.said.splitlines() if line.startswith("flatout: ") and "XID 31" in line]
    assert len(told) == 1
    assert len([note for note in outcome.report["notes"] if "XID 31" in note]) == 1
