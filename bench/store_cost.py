"""What the store takes: bytes a point, size of a day, time to seal and to report.

Real runs: programs of the zoo under `flatout run`, with every source that this
machine has. Long runs: made up by long_run (bench/made_up_run.h), since nobody
wants to wait a day; the GPU in them follows traces of real programs where there
are any (bench/gpu_busy.py).

Usage: store_cost.py --long-run build/bench/bench/long_run [--quick]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sealed_size

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import harness  # noqa: E402

SCRATCH = "/var/tmp"  # on a disk, where homes are
PROGRAMS = harness.ROOT / "tests" / "zoo" / "programs"
# Of the zoo: 12 idle workers, 2 that compute, 1 that reads; ZOO_SCALE for about 20 s each.
REAL = {"many_light_workers": 2.2, "cpu_burn_2w": 1.6, "file_reads": 2.0}
DAY_S = 86_400
TEN_MILLION_S = 10_470  # of the made-up run, which has 956 points a second
DAY_DISK_BYTES = 3 << 30
DAY_REPORT_BYTES = 6 << 30  # of memory, free


def only_run(home):
    (folder,) = (home / "runs").iterdir()
    return folder


def long_run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"long_run {arguments[0]} gave exit {done.returncode}")
    return json.loads(done.stdout)


def real_run(name, scale, program, folder):
    """Records one program, then seals its log apart, so that it can be timed."""
    home = folder / name
    env = harness.environment(FLATOUT_HOME=home, FLATOUT_SEAL="off", ZOO_SCALE=scale)
    outcome = harness.run_observed([harness.PYTHON, PROGRAMS / f"{name}.py"], folder / "said", env=env)
    if outcome.code != 0:
        raise RuntimeError(f"{name} gave exit {outcome.code}: {outcome.err.decode()[-300:]}")
    run = only_run(home)
    log_bytes = (run / "log.flo").stat().st_size
    sealed = long_run(program, "seal", home, run.name, 3)
    seconds = outcome.report["run"]["duration_s"]
    return {"name": name, "seconds": seconds, "log_bytes": log_bytes, "seal": sealed, **sealed_size.measure(run)}


def timed(command, target):
    """(seconds, peak resident bytes) of a command that prints into a file. The
    kernel counts what this process had when it forked as the command's own, so
    nothing large may be loaded here."""
    start = time.monotonic()
    with open(target, "wb") as out:
        process = subprocess.Popen([str(c) for c in command], stdout=out, env=harness.environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[1]} gave exit {process.returncode}")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def report_cost(home, run, form, repetitions):
    target = home / "report"
    command = [harness.flatout_bin(), "report", run, "--home", home, "--format", form]
    seen = [timed(command, target) for _ in range(repetitions)]
    return {
        "wall_s": [one[0] for one in seen],
        "peak_bytes": max(one[1] for one in seen),
        "printed_bytes": target.stat().st_size,
    }


def busy_shares(target):
    """What long_run needs to know of real traces, and their names."""
    command = [sys.executable, Path(__file__).parent / "gpu_busy.py", target]
    names = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return ([target] if names else []), names


def made_up(program, home, seconds, busy, seals):
    recorded = long_run(program, "record", home, seconds, *busy)
    sealed = long_run(program, "seal", home, recorded["id"], seals)
    return {"hours": seconds / 3600, "seal": sealed, **recorded, **sealed_size.measure(only_run(home))}


def a_day(program, folder, busy, seconds):
    free = shutil.disk_usage(folder).free
    if free < DAY_DISK_BYTES:
        return {"problem": f"a day needs {DAY_DISK_BYTES >> 30} GiB in {SCRATCH}, and {free >> 30} are free"}
    home = folder / "day"
    measured = made_up(program, home, seconds, busy, seals=1)
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if memory > DAY_REPORT_BYTES:
        measured["report"] = report_cost(home, measured["id"], "text", 1)
    shutil.rmtree(home)
    return measured


def ten_million(program, folder, busy, seconds, repetitions):
    home = folder / "long"
    measured = made_up(program, home, seconds, busy, seals=repetitions)
    run = measured["id"]
    measured["reports"] = {form: report_cost(home, run, form, repetitions) for form in ("text", "html")}
    return measured


def measure(program, quick):
    part = 20 if quick else 1
    with tempfile.TemporaryDirectory(dir=SCRATCH) as name:
        folder = Path(name)
        busy, traces = busy_shares(folder / "busy.txt")
        chosen = dict(list(REAL.items())[:1]) if quick else REAL
        return {
            "traces": traces,
            "real": [real_run(n, s / (3 if quick else 1), program, folder) for n, s in chosen.items()],
            "day": a_day(program, folder, busy, DAY_S // part),
            "ten_million": ten_million(program, folder, busy, TEN_MILLION_S // part, 1 if quick else 3),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long-run", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the points, one repetition")
    args = parser.parse_args()
    print(json.dumps(measure(args.long_run, args.quick), indent=1))


if __name__ == "__main__":
    main()
