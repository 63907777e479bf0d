#!/usr/bin/env python3
"""The programs of the CUDA zoo on a real GPU, beside what a simulated one gave.

    gpu_zoo.py --flatout ./flatout --out docs/benchmarks [--only NAME...]

Each program of tests/simgpu/zoo runs once under `flatout run`, on whatever device PyTorch finds. The simulator's truth
is not there, so phases are held against the program's own timers alone, which cannot divide a copy from the wait in
front of it: h2d, sync and other are compared as one. The verdicts were chosen for simulated devices of a chosen speed:
a different one is no failure here, and both are shown.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/simgpu/zoo")]

from cut import shares, steps_of  # noqa: E402
from observe import EXPECTED, lacks, program  # noqa: E402

AS_ONE = ("h2d", "sync", "other")
NEED_THE_SIMULATOR = ("throttled_power", "throttled_heat", "oom_retried", "oom_dies", "cpu_only_torch", "shared_device", "nanogpt", "nanogpt_compiled")


def device_count():
    import torch

    return torch.cuda.device_count()


def needed_devices(name):
    return EXPECTED[name].get("simulator", {}).get("devices", 1)


def run(name, options, scratch):
    report, marks = scratch / "report.json", scratch / "marks.json"
    command = [options.flatout, "run", "--quiet", "--home", scratch / "home", "--json", report, "--", sys.executable, program(name)]
    command += EXPECTED[name].get("arguments", [])
    done = subprocess.run([str(word) for word in command], env={**os.environ, "ZOO_MARKS": str(marks), "ZOO_SCALE": "1"},
                          capture_output=True, text=True, timeout=600)
    if done.returncode != EXPECTED[name].get("exit", 0) or not report.is_file():
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise RuntimeError(f"exit status {done.returncode}: {last}")
    return json.loads(report.read_text()), steps_of(marks, []) if marks.is_file() else []


def joined(phases):
    """With what the timers cannot divide as one."""
    kept = {name: share for name, share in phases.items() if name not in AS_ONE}
    return {**kept, "copies, waits and other": sum(phases.get(name, 0.0) for name in AS_ONE)}


def row(name, report, steps):
    verdict, said = report["verdict"], report.get("steps") or {}
    words = " / ".join(filter(None, [verdict["finding"], verdict.get("cause", "")]))
    expected = " / ".join(filter(None, [EXPECTED[name]["finding"], EXPECTED[name]["cause"]]))
    worst = "absent"
    if said.get("phases") and steps:
        true, seen = joined(shares(steps[-said["steady_count"]:])), joined(said["phases"])
        phase = max(true.keys() | seen.keys(), key=lambda one: abs(seen.get(one, 0) - true.get(one, 0)))
        worst = f"{100 * (seen.get(phase, 0) - true.get(phase, 0)):+.2f} ({phase})"
    busy = said.get("device_busy")
    device_sum = sum(said["phases_device"].values()) if said.get("phases_device") else None
    figures = [f"{said.get('count', 0)} / {len(steps)}", worst, "absent" if busy is None else f"{busy:.1%}",
               "absent" if device_sum is None else f"{device_sum:.3f}"]
    return f"| {' | '.join([name, words, expected, *figures])} |"


def page(rows, problems):
    import torch

    smi = subprocess.run("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true", shell=True, capture_output=True, text=True)
    return "\n".join([
        f"# The CUDA zoo on a GPU, {datetime.date.today().isoformat()}", "",
        f"{os.cpu_count()} CPUs; {' / '.join(smi.stdout.split(chr(10))).strip(' /') or torch.cuda.get_device_name(0)}; torch {torch.__version__}.",
        "Written by `tools/gpu_zoo.py`; the same programs on simulated devices stand in [accuracy.md](../accuracy.md).", "",
        "| program | verdict here | on the simulated device | steps, said / true | worst phase, points | device busy | phases_device sum |",
        "| --- | --- | --- | --- | ---: | ---: | ---: |", *rows, "", *problems]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flatout", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", choices=list(EXPECTED), default=list(EXPECTED))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for each program's marks, report and recorded run")
    options = parser.parse_args()
    options.flatout = options.flatout.resolve()
    rows, problems, failed = [], [], False
    for name in options.only:
        missing = lacks(name) or ("it needs a simulated device or more than one program" if name in NEED_THE_SIMULATOR else None)
        if needed_devices(name) > device_count():
            missing = f"it needs {needed_devices(name)} devices"
        if missing:
            problems.append(f"- `{name}` was left out: {missing}")
            continue
        print(f"gpu_zoo: {name}", flush=True)
        try:
            with tempfile.TemporaryDirectory(prefix="flatout-zoo-") as scratch:
                scratch = options.keep / name if options.keep else pathlib.Path(scratch)
                scratch.mkdir(parents=True, exist_ok=True)
                rows.append(row(name, *run(name, options, scratch)))
        except (RuntimeError, KeyError, subprocess.TimeoutExpired) as problem:
            problems.append(f"- `{name}` failed: {problem}")
            failed = True
    target = options.out / f"gpu-zoo-{datetime.date.today().isoformat()}.md"
    options.out.mkdir(parents=True, exist_ok=True)
    target.write_text(page(rows, problems))
    print(f"gpu_zoo: {target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
