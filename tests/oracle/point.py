"""One run of a program at one point of its grid."""

import contextlib
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import harness
from grid import WORKERS

sys.path.insert(0, str(harness.ROOT / "tests/capi"))
import build  # noqa: E402

sys.path.append(str(harness.ROOT / "tests/simgpu"))
import machine  # noqa: E402

STEPS_A_WORKER = 10  # five rounds of all workers are left when the first half is cut


@dataclass
class Measured:
    samples_per_s: float | None  # None = it failed or hung
    seconds: float  # of the whole run
    problem: str = ""
    applied: dict = field(default_factory=dict)  # knob -> whether it was set


def prepare(program, folder):
    """A copy of the program's folder, in which it is run; returned with its command."""
    source = harness.ROOT / program["folder"]
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    words = [str(word) for word in program["command"]]
    if words[0].endswith(".py"):
        words.insert(0, str(harness.PYTHON))
    elif "source" in program:
        words[0] = str(build.program(harness.ROOT / program["source"], folder))
    return words


def environment(program, home):
    # A compiled cache of Python would be a change of the folder that no program made.
    own = {"FLATOUT_HOME": home, "PYTHONDONTWRITEBYTECODE": 1, **program.get("env", {})}
    if "simulator" not in program:
        return harness.environment(**own)
    return machine.Machine(home.parent).environment(home.parent, env=own, **program["simulator"])


def run(program, words, cwd, scratch, point=None, plan=None, timeout=120):
    """The program at `point`, or under the plan file `plan`, or as it is."""
    scratch.mkdir(parents=True, exist_ok=True)
    home, report = scratch / "home", scratch / "report.json"
    shutil.rmtree(home, ignore_errors=True)
    report.unlink(missing_ok=True)
    env, words, knobs = environment(program, home), list(words), {}
    for knob, value in (point or {}).items():
        if knob.startswith("env:"):
            env[knob[4:]] = str(value)
        elif knob.startswith("arg:"):
            words.append(knob[4:].replace("{}", str(value)))
        else:
            knobs[knob] = value
    if knobs:
        plan = scratch / "point.toml"
        plan.write_text("[knobs]\n" + "".join(f"{knob} = {json.dumps(value)}\n" for knob, value in knobs.items()))
    workers = most_workers(point, plan)
    steps = max(program["steps"], STEPS_A_WORKER * workers)
    options = ["--plan", plan] if plan else []
    command = [harness.flatout_bin(), "run", "--quiet", "--json", report, *options, "--stop-after", steps + 1, "--", *words]
    began = time.monotonic()
    if not ends([str(word) for word in command], cwd, env, timeout):
        return Measured(None, time.monotonic() - began, f"hung: ended after {timeout} s")
    seconds = time.monotonic() - began
    if not report.exists():
        return Measured(None, seconds, "no report")
    said = json.loads(report.read_text())
    applied = {entry["knob"]: entry["applied"] for entry in said.get("plan", [])}
    rate, problem = rate_of(home, scratch / "tables", max(workers, 1), steps)
    return Measured(rate, seconds, problem, applied)


def ends(command, cwd, env, timeout):
    """False where it had to be killed: with all that it started, since what hangs would take memory from the next point."""
    started = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        started.wait(timeout)
        return True
    except subprocess.TimeoutExpired:
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def most_workers(point, plan):
    if point and WORKERS in point:
        return point[WORKERS]
    if plan:
        for line in Path(plan).read_text().splitlines():
            if line.replace('"', "").startswith(WORKERS + " = "):
                return int(line.split("=")[1])
    return 0


def rate_of(home, tables, workers, steps):
    """Samples a second over the second half of the run, in whole rounds of the workers; and what was wrong."""
    shutil.rmtree(tables, ignore_errors=True)
    done = subprocess.run([harness.flatout_bin(), "export", "latest", "--out", tables],
                          env=harness.environment(FLATOUT_HOME=home), capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    with open(tables / "steps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) < steps:
        return None, f"{len(rows)} of {steps} steps"
    rows = rows[:steps][steps // 2:]  # the last one is cut off where the run ends
    rows = rows[len(rows) % workers:]
    samples = sum(float(row["samples"] or 1) for row in rows)
    return samples / (sum(float(row["own_ms"]) for row in rows) / 1000), ""
