#!/usr/bin/env python3
"""What kernel tracing costs and shows on a GPU.

    gpu_trace.py --flatout ./flatout --out docs/benchmarks [--rounds 3] [--windows WORK...] [--costs WORK...] [--agreement WORK...]

First the cost of windows within one process, where the next process's being faster or slower does not come in: steps
in a window against those around it (cost_in_windows.py). Then runs bench/gpu_steps.py in turns as it is, under `flatout run`, with `--trace windows` and with `--trace kernels`, and
compares the time of a step. Then programs that end under torch.profiler: each once alone and once traced, whether the
profiler misses anything then, and whether flatout's figures of the device before agree with those of the profiler's own
trace of the steps after. Then a CUDA C++ program, where nvcc is installed. Writes gpu-trace-DATE.md.
"""

import argparse
import cost_in_windows
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "bench/gpu_steps.py"
CUDA_PROGRAM = ROOT / "examples/gpu/plain.cu"
STEPS = {"launches": 100, "small": 100, "resnet50": 30, "gpt2": 30}  # of one of five parts
WAYS = {"plain": None, "flatout run": [], "--trace windows": ["--trace", "windows"], "--trace kernels": ["--trace", "kernels"]}


def observed(command, way, options, scratch):
    """(standard output, report or None)."""
    report = scratch / "report.json"
    report.unlink(missing_ok=True)
    if WAYS[way] is not None:
        home = options.keep if options.keep else scratch / "home"
        command = [options.flatout, "run", "--quiet", "--home", home, "--json", report, *WAYS[way], "--", *command]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode} of {' '.join(map(str, command))}: {done.stderr[-800:]}")
    return done.stdout, json.loads(report.read_text()) if report.is_file() else None


def steps_of(work, way, options, scratch, *more):
    command = [sys.executable, WORK, work, "--steps", max(1, round(STEPS[work] * options.scale)), *more]
    output, report = observed(command, way, options, scratch)
    return json.loads(output.splitlines()[-1]), report


def traced_devices(report):
    return [device for device in (report or {}).get("devices", []) if device.get("idle_account")]


def costs(work, options, scratch):
    """Lines of one table: ms a step, and what each way adds to it."""
    rounds = {way: [] for way in WAYS}
    for _ in range(options.rounds):
        for way in WAYS:
            rounds[way].append(statistics.median(steps_of(work, way, options, scratch)[0]["ms"]))
            print(f"gpu_trace: {work}, {way}: {rounds[way][-1]:.4f} ms a step", flush=True)
    lines = [f"## {work}", "", "| way | ms a step, median of rounds (from, to) | over plain, median of rounds (from, to) |", "| --- | ---: | ---: |"]
    for way, values in rounds.items():
        ratios = [value / plain - 1 for value, plain in zip(values, rounds["plain"])]
        over = f"{statistics.median(ratios):+.2%} ({min(ratios):+.2%}, {max(ratios):+.2%})" if way != "plain" else ""
        lines.append(f"| {way} | {statistics.median(values):.4f} ({min(values):.4f}, {max(values):.4f}) | {over} |")
    if work == "launches":
        added = [(kernels - run) / 200 * 1e3 for kernels, run in zip(rounds["--trace kernels"], rounds["flatout run"])]
        lines += ["", f"A launch takes {statistics.median(added):.3f} µs longer traced ({min(added):.3f}, {max(added):.3f})."]
    return lines


def in_windows(work, options, scratch):
    """Lines on what the windows of one long run cost."""
    home = options.keep if options.keep else scratch / "home"
    report_file, exported = scratch / "windows.json", scratch / f"windows-{work}"
    program = [sys.executable, WORK, work, "--seconds", options.seconds]
    command = [options.flatout, "run", "--quiet", "--home", home, "--json", report_file, "--trace", "windows", "--", *program]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300 + options.seconds, check=True)
    parts = json.loads(done.stdout.splitlines()[-1])
    report = json.loads(report_file.read_text())
    subprocess.run([str(options.flatout), "export", report["run"]["id"], "--home", str(home), "--format", "perfetto", "--out", str(exported)], check=True, capture_output=True)
    (file,) = exported.glob("*.json")
    windows = cost_in_windows.windows_of(report, json.loads(file.read_text())["traceEvents"])
    return [f"## {work}, in windows", "", *cost_in_windows.lines(parts, windows)]


def share(value):
    return "absent" if value is None else f"{value:.2%}"


def agreement(work, options, scratch):
    """A program that ends under torch.profiler, alone and traced."""
    trace = scratch / "profiler.json.gz"
    alone, _ = steps_of(work, "plain", options, scratch, "--profile", trace)
    beside, report = steps_of(work, "--trace kernels", options, scratch, "--profile", trace)
    analyzed = subprocess.run([str(options.flatout), "analyze", str(trace), "--format", "json"], check=True, capture_output=True, text=True).stdout
    (theirs,) = traced_devices(json.loads(analyzed))
    ours = traced_devices(report)
    lines = [f"## {work}, and then torch.profiler", "",
             f"- activities that the profiler saw in {alone['profiled_steps']} steps: {alone['profiled_activities']} alone, "
             f"{beside['profiled_activities']} where flatout had traced before it"]
    if not ours:
        return [*lines, "- flatout reports no trace"], True
    lines += ["", "| figure | flatout, before | the profiler's trace, after |", "| --- | ---: | ---: |"]
    for name in ("busy", "compute", "copy_exposed", "idle"):
        lines.append(f"| {name} | {share(ours[0].get(name))} | {share(theirs.get(name))} |")
    for name in ("short_share", "tensor_core_share"):
        lines.append(f"| kernels: {name} | {share(ours[0]['kernels'].get(name))} | {share(theirs['kernels'].get(name))} |")
    tops = [", ".join(kernel["name"][:40] for kernel in device["kernels"]["top"][:3]) for device in (ours[0], theirs)]
    lines += ["", f"The longest kernels: {tops[0]}; in the profiler's trace {tops[1]}.",
              f"Idle account of flatout: {json.dumps(ours[0]['idle_account'])}; of the profiler's trace: {json.dumps(theirs['idle_account'])}."]
    return lines, alone["profiled_activities"] != beside["profiled_activities"]


def cuda_program(options, scratch):
    if shutil.which("nvcc") is None:
        return ["## A CUDA C++ program", "", "Not run: nvcc is not installed."], False
    program = scratch / "plain"
    subprocess.run(["nvcc", "-O2", "-o", str(program), str(CUDA_PROGRAM)], check=True)
    plain, _ = observed([program], "plain", options, scratch)
    output, report = observed([program], "--trace kernels", options, scratch)
    devices = traced_devices(report)
    lines = ["## A CUDA C++ program", "", f"Its output is {'the same' if output == plain else 'NOT THE SAME'} traced."]
    for device in devices:
        kernels = ", ".join(f"{kernel['name']} {kernel['count']} times" for kernel in device["kernels"]["top"])
        lines += ["", f"Busy {share(device['busy'])} of {device['window_ms']:.1f} ms; {device['kernels']['count']} kernels: {kernels}. "
                      f"Copies to the device: {device['copies']['h2d_bytes']} bytes. Idle account: {json.dumps(device['idle_account'])}."]
    return lines, not devices or output != plain


def machine():
    import torch

    smi = subprocess.run("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true", shell=True, capture_output=True, text=True).stdout
    return f"{os.cpu_count()} CPUs; {' / '.join(smi.split(chr(10))).strip(' /') or torch.cuda.get_device_name(0)}; torch {torch.__version__}, CUDA {torch.version.cuda}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flatout", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1, help="of the number of steps")
    parser.add_argument("--windows", nargs="*", choices=list(STEPS), default=list(STEPS))
    parser.add_argument("--seconds", type=float, default=30, help="of each run of --windows")
    parser.add_argument("--costs", nargs="*", choices=list(STEPS), default=list(STEPS))
    parser.add_argument("--agreement", nargs="*", choices=list(STEPS), default=["resnet50", "gpt2"])
    parser.add_argument("--only-python", action="store_true", help="leave the CUDA C++ program out")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder in which the recorded runs stay")
    options = parser.parse_args()
    options.flatout = options.flatout.resolve()
    parts = [(lambda work=work: (in_windows(work, options, scratch), False)) for work in options.windows]
    parts += [(lambda work=work: (costs(work, options, scratch), False)) for work in options.costs]
    parts += [(lambda work=work: agreement(work, options, scratch)) for work in options.agreement]
    if not options.only_python:
        parts.append(lambda: cuda_program(options, scratch))
    today = datetime.date.today().isoformat()
    page, failed = [f"# Kernel traces on a GPU, {today}", "", machine() + f". {options.rounds} rounds, in turns. Written by `tools/gpu_trace.py`.", ""], False
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"gpu-trace-{today}.md"
    with tempfile.TemporaryDirectory(prefix="flatout-gpu-") as folder:
        scratch = pathlib.Path(folder)
        for part in parts:
            try:
                lines, wrong = part()
            except (RuntimeError, KeyError, ValueError, OSError, subprocess.SubprocessError) as problem:
                lines, wrong = [f"Failed: {type(problem).__name__}: {problem}"], True
            failed = failed or wrong
            page += [*lines, ""]
            target.write_text("\n".join(page))
            print("\n".join(lines), flush=True)
    print(f"gpu_trace: {target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
