"""`flatout run` says what PyTorch's allocator has of the simulated device: its own figures, read by the program at the same ends of steps.

The allocator is PyTorch's own, over a simulated cudaMalloc."""

import csv
import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import harness  # noqa: E402

METRICS = {
    "device.allocator.allocated": "allocated_bytes.all.current",
    "device.allocator.reserved": "reserved_bytes.all.current",
    "device.allocator.allocated_peak": "allocated_bytes.all.peak",
    "device.allocator.reserved_peak": "reserved_bytes.all.peak",
    "device.allocator.retries": "num_alloc_retries",
    "device.allocator.ooms": "num_ooms",
}

# Reads the allocator where a step ends: first of all in the draw of the next one. STEP is what a test has a step do.
TRAINS = """
import json, os, sys, time
import torch
from torch import nn

torch.set_num_threads(1)
NAMES = %r
STEPS, MB = 40, 1 << 20


def read():
    stats = torch.cuda.memory_stats()
    said.append([time.monotonic_ns(), [stats.get(name, 0) for name in NAMES]])


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        read()
        time.sleep(0.03)
        return torch.zeros(64, 256), torch.zeros(64, dtype=torch.long)


def bytes_of(megabytes):
    return torch.empty(megabytes * MB, dtype=torch.uint8, device="cuda")


said, kept = [], []
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
optimizer, loss_of = torch.optim.SGD(model.parameters(), 0.01), nn.CrossEntropyLoss()
step = 0
for x, y in torch.utils.data.DataLoader(Rows(), batch_size=None):
    step += 1
    optimizer.zero_grad()
    STEP
    loss = loss_of(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    loss.item()
read()  # the last step ends where the loader does
print(json.dumps(said), flush=True)
os._exit(0)  # a thread of autograd that lets go of Python objects while Python 3.11 ends makes PyTorch abort
""" % list(METRICS.values())


@pytest.fixture
def run(simgpu):
    """(outcome, what the program said, its home) of a program with this step."""

    def runs(step, devices=1, **env):
        scratch = simgpu.scratch()
        (scratch / "program.py").write_text(TRAINS.replace("STEP\n", step + "\n", 1))
        environment = simgpu.environment(scratch, devices=devices, env=env)
        outcome = harness.run_observed([harness.PYTHON, scratch / "program.py"], scratch, env=environment, options=("--no-bench",))
        assert outcome.code == 0 and outcome.report, outcome.err.decode()
        return outcome, json.loads(outcome.out.splitlines()[-1]), scratch

    return runs


def exported(scratch, *arguments):
    folder = scratch / "exported"
    command = [harness.flatout_bin(), "export", "latest", "--force", "--out", folder, *arguments]
    subprocess.run(command, env=harness.environment(FLATOUT_HOME=scratch / "home"), check=True, capture_output=True, timeout=60)
    return folder


def series_of(scratch, source="GPU 0"):
    """{metric: [[seconds into the run, value]]} of the allocator."""
    out = {}
    with open(exported(scratch) / "series.csv") as file:
        for row in csv.DictReader(file):
            if row["metric"].startswith("device.allocator.") and row["source"] == source:
                out.setdefault(row["metric"], []).append([float(row["time_s"]), float(row["value"])])
    return out


def steps_of(scratch):
    """[(the step's number, when it ended in seconds into the run, whether it was of the warm-up)], on the clock of the samples."""
    with open(exported(scratch) / "steps.csv") as file:
        return [(int(row["step"]), float(row["end_s"]), row["warm_up"] == "1") for row in csv.DictReader(file)]


def held_to(said, series, steps):
    """For each sample, taken where a step ended: what the program itself read then, in the draw of the next one; and what flatout has.

    Which step that was is known by flatout's own clock, so that nothing depends on how long the program takes to come to its reading."""
    half_a_step = min(b[1] - a[1] for a, b in zip(steps, steps[1:])) / 2
    for sample in zip(*(series[metric] for metric in METRICS)):
        number, end_s, _ = min(steps, key=lambda step: abs(step[1] - sample[0][0]))
        assert abs(end_s - sample[0][0]) < half_a_step, (sample[0][0], end_s)
        yield number, said[number][1], [value for _, value in sample]


# A step in 10 keeps more, and one needs much for a moment.
GROWS = """kept += [bytes_of(3)] if step % 10 == 0 else []
    if step == 25:
        del bytes_of(700)[:0]"""
GROWS = GROWS.replace("del bytes_of(700)[:0]", "bytes_of(700)")


def test_samples_are_what_the_program_reads_at_the_same_ends_of_steps(run):
    outcome, said, scratch = run(GROWS)
    series = series_of(scratch)
    compared = list(held_to(said, series, steps_of(scratch)))
    assert len(compared) >= 4  # the loop takes more than a second
    for _, own, flatouts in compared:
        assert flatouts == own
    assert len({tuple(own) for _, own, _ in compared}) >= 3  # they were not all the same
    times = [at for at, _ in series["device.allocator.allocated"]]
    assert min(b - a for a, b in zip(times, times[1:])) > 0.19  # five a second at most
    assert {value for _, value in series["device.allocator.processes"]} == {1}

    (device,) = outcome.report["devices"]
    memory = device["allocator"]
    assert memory["sampled"] is True and memory["processes"] == 1
    assert memory["peak_allocated_bytes"] == max(own[2] for _, own in said) > 700 << 20
    assert memory["peak_reserved_bytes"] == max(own[3] for _, own in said)
    assert memory.get("peak_at_step") == 25 or memory["peak_after_step"] < 25 <= memory["peak_by_step"]
    assert memory["retries_in_steps"] == memory["ooms"] == 0
    assert "steps" not in memory
    assert "no room" not in outcome.said  # its line gives way on the page of a busy machine: src/report/allocator_text_test.cc has it


def test_charts_and_counters_have_it(run):
    _, _, scratch = run("pass")
    trace = json.loads((exported(scratch, "--format", "perfetto") / "trace.perfetto.json").read_text())
    counters = {event["name"] for event in trace["traceEvents"] if event.get("ph") == "C"}
    assert {*METRICS, "device.allocator.processes"} <= counters
    done = subprocess.run(
        [harness.flatout_bin(), "report", "latest", "--format", "html"],
        env=harness.environment(FLATOUT_HOME=scratch / "home"), check=True, capture_output=True, text=True, timeout=60,
    )
    assert "Memory of the framework's allocator" in done.stdout.replace("&#39;", "'")
    assert "most allocated so far" in done.stdout


# 300 MB fit. What is cached of 150 must go before 160 can be had, once in steps 20, 25, 30 and 35; at step 38 an allocation fails.
WANTS_ROOM = """
    if step == 1:
        torch.cuda.set_per_process_memory_fraction(300 * MB / torch.cuda.get_device_properties(0).total_memory)
    if step in (20, 25, 30, 35):
        bytes_of(150)
        bytes_of(160)
        torch.cuda.empty_cache()
    if step == 38:
        try:
            bytes_of(400)
        except torch.cuda.OutOfMemoryError:
            pass"""


def test_an_allocator_that_finds_no_room_is_said(run):
    outcome, said, scratch = run(WANTS_ROOM)
    steps = steps_of(scratch)
    compared = list(held_to(said, series_of(scratch), steps))
    assert all(flatouts == own for _, own, flatouts in compared)
    retries = {number: own[4] for number, own, _ in compared}
    assert retries[min(retries)] == 0 and retries[max(retries)] >= 3
    # From the last sample before the steady steps on; how many belong to the warm-up is for the machine to say.
    warm_up = max(number for number, _, warms_up in steps if warms_up)
    before = max((number for number in retries if number <= warm_up), default=min(retries))
    in_steps = retries[max(retries)] - retries[before]
    (device,) = outcome.report["devices"]
    assert device["allocator"]["retries_in_steps"] == in_steps > 0
    text = " ".join(outcome.said.split())
    times = "once" if in_steps == 1 else "%d times" % in_steps
    assert "it found no room and emptied its cache %s in the steps" % times in text


def test_a_device_that_is_not_used_has_none(run):
    outcome, _, _ = run("pass", devices=2)
    assert [("allocator" in device) for device in outcome.report["devices"]] == [True, False]


@pytest.mark.parametrize("env", [{"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}, {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}])
@pytest.mark.every_change("env1")
def test_another_way_to_allocate_is_left_alone(run, env):
    outcome, said, scratch = run("pass", **env)
    assert len(said) == 41 and series_of(scratch) == {}
    assert "allocator" not in outcome.report["devices"][0]
    assert not [note for note in outcome.report.get("notes", []) if "allocator" in note]


SECOND_PROCESS = """
    if step == 1 and "second" not in sys.argv:
        import subprocess
        second = subprocess.Popen([sys.executable, __file__, "second"], stdout=subprocess.DEVNULL)
        STEPS_LEFT = second
    if step == STEPS and "second" not in sys.argv:
        assert second.wait() == 0"""


def test_processes_on_one_device_are_summed(run):
    outcome, _, scratch = run(SECOND_PROCESS.replace("        STEPS_LEFT = second\n", "") + "\n    time.sleep(0.1 if step < STEPS else 0)")
    series = series_of(scratch)
    (device,) = outcome.report["devices"]
    assert device["allocator"]["processes"] == 2
    by_processes = {}
    for (_, allocated), (_, processes) in zip(series["device.allocator.allocated"], series["device.allocator.processes"]):
        by_processes.setdefault(processes, set()).add(allocated)
    assert set(by_processes) == {1, 2}
    assert max(by_processes[2]) == 2 * max(by_processes[1])  # both do the same


CHILDREN = """
    if step % 5 == 0:
        child = os.fork()
        if child == 0:
            os._exit(0 if not torch.cuda.is_initialized() else 1)
        assert os.waitpid(child, 0)[1] == 0"""


def test_statistics_of_the_program_stay_its_own(run, simgpu):
    """Its own peaks, which it resets at step 20, are the same with and without flatout."""
    step = CHILDREN + "\n    if step == 20:\n        torch.cuda.reset_peak_memory_stats()"
    _, said, _ = run(step)
    alone = simgpu.run(TRAINS.replace("STEP\n", step + "\n", 1))
    assert alone.status == 0, alone.output
    assert [own for _, own in json.loads(alone.output.splitlines()[-1])] == [own for _, own in said]


def test_a_sample_costs_less_than_a_reading_of_the_programs_own_and_a_step_without_one_next_to_nothing(simgpu):
    """docs/hooks.md has what was measured. Each is held to what the same process takes for its own at the same time, so that a slow
    machine moves both."""
    done = simgpu.run(str(HERE / "programs" / "allocator_cost.py"))
    assert done.status == 0, done.output
    cost = json.loads(done.output.splitlines()[-1])
    assert cost["sample"] < cost["own"], cost
    assert cost["step"] < cost["step_in_all"] / 4, cost
