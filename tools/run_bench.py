#!/usr/bin/env python3
"""Measure what flatout itself costs, and its loader beside others, and write docs/benchmarks.md and docs/benchmarks/.

    run_bench.py [--flatout PATH] [--out docs/benchmarks.md] [--data-out docs/benchmarks/dataloading.md]
                 [--only costs|data] [--quick]

The costs take about 20 minutes and 3 GB below /var/tmp, the loaders (data) as
long and 4 GB below build/. Wants a quiet machine: the load before the start
stands in the pages. Every figure in a page comes from the run that writes it; a
part that failed is named there with its error, and makes the exit status 1.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

from bench_cuda import cuda_section
from bench_data import measure_loaders
from bench_native import NATIVE, build, native_names, native_programs, native_section
from bench_store import store_section
from bench_verdict import verdict_of
from wrap_docs import wrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"

# What the design asks for.
OVERHEAD_BOUND = 0.005
EVENT_PYTHON_BOUND_NS = 3000
RECORDER_BOUND = 0.01


def script(name, *arguments):
    """The JSON that bench/NAME prints; its progress goes to the terminal."""
    print(f"{name} ...", flush=True)
    command = [sys.executable, BENCH / name, *arguments]
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"bench/{name} gave exit {done.returncode}")
    return json.loads(done.stdout)


def overhead_section(measured):
    lines = ["## Overhead on a step of fixed work", ""]
    between = measured["between"]
    lines += [
        f"A step of {between['plain_step_ms']:.2f} ms without flatout (of {between['pairs']} runs, least"
        f" {between['plain_step_ms_least']:.2f}, most {between['plain_step_ms_most']:.2f}),"
        f" {measured['steps']} steps a run. Median over pairs, 95 % interval.",
        "",
        f"| how | pairs | step is longer by | interval | under {OVERHEAD_BOUND:.1%} |",
        "| --- | ---: | ---: | --- | --- |",
    ]
    names = {"between": "two processes, with and without", "within": "one process, hooks in and out"}
    for key, name in names.items():
        one = measured[key]
        lo, mid, hi = (f"{(one[k] - 1) * 100:+.3f} %" for k in ("lo", "median", "hi"))
        met = verdict_of(one["lo"] - 1, one["hi"] - 1, OVERHEAD_BOUND)
        lines.append(f"| {name} | {one['pairs']} | {mid} | {lo} to {hi} | {met} |")
    return lines


def event_section(measured):
    lines = [
        "## Cost of a hook event from Python",
        "",
        f"What a hooked call takes longer, for each of the events it makes; {measured['pairs']} interleaved pairs of",
        f"processes, {measured['dropped']} events dropped.",
        "",
        f"| call | call without flatout | an event | least to most | under {EVENT_PYTHON_BOUND_NS / 1000:g} µs |",
        "| --- | ---: | ---: | --- | --- |",
    ]
    for name, case in measured["cases"].items():
        spread = f"{case['least_ns']:.0f} to {case['most_ns']:.0f} ns"
        met = verdict_of(case["least_ns"], case["most_ns"], EVENT_PYTHON_BOUND_NS)
        lines.append(f"| {name} | {case['plain_call_ns']:.0f} ns | {case['event_ns']:.0f} ns | {spread} | {met} |")
    return lines


def recorder_section(measured):
    runs = "one run" if measured["repetitions"] == 1 else f"median of {measured['repetitions']} runs"
    lines = [
        "## CPU of the recorder",
        "",
        f"Share of one core over {measured['seconds']:g} s, seen from outside; {runs}. With a GPU: all readings of one, of",
        "a pretended driver, whose calls take no time of their own. The aim is for 10 Hz.",
        "",
        "| rate | sources | share | least to most | its own figure | under 1 % |",
        "| ---: | --- | ---: | --- | ---: | --- |",
    ]
    for one in measured["cases"]:
        met = verdict_of(one["least"], one["most"], RECORDER_BOUND) if one["rate_hz"] == 10 else ""
        sources = "all of this machine" + (", and a GPU" if one["device"] else "")
        spread = f"{one['least']:.2%} to {one['most']:.2%}"
        lines.append(
            f"| {one['rate_hz']} Hz | {sources} | {one['cpu_share']:.2%} | {spread} | {one['own_figure']:.2%} | {met} |"
        )
    return lines


def machine(flatout, load):
    model = next(
        (li.split(":", 1)[1].strip() for li in open("/proc/cpuinfo") if li.startswith("model name")), platform.machine()
    )
    version = subprocess.run([flatout, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    torch = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return [
        f"- Machine: {model}, {len(os.sched_getaffinity(0))} CPUs, Linux {platform.release()}; load before the start {load:.2f}",
        f"- Date: {datetime.date.today().isoformat()}",
        f"- Versions: {version}, Python {platform.python_version()}, PyTorch {torch}",
    ]


def main():
    args = arguments()
    failed = costs(args) if args.only != "data" else []
    if args.only != "costs":
        try:
            measure_loaders(args.data_out, args.quick)
        except (RuntimeError, OSError, subprocess.SubprocessError) as problem:
            failed.append(f"loaders: {problem}")
    for one in failed:
        print(one)
    return 1 if failed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flatout", type=pathlib.Path, default=ROOT / "build/release/bin/flatout")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/benchmarks.md")
    parser.add_argument("--quick", action="store_true", help="few repetitions, to try the programs; not for the page")
    parser.add_argument("--data-out", type=pathlib.Path, default=ROOT / "docs/benchmarks/dataloading.md")
    parser.add_argument("--only", choices=["costs", "data"], help="one of the two; both without it")
    return parser.parse_args()


def costs(args):
    """Writes docs/benchmarks.md; what failed, in words."""
    os.environ["FLATOUT_BIN"] = str(args.flatout.resolve())
    load = os.getloadavg()[0]
    quick = args.quick
    try:
        build(*native_names(), "long_run", "fake_nvml")
    except (RuntimeError, OSError, subprocess.SubprocessError) as problem:
        return [f"costs: {problem}"]
    recorder = ["--nvml", NATIVE / "test" / "libfake_nvml.so", *(["--seconds", 4, "--repetitions", 1] if quick else [])]
    store = ["--long-run", NATIVE / "bench" / "long_run", *(["--quick"] if quick else [])]
    parts = [
        (overhead_section, lambda: script("overhead.py", *(["--pairs", 2, "--steps", 60] if quick else []))),
        (event_section, lambda: script("hook_cost.py", *(["--pairs", 1] if quick else []))),
        (cuda_section, lambda: script("cuda_cost.py", *(["--pairs", 1] if quick else []))),
        (recorder_section, lambda: script("recorder_cpu.py", *recorder)),
        (store_section, lambda: script("store_cost.py", *store)),
        (native_section, lambda: native_programs(quick)),
    ]
    lines = ["# Benchmarks", "", "Generated by `make bench`; do not edit.", "", *machine(args.flatout.resolve(), load), ""]
    failed = []
    for section, measure in parts:
        try:
            lines += [*section(measure()), ""]
        except (RuntimeError, OSError, subprocess.SubprocessError, KeyError, ValueError) as problem:
            failed.append(f"{section.__name__}: {problem}")
            lines += [f"Not measured: {failed[-1]}", ""]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(wrap("\n".join(lines).rstrip() + "\n"))
    print(f"wrote {args.out}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
