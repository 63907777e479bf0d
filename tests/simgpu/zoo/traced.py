"""Runs a program of the CUDA zoo under `flatout run --trace` and holds the report's devices against the truth of the
same execution (true_idle.py), over the same times: those that the report says it knows."""

import json
import shutil
import statistics
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field

import observe
import true_idle
from chrome_trace import demangled
from observe import EXPECTED, harness
from truth import Truth

# That any share may be off by. What waits before a window had cost no trace knows: its first gaps may have the wrong cause.
BOUNDS = {"kernels": 0.01, "windows": 0.03}
POINT = 0.01
SHARES = ("busy", "compute", "comm_exposed", "copy_exposed")
TOP = 5  # kernels by name, compared one by one
TIME_BOUND = 0.01  # of a kernel name's time
ACTIVITIES = ("kernel", "gpu_memcpy", "gpu_memset")
# Windows close together and short, so that runs of seconds have some.
WINDOWS = {"FLATOUT_TRACE_DELAY_MS": 500, "FLATOUT_TRACE_WINDOW_MS": 500}


@dataclass
class Traced:
    name: str
    mode: str
    report: dict
    env: dict
    devices: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    @property
    def worst(self):
        """(points, figure) of the largest difference."""
        return max((one.worst for one in self.devices), default=(0.0, "none"))


@dataclass
class Device:
    index: int
    said: dict  # share -> value; causes as idle.NAME
    true: dict  # the same names; steps.NAME is over the steps alone, by the file for Perfetto
    windows: list

    @property
    def worst(self):
        return max((abs(self.said[name] - self.true[name]), name) for name in self.true)


def left_out(name):
    """Why there is nothing to compare, or None."""
    if "train_py" in EXPECTED[name]:
        return "has no marks of its own"
    if EXPECTED[name].get("torch") == "cpu":
        return "uses no device"
    return "dies before its marks are written" if EXPECTED[name].get("exit") else None


PROGRAMS = [name for name in EXPECTED if not left_out(name)]


def run(name, folder, mode, scale):
    """Runs it, and compares. Raises RuntimeError where there is nothing to compare."""
    folder.mkdir(parents=True, exist_ok=True)
    windows = WINDOWS if mode == "windows" else {}
    env = observe.environment(name, folder, scale, FLATOUT_HOME=folder / "home", SIMGPU_TRUTH_CALLS=1, **windows)
    with observe.beside(name, env, folder):
        outcome = harness.run_observed(observe.command(name), folder, env=env, options=["--trace", mode])
    said = outcome.err.decode(errors="replace")[-2000:] + outcome.said
    if outcome.code or not outcome.report or outcome.report["trace"]["state"] != "on":
        raise RuntimeError(f"{name}: exit {outcome.code}\n{said}")
    (folder / "env.json").write_text(json.dumps({key: str(value) for key, value in env.items()}))
    seen = Traced(name, mode, outcome.report, env)
    compare(seen, folder)
    return seen


def again(name, folder, mode):
    """Compares what ran in this folder before with what the store's run gives by today's flatout."""
    env = json.loads((folder / "env.json").read_text())
    done = subprocess.run([harness.flatout_bin(), "report", "latest", "--format", "json"], env=env, check=True, timeout=180, capture_output=True)
    seen = Traced(name, mode, json.loads(done.stdout), env)
    compare(seen, folder)
    return seen


def compare(seen, folder, skip_steps=1):
    """`skip_steps`: that are no part of "the steps". In the first one the hooks meet the model: its begin by the program's
    own marks is some milliseconds before theirs, which are start-up by one and launches by the other."""
    truth = Truth(folder / "truth")
    exported = exported_events(seen, folder)
    for marks_file in sorted(folder.glob("marks*.json")):
        marks = true_idle.of_marks_file(marks_file)
        pid = marks["facts"]["pid"]
        host = true_idle.Host(truth.each_call(pid, true_idle.matters), marks)
        steps = (host.edges[skip_steps], host.edges[-1]) if len(host.edges) > skip_steps + 1 else (0, 0)
        for index in sorted({one.device for one in truth.of(pid=pid)}):
            compare_device(seen, index, truth.of(device=index, pid=pid), host, steps, exported)
    if not seen.devices:
        seen.problems.append("no device to compare")


def compare_device(seen, index, operations, host, steps, exported):
    device = next((one for one in seen.report["devices"] if one["index"] == index and "window_ms" in one), None)
    if device is None:
        seen.problems.append(f"device {index} is not in the report")
        return
    events = [one for one in exported if one.get("args", {}).get("device") == index and one.get("cat") in ACTIVITIES]
    windows = windows_of(seen, index, device, operations, exported, events)
    in_windows = [one for one in operations if any(begin <= one.start_ns < end for begin, end in windows)]
    idle = true_idle.idle_pieces(operations, host)
    found = Device(index, figures({name: device[name] for name in SHARES}, device["idle_account"]), true_figures(operations, idle, windows), windows)
    seen.devices.append(found)
    if in_steps := within(windows, *steps):
        said = Exported(exported, index, zero_of(operations, events)).shares(in_steps)
        found.said |= {f"steps.{name}": share for name, share in said.items()}
        found.true |= {f"steps.{name}": share for name, share in true_figures(operations, idle, in_steps).items() if name in said}
    for name, share in found.true.items():
        bound = BOUNDS[seen.mode] if "idle." in name else POINT
        if abs(found.said[name] - share) > bound:
            seen.problems.append(f"device {index}: {name} {found.said[name]:.2%}, in truth {share:.2%}")
    if abs(sum(device["idle_account"].values()) - device["idle"]) > 1e-6 or abs(device["busy"] + device["idle"] - 1) > 1e-6:
        seen.problems.append(f"device {index}: the account does not sum to idle")
    check_window(seen, device, windows)
    check_kernels(seen, device, in_windows)
    check_records(seen, index, in_windows, events, exported)


def figures(shares, account):
    return {**shares, **{f"idle.{cause}": share for cause, share in account.items()}}


def true_figures(operations, idle, windows):
    true = true_idle.shares(operations, idle, windows)
    return figures({name: getattr(true, name) for name in SHARES}, true.idle_account)


def within(windows, begin, end):
    cut = ((max(begin, one), min(end, other)) for one, other in windows)
    return [one for one in cut if one[0] < one[1]]


class Exported:
    """What the file for Perfetto says of one device: when it ran something, and why it idled, on CLOCK_MONOTONIC."""

    def __init__(self, events, index, zero):
        lanes = lanes_called(events, f"GPU {index} idle")
        at = [(zero + ns(one["ts"]), zero + ns(one["ts"]) + ns(one["dur"]), one) for one in events if "dur" in one]
        self.idle = [(begin, end, one["args"]["cause"]) for begin, end, one in at if (one["pid"], one["tid"]) in lanes]

    def shares(self, windows):
        length = sum(end - begin for begin, end in windows)
        sums = dict.fromkeys(true_idle.CAUSES, 0)
        for begin, end, cause in self.idle:
            sums[cause] += sum(max(0, min(end, until) - max(begin, since)) for since, until in windows)
        return figures({"busy": 1 - sum(sums.values()) / length}, {cause: idle / length for cause, idle in sums.items()})


def exported_events(seen, folder):
    out = folder / "exported"
    shutil.rmtree(out, ignore_errors=True)  # of an earlier comparison
    command = [harness.flatout_bin(), "export", seen.report["run"]["id"], "--format", "perfetto", "--out", out]
    subprocess.run(command, env=seen.env, check=True, timeout=180, capture_output=True)
    (file,) = out.glob("*.json")
    return json.loads(file.read_text())["traceEvents"]


def windows_of(seen, index, device, operations, exported, events):
    """The times of which the report says that it knows all."""
    if seen.mode == "kernels":
        first = min(one.start_ns for one in operations)
        last = first + round(device["window_ms"] * 1e6)
        # To the nanosecond, which milliseconds as text are not; a process that ended without a word is known to another time.
        end = min((one.end_ns for one in operations), key=lambda end: abs(end - last))
        return [(first, end if abs(end - last) < 1000 else last)]
    zero = zero_of(operations, events)
    lanes = lanes_called(exported, f"GPU {index} traced")
    spans = [one for one in exported if one.get("cat") == "flatout_traced" and (one["pid"], one["tid"]) in lanes]
    return sorted((zero + ns(one["ts"]), zero + ns(one["ts"]) + ns(one["dur"])) for one in spans)


def ns(microseconds):
    return round(microseconds * 1e3)


def lanes_called(exported, name):
    named = [one for one in exported if one.get("ph") == "M" and one.get("name") == "thread_name"]
    return {(one["pid"], one["tid"]) for one in named if one["args"]["name"].startswith(name)}


def zero_of(operations, events):
    """What the file counts from, on CLOCK_MONOTONIC: of what both know by its number."""
    starts, seen = {}, {}  # of a graph's launch, its first kernel
    for one in operations:  # in order of their start
        starts.setdefault(one.correlation, one.start_ns)
    for event in events:
        number, begin = event["args"].get("correlation"), ns(event["ts"])
        seen[number] = min(begin, seen.get(number, begin))
    return round(statistics.median(starts[number] - begin for number, begin in seen.items() if number in starts))


def check_window(seen, device, windows):
    length = sum(end - begin for begin, end in windows) / 1e6
    if abs(length - device["window_ms"]) > max(0.01, 1e-4 * length):
        seen.problems.append(f"device {device['index']}: a window of {device['window_ms']:.3f} ms, exported as {length:.3f}")


@dataclass
class OfName:
    time_ns: int = 0
    longest_ns: int = 0  # one more or less at the edge of a window is no error

    def add(self, ns):
        self.time_ns += ns
        self.longest_ns = max(self.longest_ns, ns)


def check_kernels(seen, device, operations):
    sums = defaultdict(OfName)
    for one in operations:
        if one.kind == "kernel":
            sums[one.name].add(one.end_ns - one.start_ns)
    real = sorted(sums.items(), key=lambda one: -one[1].time_ns)
    said = {one["name"]: one for one in device["kernels"]["top"]}
    for mangled, kernel in real[:TOP]:
        name, time_ns = demangled(mangled), kernel.time_ns
        mine = said.get(name)
        if mine is None:
            seen.problems.append(f"device {device['index']}: kernel {name[:60]} is not among the top ones")
        elif abs(mine["time_ms"] - time_ns / 1e6) > max(TIME_BOUND * time_ns, kernel.longest_ns) / 1e6:
            seen.problems.append(f"device {device['index']}: {name[:60]} {mine['time_ms']:.2f} ms, in truth {time_ns / 1e6:.2f}")


def check_records(seen, index, operations, events, exported):
    """Each operation that begins in the windows is there, or the report says how many are not."""
    there = defaultdict(int)
    for event in events:
        there[event["args"].get("correlation", 0)] += 1
    wanted = defaultdict(int)
    for one in operations:
        wanted[one.correlation] += 1
    lost = sum(max(0, count - there[number]) for number, count in wanted.items())
    said = seen.report["trace"]["dropped"]
    if lost > said:
        seen.problems.append(f"device {index}: {lost} of {len(operations)} records are missing, {said} said to be dropped")
