"""Runs one program of the zoo and holds the report against the truth.

Truth and observation come from the same execution, so the noise of a busy
machine is in both. Phases are compared over the same steps: those that the
report calls steady, which are the last `steady_count`.
"""

import importlib.util
import json
import statistics
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ZOO = Path(__file__).resolve().parent
sys.path.insert(0, str(ZOO.parent))
import harness  # noqa: E402

PHASE_BOUND = 0.02  # share of steady step time
GAIN_BOUND = 0.15  # of the measured gain
INTERVAL_BOUND = 0.05  # of the interval, and at least 50 ms
WARM_UP = 10  # steps, the least that design and report call warm-up

EXPECTED = tomllib.loads((ZOO / "expected.toml").read_text())


@dataclass
class Observation:
    name: str
    report: dict
    truth: dict
    true_phases: dict = field(default_factory=dict)
    said_phases: dict = field(default_factory=dict)
    phase_problems: list = field(default_factory=list)
    problems: list = field(default_factory=list)  # of verdict, steps, intervals

    @property
    def healthy(self):
        return EXPECTED[self.name].get("quiet", False)

    @property
    def false_alarms(self):
        """Findings above info of a program in which nothing is wrong."""
        loud = [f["id"] for f in self.report["findings"] if f["severity"] != "info"]
        return loud if self.healthy else []

    @property
    def worst_phase(self):
        names = set(self.true_phases) | set(self.said_phases)
        errors = {n: self.said_phases.get(n, 0) - self.true_phases.get(n, 0) for n in names}
        return max(errors.items(), key=lambda e: abs(e[1]), default=("none", 0.0))


def program(name) -> Path:
    return ZOO / "programs" / f"{name}.py"


def command(name) -> list:
    """That runs it, also where torchvision's compiled part does not fit the torch that is there."""
    before = [harness.ROOT / "tests/knobs/programs/with_torchvision.py"] if EXPECTED[name].get("torchvision") else []
    return [harness.PYTHON, *before, program(name)]


def lacks(name):
    """What the program needs and is not installed, or None."""
    there = (harness.ROOT / "build/torchvision").is_dir() or importlib.util.find_spec("torchvision")
    return "torchvision is not installed here" if EXPECTED[name].get("torchvision") and not there else None


def observe(name, folder: Path, scale=1.0) -> Observation:
    folder.mkdir(parents=True, exist_ok=True)
    truth_file = folder / "truth.json"
    truth_file.unlink(missing_ok=True)
    outcome = harness.run_observed(
        command(name),
        folder,
        env=harness.environment(ZOO_TRUTH=truth_file, ZOO_SCALE=scale),
    )
    if outcome.code != 0 or outcome.report is None:
        raise RuntimeError(
            f"{name}: exit {outcome.code}, report {'present' if outcome.report else 'absent'}:\n"
            f"{outcome.err.decode(errors='replace')[-2000:]}{outcome.said}"
        )
    seen = Observation(name, outcome.report, json.loads(truth_file.read_text()))
    _check_verdict(seen, EXPECTED[name])
    _check_steps(seen)
    for interval in EXPECTED[name].get("intervals", []):
        _check_interval(seen, interval)
    return seen


def shares(steps):
    total = sum(step["s"] for step in steps)
    names = {name for step in steps for name in step["phases"]}
    return {n: sum(step["phases"].get(n, 0.0) for step in steps) / total for n in names}


def _check_verdict(seen, expected):
    verdict = seen.report["verdict"]
    said = (verdict["finding"], verdict.get("cause", ""))
    wanted = (expected["finding"], expected["cause"])
    if said != wanted:
        seen.problems.append(f"verdict {'/'.join(said)}, expected {'/'.join(wanted)}")
    if seen.false_alarms:
        seen.problems.append(f"nothing is wrong, yet it finds {', '.join(seen.false_alarms)}")
    if "advice_line" in expected:
        _check_advice_line(seen, expected["advice_line"])


def _check_advice_line(seen, text):
    source = program(seen.name).read_text().splitlines()
    (line,) = [i for i, code in enumerate(source, 1) if text in code]
    advice = workers_advice(seen.report)
    at = advice.get("at", "") if advice else ""
    if Path(at).name != f"{seen.name}.py:{line}":
        seen.problems.append(f"advice points at '{at}', expected {seen.name}.py:{line}")


def _check_steps(seen):
    steps, truth = seen.report.get("steps"), seen.truth["steps"]
    if not steps:
        seen.problems.append("no steps in the report")
        return
    if steps["count"] != len(truth):
        seen.problems.append(f"{steps['count']} steps, the program made {len(truth)}")
    warm_up = steps["count"] - steps["steady_count"]
    if not WARM_UP <= warm_up <= steps["count"] // 2:
        seen.problems.append(f"warm-up of {warm_up} of {steps['count']} steps")
        return
    steady = truth[-steps["steady_count"] :]
    seen.true_phases, seen.said_phases = shares(steady), steps["phases"]
    total = sum(seen.said_phases.values())
    if abs(total - 1) > 0.001:
        seen.problems.append(f"phases sum to {total:.4f}")
    for name in sorted(set(seen.true_phases) | set(seen.said_phases)):
        true, said = seen.true_phases.get(name, 0.0), seen.said_phases.get(name)
        if said is None and true > PHASE_BOUND:
            seen.problems.append(f"phase {name} is absent, in truth {true:.3f}")
        elif said is not None and abs(said - true) > PHASE_BOUND:
            seen.phase_problems.append(f"{name} {said:.3f}, in truth {true:.3f}")
    median = statistics.median(step["s"] for step in steady) * 1e3
    if abs(steps["median_ms"] / median - 1) > PHASE_BOUND:
        seen.phase_problems.append(f"median step {steps['median_ms']:.2f} ms, in truth {median:.2f}")


def _check_interval(seen, name):
    true = seen.truth["intervals"][name]
    said = seen.report["steps"].get("intervals", {}).get(f"{name}_s")
    if said is None or abs(said - true) > max(0.05, INTERVAL_BOUND * true):
        seen.problems.append(f"interval {name} {said}, in truth {true:.3f} s")


def workers_advice(report):
    """The first advice on num_workers, of the largest finding that has one."""
    for finding in report["findings"]:
        for advice in finding.get("advice", []):
            if advice["knob"] == "dataloader.num_workers":
                return advice
    return None


@dataclass
class Gain:
    workers: int
    predicted: float
    interval: tuple
    measured: float
    spread: tuple  # least and largest of the repetitions

    @property
    def error(self):
        return self.predicted / self.measured - 1


def predicted_gain(report):
    """(workers, speedup, interval), or None when the report predicts none."""
    advice = workers_advice(report)
    if not advice or "predicted_speedup" not in advice:
        return None
    return int(advice["to"]), advice["predicted_speedup"], tuple(advice["interval"])


def measure_gain(name, report, folder: Path, scale=1.0, repetitions=3) -> Gain:
    """Runs the program plain, as it is and as advised, interleaved and in alternating order: what the first of two
    runs leaves behind (caches, clocks) meets both alike. Both are as long as the run that predicted: a gain holds what
    an epoch's begin costs, and so depends on the epoch's length."""
    to, predicted, interval = predicted_gain(report)
    arms = {"as it is": None, "advised": to}
    ratios = []
    for number in range(repetitions):
        step_s = {arm: _clock_step_s(name, folder, scale, arms[arm]) for arm in (arms if number % 2 == 0 else reversed(arms))}
        ratios.append(step_s["as it is"] / step_s["advised"])
    return Gain(to, predicted, interval, statistics.median(ratios), (min(ratios), max(ratios)))


def observed_gain(name, folder: Path, scale, rounds) -> Gain:
    """Predicted and measured in turn, the median of each: where others use the machine, the run that
    predicts is slowed as well as those that are measured."""
    gains = []
    for number in range(rounds):
        seen = observe(name, folder / str(number), scale)
        gains.append(measure_gain(name, seen.report, folder, scale, repetitions=1))
    middle = sorted(gains, key=lambda gain: gain.predicted)[rounds // 2]
    measured = [gain.measured for gain in gains]
    return Gain(middle.workers, middle.predicted, middle.interval, statistics.median(measured), (min(measured), max(measured)))


def _clock_step_s(name, folder, scale, workers):
    """Time by the clock for each step: steps, and what lies between epochs and before the first. PyTorch's first calls
    are no part of a rate, so the warm-up's steps compute for as long as the others do; they wait as long as they did."""
    truth_file = folder / "gain.json"
    truth_file.unlink(missing_ok=True)
    extra = {} if workers is None else {"ZOO_WORKERS": workers}
    env = harness.environment(ZOO_TRUTH=truth_file, ZOO_SCALE=scale, **extra)
    outcome = harness.run_plain(command(name), env=env)
    if outcome.code != 0:
        raise RuntimeError(f"{name}: exit {outcome.code}: {outcome.err.decode()[-2000:]}")
    truth = json.loads(truth_file.read_text())
    waits = [step["phases"].get("data_wait", 0.0) for step in truth["steps"]]
    computes = [step["s"] - wait for step, wait in zip(truth["steps"], waits)][WARM_UP:]
    beside = truth["facts"].get("first_build_s", 0.0) + sum(truth["intervals"].values())
    return (sum(waits) + beside) / len(waits) + statistics.mean(computes)


def observe_with_retry(name, folder: Path, scale, say=print) -> Observation:
    """Once more after a miss, and said. Where others use the machine, phases are noisy and the
    verdict may rightly be theirs (contention, slow hand-over); what is wrong misses twice."""
    seen = observe(name, folder / "first", scale)
    if missed := seen.problems + seen.phase_problems:
        say(f"{name}: retried once, the first run missed: {'; '.join(missed)}")
        seen = observe(name, folder / "second", scale)
    return seen
