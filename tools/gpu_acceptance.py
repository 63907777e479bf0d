#!/usr/bin/env python3
"""The runs of gpu_acceptance.sh, and the page about them.

Overhead compares the images a second that the program itself prints, plain and
under `flatout run` in turn, so that drift of the machine hits both.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from wrap_docs import wrap


def training_command(program, workers, options):
    if program == "resnet50":
        script = ["examples/train_resnet50.py", str(options.images), "--batch-size", "64"]
    else:
        # Its --steps is of an epoch, and the pictures last for fewer than that.
        script = ["examples/train_images.py", str(options.images), "--batch-size", "64", "--epochs", "5"]
    return [sys.executable, *script, "--workers", str(workers), "--device", "cuda", "--steps", str(options.steps)]


def images_per_second(output):
    """The last rate that the program printed; None if it printed none."""
    rates = [line.split()[-2] for line in output.splitlines() if line.endswith("images/s")]
    return float(rates[-1]) if rates else None


def run_once(command, scratch, flatout):
    """(rate, report or None) of one execution."""
    report = pathlib.Path(scratch) / "report.json"
    report.unlink(missing_ok=True)
    full = [flatout, "run", "--home", scratch, "--json", str(report), "--", *command] if flatout else command
    done = subprocess.run(full, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} of: {' '.join(full)}")
    return images_per_second(done.stdout), json.loads(report.read_text()) if report.is_file() else None


def measure(program, workers, options):
    command = training_command(program, workers, options)
    plain, observed, report = [], [], None
    with tempfile.TemporaryDirectory(prefix="flatout-gpu-") as scratch:
        for _ in range(options.repetitions):
            plain.append(run_once(command, scratch, None)[0])
            rate, report = run_once(command, scratch, options.flatout)
            observed.append(rate)
    if None in plain + observed:
        raise RuntimeError(f"{program} printed no images/s")
    return plain, observed, report


def section(program, workers, plain, observed, report):
    costs = [p / o - 1 for p, o in zip(plain, observed)]
    verdict, steps = report["verdict"], report.get("steps", {})
    lines = [f"## {program}, {workers} workers", "", f"- verdict: {verdict['finding']} {verdict.get('cause', '')}: {verdict['summary']}"]
    for name in ("phases", "phases_device"):
        shares = steps.get(name)
        text = ", ".join(f"{k} {v:.1%}" for k, v in shares.items()) if shares else "absent"
        lines.append(f"- {name}: {text}")
    lines.append(f"- images/s plain: {', '.join(f'{rate:.0f}' for rate in plain)}; under flatout: {', '.join(f'{rate:.0f}' for rate in observed)}")
    lines.append(f"- overhead: median {statistics.median(costs):+.2%}, from {min(costs):+.2%} to {max(costs):+.2%}")
    return "\n".join(lines) + "\n"


def machine():
    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
                         check=True, capture_output=True, text=True).stdout.strip()
    import torch

    return f"{os.uname().nodename}, {os.cpu_count()} CPUs; {smi}; torch {torch.__version__}, CUDA {torch.version.cuda}"


def resnet_source():
    for module in ("timm", "torchvision"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return module
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flatout", required=True)
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--repetitions", type=int, default=3, help="runs each way")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    today = datetime.date.today().isoformat()
    page = [f"# On a GPU, {today}\n", f"{machine()}. {options.steps} steps, batch 64, {options.repetitions} runs each way, in turn.\n"]
    programs, failed = ["small_cnn"], False
    if resnet_source():
        programs.append("resnet50")
    else:
        page.append("ResNet-50 was not run: neither timm nor torchvision is installed.\n")
        print("gpu_acceptance: neither timm nor torchvision is installed, so no ResNet-50 (pip install timm)", file=sys.stderr)
        failed = True
    for program in programs:
        for workers in (0, 8):
            print(f"gpu_acceptance: {program}, {workers} workers", flush=True)
            try:
                page.append(section(program, workers, *measure(program, workers, options)))
            except (RuntimeError, KeyError, TypeError) as problem:
                page.append(f"## {program}, {workers} workers\n\nFailed: {problem}\n")
                failed = True
            print(page[-1])
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"gpu-{today}.md"
    target.write_text(wrap("\n".join(page)))
    print(f"gpu_acceptance: {target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
