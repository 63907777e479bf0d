#!/usr/bin/env python3
"""What init() and log() of trackers cost, beside each other.

    bench/track.py [--rounds 7] [--calls 3000] [--out docs/benchmarks/track.md] [--only flatout,wandb]

Each round starts every tracker once, in turns and in an order of its own, each in a fresh process and folder: a process imports the tracker,
then times init(), `--calls` calls of log() with five floats (each call alone, then as many in one stretch), and finish(). The trackers come
from build/peers_track (bench/track_venv.sh). Medians over rounds, and quartiles.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from wrap_docs import wrap  # noqa: E402

PYTHON = ROOT / "build/peers_track/bin/python"

PROGRAMS = {
    "flatout": """
import flatout.track as t
def init(): return t.init(project="bench", config={"lr": 0.1})
def log(run, row, step): run.log(row)
def finish(run): run.finish()
""",
    "flatout, in flatout run": """
import flatout.track as t
def init(): return t.init(project="bench", config={"lr": 0.1})
def log(run, row, step): run.log(row)
def finish(run): run.finish()
""",
    "wandb, offline": """
import wandb as t
def init(): return t.init(project="bench", config={"lr": 0.1}, mode="offline")
def log(run, row, step): run.log(row)
def finish(run): run.finish()
""",
    "trackio": """
import trackio as t
def init(): return t.init(project="bench", config={"lr": 0.1})
def log(run, row, step): t.log(row)
def finish(run): t.finish()
""",
    "mlflow, SQLite": """
import mlflow as t
t.set_tracking_uri("sqlite:///mlflow.db")
t.set_experiment("bench")  # makes the data base, which is there in all runs but the first
def init():
    run = t.start_run()
    t.log_params({"lr": 0.1})
    return run
def log(run, row, step): t.log_metrics(row, step=step)
def finish(run): t.end_run()
""",
    "tensorboardX": """
from tensorboardX import SummaryWriter
def init(): return SummaryWriter("events")
def log(run, row, step):
    for name, value in row.items(): run.add_scalar(name, value, step)
def finish(run): run.close()
""",
    "aim": """
import aim as t
t.Repo.from_path(".", init=True)
def init():
    run = t.Run(repo=".", experiment="bench", system_tracking_interval=None)
    run["hparams"] = {"lr": 0.1}
    return run
def log(run, row, step):
    for name, value in row.items(): run.track(value, name=name, step=step)
def finish(run): run.close()
""",
    "neptune, offline": """
import neptune as t
def init():
    run = t.init_run(mode="offline", project="me/bench", capture_stdout=False, capture_stderr=False, capture_hardware_metrics=False)
    run["parameters"] = {"lr": 0.1}
    return run
def log(run, row, step):
    for name, value in row.items(): run[name].append(value, step=step)
def finish(run): run.stop()
""",
}

# How many calls of log() are timed, of trackers that would take minutes for them all.
FEWER = {"mlflow, SQLite": 10, "aim": 4}

MEASURE = """
import gc, json, sys, time
calls = int(sys.argv[1])
began = time.perf_counter(); exec(open(sys.argv[2]).read()); imported = time.perf_counter() - began
began = time.perf_counter(); run = init(); opened = time.perf_counter() - began
row = {"train/loss": 0.25, "train/acc": 0.5, "train/lr": 0.1, "train/grad_norm": 1.5, "train/tokens": 4096.0}
for step in range(20): log(run, row, step)
gc.disable()
each = []
for step in range(calls):
    row["train/loss"] = step * 0.5
    began = time.perf_counter_ns(); log(run, row, 20 + step); each.append(time.perf_counter_ns() - began)
    if step % 100 == 99: time.sleep(0.002)  # a training does something between
began = time.perf_counter()
for step in range(calls): log(run, row, 20 + calls + step)
stretch = time.perf_counter() - began
dropped = getattr(getattr(getattr(run, "_channel", None), "recording", None), "dropped", lambda: 0)()
began = time.perf_counter(); finish(run); finished = time.perf_counter() - began
each.sort()
with open(sys.argv[3], "w") as file:
    json.dump({"import_ms": imported * 1e3, "init_ms": opened * 1e3, "log_us": each[len(each) // 2] / 1e3, "log_p99_us": each[int(len(each) * 0.99)] / 1e3,
               "points_per_s": 5 * calls / stretch, "finish_ms": finished * 1e3, "dropped": dropped}, file)
"""


def once(name, calls):
    with tempfile.TemporaryDirectory(prefix="flatout-bench-track-") as folder:
        place = pathlib.Path(folder)
        (place / "program.py").write_text(PROGRAMS[name])
        (place / "measure.py").write_text(MEASURE)
        env = {key: value for key, value in os.environ.items() if not key.startswith(("FLATOUT_", "WANDB_"))}
        env.update(FLATOUT_HOME=f"{folder}/home", PYTHONPATH=str(ROOT / "python"), WANDB_SILENT="true", WANDB_MODE="offline", TRACKIO_DIR=folder,
                   HF_HUB_OFFLINE="1", FLATOUT_BIN=str(ROOT / "build/release/bin/flatout"))
        command = [PYTHON, "measure.py", str(calls // FEWER.get(name, 1)), "program.py", "out.json"]
        if name.endswith("flatout run"):
            command = [ROOT / "build/release/bin/flatout", "run", "--quiet", "--no-bench", "--", *command]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
        if not (place / "out.json").exists():
            raise SystemExit(f"{name}: {done.stderr[-2000:]}")
        return json.loads((place / "out.json").read_text())


def spread(rounds, key):
    values = sorted(one[key] for one in rounds)
    low, middle, high = (statistics.quantiles(values, n=4) if len(values) > 1 else values * 3)
    return middle, low, high


def shown(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(rounds, key):
    middle, low, high = spread(rounds, key)
    return f"{shown(middle)} ({shown(low)} to {shown(high)})"


def page(results, options):
    cpu = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "a CPU")
    versions = subprocess.run([PYTHON, "-m", "pip", "list", "--format", "json"], capture_output=True, text=True).stdout
    found = {one["name"].lower(): one["version"] for one in json.loads(versions)}
    named = ", ".join(f"{name} {found[name]}" for name in ("wandb", "trackio", "mlflow", "tensorboardx", "aim", "neptune") if name in found)
    lines = ["# Trackers: init and log", "", "Generated by `bench/track.py`; its head says how each figure is measured. Medians over rounds, with",
             "quartiles in parentheses; shorter and faster is better for all but points a second.", "",
             f"{datetime.date.today()}, {cpu}, {os.cpu_count()} CPUs (shared with other programs), Linux {platform.release()}, Python "
             f"{platform.python_version()}; {options.rounds} rounds of {options.calls} calls of `log()` with five floats. Load of the last minute: "
             f"{os.getloadavg()[0]:.1f}.", "", f"{named}; each writes to the local disk and nothing goes over a network.", "",
             "| tracker | init, ms | log, µs | log p99, µs | points/s | import, ms | finish, ms |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, rounds in results.items():
        lines.append(f"| {name} | " + " | ".join(cell(rounds, key) for key in ("init_ms", "log_us", "log_p99_us", "points_per_s", "import_ms", "finish_ms")) + " |")
    lost = sum(one["dropped"] for name, rounds in results.items() if name.startswith("flatout") for one in rounds)
    lines += ["", f"Of flatout's points, {lost} were dropped in all rounds together (the ring was full)."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if not options.only or any(name.startswith(one) for one in options.only.split(","))]
    results = {name: [] for name in names}
    order = random.Random(17)
    for at in range(options.rounds):
        for name in order.sample(names, len(names)):
            results[name].append(once(name, options.calls))
            print(f"round {at + 1}: {name}: {results[name][-1]}", file=sys.stderr)
    text = page(results, options)
    if options.out:
        options.out.write_text(wrap(text))
    print(text)


if __name__ == "__main__":
    main()
