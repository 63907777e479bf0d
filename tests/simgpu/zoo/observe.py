"""Runs one program of the CUDA zoo under `flatout run` and holds the report against the truth of the same execution:
the program's own timers, and what the simulated device did at the same time. Phases and device busy are compared
over the same steps: those that the report calls steady, which are the last `steady_count`."""

import bisect
import importlib.util
import json
import statistics
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]

import harness  # noqa: E402
import machine  # noqa: E402
from cut import intervals_of, shares, steps_of  # noqa: E402
from truth import Truth  # noqa: E402

PHASE_BOUND = 0.02  # share of steady step time
BUSY_BOUND = 0.02
SUM_BOUND = 0.02  # phases_device, in which the device's idle time stands under data_wait, other, ...
OTHERS_BOUND = 0.05  # share of steady step time in which others use the device
COMMUNICATION_BOUND = 0.15  # of steady step time; by some of the first ten iterations, which are warm-up
GAIN_BOUND = 0.15  # of the measured gain
INTERVAL_BOUND = 0.05  # of the interval, and at least 50 ms
COMPILED = harness.ROOT / "build" / "simgpu" / "compiled"  # kept from run to run: compiling takes longer than any program
CACHES = {"TORCHINDUCTOR_CACHE_DIR": COMPILED / "inductor", "TRITON_CACHE_DIR": COMPILED / "triton", "TORCHINDUCTOR_COMPILE_THREADS": 1}
WARM_UP = 10  # steps, the least that design and report call warm-up

EXPECTED = {name: table for file in sorted(HERE.glob("expected*.toml")) for name, table in tomllib.loads(file.read_text()).items()}


@dataclass
class Observation:
    name: str
    report: dict
    steps: list = field(default_factory=list)  # of the truth
    true_phases: dict = field(default_factory=dict)
    said_phases: dict = field(default_factory=dict)
    true_busy: float | None = None
    said_busy: float | None = None
    device_sum: float | None = None
    others: list = field(default_factory=list)  # operations of a program beside it
    problems: list = field(default_factory=list)

    @property
    def expected(self):
        return EXPECTED[self.name]

    @property
    def worst_phase(self):
        names = set(self.true_phases) | set(self.said_phases)
        errors = {name: self.said_phases.get(name, 0) - self.true_phases.get(name, 0) for name in names}
        return max(errors.items(), key=lambda error: abs(error[1]), default=("none", 0.0))

    @property
    def false_alarms(self):
        """Findings above info of a program in which nothing is wrong."""
        loud = [one["id"] for one in self.report["findings"] if one["severity"] != "info"]
        return loud if self.expected.get("quiet") else []


def program(name):
    return HERE / "programs" / f"{name}.py"


def lacks(name):
    """What the program needs and is not installed, or None."""
    if "train_py" in EXPECTED[name] and (missing := of_checkout().lacks()):
        return missing
    there = (machine.BUILT / "site", harness.ROOT / "build" / "torchvision", harness.ROOT / "build" / "timm")
    missing = [
        module
        for module in EXPECTED[name].get("needs", [])
        if importlib.util.find_spec(module) is None and not any((folder / module).is_dir() for folder in there)
    ]
    return f"{', '.join(missing)} not installed here" if missing else None


def command(name):
    return [harness.PYTHON, program(name), *EXPECTED[name].get("arguments", [])]


def environment(name, scratch, scale, **extra):
    wanted = dict(EXPECTED[name].get("simulator", {}))
    more = {**wanted.pop("env", {}), "ZOO_MARKS": scratch / "marks.json", "ZOO_SCALE": scale, **extra}
    made = machine.Machine(scratch).environment(scratch, env={**CACHES, **more}, **wanted)
    if EXPECTED[name].get("torch") == "cpu":
        del made["PYTHONPATH"]  # the environment's own is without CUDA
    return made


@contextmanager
def beside(name, env, folder):
    """Somebody else's program on the same machine while ours runs, if any; flatout does not observe it. With a truth of its own."""
    stranger = EXPECTED[name].get("beside")
    if stranger is None:
        yield
        return
    own = {**env, "SIMGPU_TRUTH": str(folder / "truth_beside")}
    with subprocess.Popen([harness.PYTHON, HERE / "beside" / f"{stranger}.py"], env=own, stdout=subprocess.PIPE) as other:
        try:
            if other.stdout.readline() != b"computing\n":
                raise RuntimeError(f"{stranger} beside {name} did not start")
            yield
        finally:
            other.kill()


def observe(name, folder, scale=1.0):
    folder.mkdir(parents=True, exist_ok=True)
    env = environment(name, folder, scale)
    if "train_py" in EXPECTED[name]:
        return of_checkout().observe(name, folder, scale, env)
    with beside(name, env, folder):
        outcome = harness.run_observed(command(name), folder, env=env)
    said = f"{outcome.err.decode(errors='replace')[-2000:]}{outcome.said}"
    if outcome.code != EXPECTED[name].get("exit", 0) or outcome.report is None:
        raise RuntimeError(f"{name}: exit {outcome.code}, report {'present' if outcome.report else 'absent'}:\n{said}")
    seen = Observation(name, outcome.report)
    check_verdict(seen)
    marks = folder / ("marks.json" if "rank" not in seen.expected else f"marks.rank{seen.expected['rank']}.json")
    if marks.is_file():
        operations = operations_of(marks, folder)
        seen.steps = steps_of(marks, operations)
        seen.others = others_of(folder)
        _check_steps(seen, operations)
        for interval in seen.expected.get("intervals", []):
            _check_interval(seen, interval, intervals_of(marks))
    return seen


def of_checkout():
    import nanogpt  # which needs this module

    return nanogpt


def operations_of(marks, folder):
    """What the process that wrote these marks made its devices do."""
    pid = json.loads(marks.read_text())["facts"]["pid"]
    return Truth(folder / "truth").of(pid=pid)


def others_of(folder):
    return Truth(folder / "truth_beside").operations if (folder / "truth_beside").is_dir() else []


def observe_with_retry(name, folder, scale, say=print):
    """Once more after a miss, and said: where others use the machine, phases are noisy and the
    verdict may rightly be theirs; what is wrong misses twice."""
    seen = observe(name, folder / "first", scale)
    if seen.problems and "missed" not in seen.expected:
        say(f"{name}: retried once, the first run missed: {'; '.join(seen.problems)}")
        seen = observe(name, folder / "second", scale)
    return seen


def check_verdict(seen):
    verdict, wanted = seen.report["verdict"], seen.expected
    said = (verdict["finding"], verdict.get("cause", ""))
    if said != (wanted["finding"], wanted["cause"]):
        seen.problems.append(f"verdict {'/'.join(said)}, expected {wanted['finding']}/{wanted['cause']}")
    if seen.false_alarms:
        seen.problems.append(f"nothing is wrong, yet it finds {', '.join(seen.false_alarms)}")
    found = {(one["id"], one.get("cause", "")) for one in seen.report["findings"]}
    for also in wanted.get("also", []):
        if tuple((also + "/").split("/")[:2]) not in found:
            seen.problems.append(f"no finding {also}")
    evidence = {one["metric"]: one["value"] for finding in seen.report["findings"] for one in finding.get("evidence", [])}
    for metric, value in wanted.get("evidence", {}).items():
        if evidence.get(metric) != value:
            seen.problems.append(f"{metric} is {evidence.get(metric)}, in truth {value}")


def _check_steps(seen, operations):
    steps = seen.report.get("steps")
    if not steps:
        seen.problems.append("no steps in the report")
        return
    if steps["count"] != len(seen.steps):
        seen.problems.append(f"{steps['count']} steps, the program made {len(seen.steps)}")
    warm_up = steps["count"] - steps["steady_count"]
    if not WARM_UP <= warm_up <= steps["count"] // 2:
        seen.problems.append(f"warm-up of {warm_up} of {steps['count']} steps")
        return
    steady = seen.steps[-steps["steady_count"] :]
    seen.true_phases, seen.said_phases = shares(steady), steps["phases"]
    _check_phases(seen)
    _check_step_times(seen, steady)
    if seen.expected.get("torch") == "cpu":
        seen.true_busy = sum(seen.true_phases.get(name, 0.0) for name in ("forward", "backward", "optimizer"))
        check_busy(seen)
        return
    check_device(seen, steady, operations)
    if seen.others:
        check_others(seen, steady)
    if seen.expected.get("communicates"):
        check_communication(seen, steady, operations)


def _check_step_times(seen, steady):
    """Both against the mean: where the host runs ahead, most steps are as short as their launches."""
    times_ms = [step.own_ns / 1e6 for step in steady]
    bound = PHASE_BOUND * statistics.mean(times_ms)
    for name, of in (("mean", statistics.mean), ("median", statistics.median)):
        said = seen.report["steps"][f"{name}_ms"]
        if abs(said - of(times_ms)) > bound:
            seen.problems.append(f"{name} step {said:.2f} ms, in truth {of(times_ms):.2f}")


def _check_phases(seen):
    total = sum(seen.said_phases.values())
    if abs(total - 1) > 0.001:
        seen.problems.append(f"phases sum to {total:.4f}")
    for name in sorted(set(seen.true_phases) | set(seen.said_phases)):
        true, said = seen.true_phases.get(name, 0.0), seen.said_phases.get(name, 0.0)
        if abs(said - true) > PHASE_BOUND:
            seen.problems.append(f"{name} {said:.3f}, in truth {true:.3f}")


def check_device(seen, steady, operations):
    device = seen.expected.get("device", 0)
    kernels = [one for one in operations if one.kind == "kernel" and one.device == device]
    seen.true_busy = busy_share(kernels, steady)
    check_busy(seen)
    seen.device_sum = sum(seen.report["steps"].get("phases_device", {}).values())
    if abs(seen.device_sum - 1) > SUM_BOUND:
        seen.problems.append(f"phases_device sum to {seen.device_sum:.3f}")


def check_busy(seen):
    seen.said_busy = seen.report["steps"].get("device_busy")
    if seen.said_busy is None:
        seen.problems.append("device busy is absent")
    elif abs(seen.said_busy - seen.true_busy) > BUSY_BOUND:
        seen.problems.append(f"device busy {seen.said_busy:.3f}, in truth {seen.true_busy:.3f}")


def check_others(seen, steady):
    """What the driver says of others in whole percents."""
    said = seen.report["devices"][0].get("others", {}).get("utilization")
    true = busy_share([one for one in seen.others if one.kind == "kernel"], steady)
    if said is None or abs(said - true) > OTHERS_BOUND:
        seen.problems.append(f"others use the device {said}, in truth {true:.3f}")


def check_communication(seen, steady, operations):
    """DistributedDataParallel measures some of its iterations: all are taken to be like those."""
    kernels = [one for one in operations if one.kind == "kernel" and one.device == seen.expected.get("device", 0)]
    own = [one for one in kernels if "nccl" not in one.name.lower()]
    true = busy_share(kernels, steady) - busy_share(own, steady)
    said = seen.report["steps"].get("phases_device", {}).get("comm")
    if said is None or abs(said - true) > COMMUNICATION_BOUND:
        seen.problems.append(f"communication on the device {said}, in truth {true:.3f}")


def busy_share(operations, steps):
    busy = merged(operations)
    busy_ns = sum(overlap_ns(busy, *part) for step in steps for part in step.own)
    return busy_ns / sum(step.own_ns for step in steps)


def merged(operations):
    """Disjoint (begin, end), in order, in which any of them runs."""
    times = []
    for one in operations:  # in order of their start
        if times and one.start_ns <= times[-1][1]:
            times[-1] = (times[-1][0], max(times[-1][1], one.end_ns))
        else:
            times.append((one.start_ns, one.end_ns))
    return times


def overlap_ns(times, begin, end):
    total = 0
    for at, to in times[max(0, bisect.bisect_left(times, (begin,)) - 1) :]:
        if at >= end:
            break
        total += max(0, min(to, end) - max(at, begin))
    return total


def _check_interval(seen, name, true):
    wanted = true[name] + (true["epoch_end"] if name == "epoch_gap" else 0)
    said = seen.report["steps"].get("intervals", {}).get(f"{name}_s")
    if said is None or abs(said - wanted) > max(0.05, INTERVAL_BOUND * wanted):
        seen.problems.append(f"interval {name} {said}, in truth {wanted:.3f} s")


def predicted_gain(report):
    """(workers, speedup, interval) of the largest finding that has one, or None."""
    for finding in report["findings"]:
        for advice in finding.get("advice", []):
            if advice["knob"] == "dataloader.num_workers" and "predicted_speedup" in advice:
                return int(advice["to"]), advice["predicted_speedup"], tuple(advice["interval"])
    return None
