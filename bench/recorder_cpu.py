"""CPU that the recorder takes while a program trains, at 10 and at 100 Hz.

Measured from outside: user and system time of flatout's own process in
/proc/PID/stat, over seconds in which the program makes a step of about 10 ms. The
recorder's own figure (overhead.recorder_cpu_share) stands beside it.

Usage: recorder_cpu.py [--seconds 20] [--repetitions 3]
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


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def once(rate, rounds, seconds, folder):
    report = folder / "report.json"
    command = [harness.flatout_bin(), "run", "--rate", rate, "--json", report, "--report-to", folder / "said"]
    count = round((SETTLE_S + seconds) / 0.008)
    command += ["--", harness.PYTHON, PROGRAM, rounds, count, folder / "steps.json"]
    process = subprocess.Popen(
        [str(c) for c in command], env=harness.environment(FLATOUT_HOME=folder / "home")
    )
    time.sleep(SETTLE_S)
    before, start = cpu_s(process.pid), time.monotonic()
    time.sleep(seconds)
    used, length = cpu_s(process.pid) - before, time.monotonic() - start
    if process.wait(timeout=30 + 2 * (seconds + SETTLE_S)) != 0:
        raise RuntimeError(f"exit {process.returncode}")
    said = json.loads(report.read_text())
    if said["steps"]["count"] < seconds * 10:
        raise RuntimeError(f"{said['steps']['count']} steps: the program did not train meanwhile")
    return used / length, said["overhead"]["recorder_cpu_share"]


def measure(rounds, seconds, repetitions):
    rates = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        for rate in (10, 100):
            pairs = [once(rate, rounds, seconds, Path(name)) for _ in range(repetitions)]
            seen = [pair[0] for pair in pairs]
            rates[str(rate)] = {
                "cpu_share": statistics.median(seen),
                "least": min(seen),
                "most": max(seen),
                "own_figure": statistics.median(pair[1] for pair in pairs),
            }
    return {"seconds": seconds, "repetitions": repetitions, "rates_hz": rates}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=20_000, help="work of a step, see overhead.py")
    args = parser.parse_args()
    print(json.dumps(measure(args.rounds, args.seconds, args.repetitions), indent=1))


if __name__ == "__main__":
    main()
