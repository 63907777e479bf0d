"""CPU that the recorder takes while a program trains, at 10 and at 100 Hz.

With the sources of this machine, and with --nvml LIBRARY (the pretended driver of
src/collect/nvml/fake) also with all readings of a GPU, as if there was one.

Measured from outside: user and system time of flatout's own process in
/proc/PID/stat, over seconds in which the program makes a step of about 10 ms. The
recorder's own figure (overhead.recorder_cpu_share) stands beside it.

Usage: recorder_cpu.py [--seconds 15] [--repetitions 3] [--nvml LIBRARY]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import harness  # noqa: E402

PROGRAM = Path(__file__).resolve().parent / "fixed_step.py"
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
SETTLE_S = 6  # the program imports PyTorch and warms up
DEVICE = """
device NVIDIA H200
  uuid GPU-11111111
  set nvlinks 4
  square utilization 0.7 0.8 97 3
  square power 0.7 0.8 612345 123456
  square gpm_sm 0.7 0.8 91.23 1.07
  set gpm_tensor 33.37
"""


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def environment(folder, library):
    env = harness.environment(FLATOUT_HOME=folder / "home")
    if library:
        script = folder / "driver.txt"
        script.write_text(DEVICE)
        env.pop("CUDA_VISIBLE_DEVICES", None)
        env.update(FLATOUT_NVML_LIBRARY=str(library.resolve()), FAKE_NVML_SCRIPT=str(script))
    return env


def once(rate, rounds, seconds, folder, library):
    report = folder / "report.json"
    command = [harness.flatout_bin(), "run", "--rate", rate, "--json", report, "--report-to", folder / "said"]
    count = round((SETTLE_S + seconds) / 0.008)
    command += ["--", harness.PYTHON, PROGRAM, rounds, count, folder / "steps.json"]
    process = subprocess.Popen([str(c) for c in command], env=environment(folder, library))
    time.sleep(SETTLE_S)
    before, start = cpu_s(process.pid), time.monotonic()
    time.sleep(seconds)
    used, length = cpu_s(process.pid) - before, time.monotonic() - start
    if process.wait(timeout=30 + 2 * (seconds + SETTLE_S)) != 0:
        raise RuntimeError(f"exit {process.returncode}")
    said = json.loads(report.read_text())
    if said["steps"]["count"] < seconds * 10:
        raise RuntimeError(f"{said['steps']['count']} steps: the program did not train meanwhile")
    if library and not any(device["kind"] == "cuda" for device in said["devices"]):
        raise RuntimeError(f"{library} gave no device")
    return used / length, said["overhead"]["recorder_cpu_share"]


def measure(rounds, seconds, repetitions, library):
    cases = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        for device in (None, library) if library else (None,):
            for rate in (10, 100):
                pairs = [once(rate, rounds, seconds, Path(name), device) for _ in range(repetitions)]
                seen = [pair[0] for pair in pairs]
                case = {
                    "rate_hz": rate,
                    "device": device is not None,
                    "cpu_share": statistics.median(seen),
                    "least": min(seen),
                    "most": max(seen),
                    "own_figure": statistics.median(pair[1] for pair in pairs),
                }
                cases.append(case)
    return {"seconds": seconds, "repetitions": repetitions, "cases": cases}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=20_000, help="work of a step, see overhead.py")
    parser.add_argument("--nvml", type=Path, help="libfake_nvml.so")
    args = parser.parse_args()
    print(json.dumps(measure(args.rounds, args.seconds, args.repetitions, args.nvml), indent=1))


if __name__ == "__main__":
    main()
