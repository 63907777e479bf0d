#!/usr/bin/env python3
"""`flatout tune` on a GPU: one naive script against itself, its tuned plan and a configuration tuned by hand.

    gpu_tune.py resnet50|gpt2 --flatout ./flatout --images FOLDER --budget 8m --out docs/benchmarks

Writes gpu-tune-MODEL-DATE.md: what tune printed, how long it took, and the three ways of the program run in
turns, each three times, with its rate and the share of time in which the GPU was busy.
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

ROUNDS = 3
STEPS = 150  # of a run of the comparison
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "examples/gpu"


def command(model, options):
    words = [sys.executable, str(PROGRAMS / f"{model}.py")]
    words += [str(options.images)] if model == "resnet50" else []
    words += ["--device", options.device]
    return words + (["--tiny"] if options.tiny and model == "gpt2" else [])


def tune(words, options, scratch):
    """(its output, flatout.tune/1 document, plan file or None)."""
    document, plan = scratch / "tune.json", scratch / "plan.toml"
    full = [options.flatout, "tune", "--home", scratch / "home", "--budget", options.budget, "--json", document, "--plan", plan, "--", *words]
    done = subprocess.run([str(word) for word in full], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"flatout tune gave exit {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout, json.loads(document.read_text()), plan if plan.exists() else None


def run_once(words, plan, options, scratch):
    """(samples a second, share of time in which the device was busy) of one run."""
    report = scratch / "report.json"
    report.unlink(missing_ok=True)
    planned = ["--plan", plan] if plan else []
    full = [options.flatout, "run", "--quiet", "--home", scratch / "home", "--json", report, "--stop-after", options.steps, *planned, "--", *words]
    subprocess.run([str(word) for word in full], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    steps = json.loads(report.read_text()).get("steps") or {}
    if not steps.get("samples_per_s"):
        raise RuntimeError(f"no steps were seen of: {' '.join(map(str, words))}")
    return steps["samples_per_s"], steps.get("device_busy")


def compare(words, plan, options, scratch):
    """way -> [(rate, busy), ...], in turns."""
    ways = {"as it is": (words, None), "tuned by flatout": (words, plan), "tuned by hand": ([*words, "--hand-tuned"], None)}
    if plan is None:
        del ways["tuned by flatout"]
    out = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, (its_words, its_plan) in ways.items():
            out[way].append(run_once(its_words, its_plan, options, scratch))
            print(f"gpu_tune: {way}: {out[way][-1][0]:.1f} samples/s", flush=True)
    return out


def table(measured):
    base = [rate for rate, _ in measured["as it is"]]
    lines = ["| | samples/s | over the program as it is | device busy |", "| --- | --- | --- | --- |"]
    for way, runs in measured.items():
        rates, busy = [rate for rate, _ in runs], [share for _, share in runs if share is not None]
        ratios = [rate / beside for rate, beside in zip(rates, base)]
        lines.append(f"| {way} | {statistics.median(rates):.0f} ({min(rates):.0f} to {max(rates):.0f}) | "
                     f"×{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | "
                     + (f"{statistics.median(busy):.1%} |" if busy else "not measured |"))
    return lines


def machine(device):
    import torch

    text = f"{os.cpu_count()} CPUs; torch {torch.__version__}"
    if device == "cuda":
        text += f", CUDA {torch.version.cuda}; " + subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
            check=True, capture_output=True, text=True).stdout.strip()
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=("resnet50", "gpt2"))
    parser.add_argument("--flatout", default="./flatout")
    parser.add_argument("--images", type=pathlib.Path, default=pathlib.Path("build/demo/images"))
    parser.add_argument("--budget", default="8m")
    parser.add_argument("--steps", type=int, default=STEPS, help="of a run of the comparison")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a small model, to try this program without a GPU")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("docs/benchmarks"))
    options = parser.parse_args()
    words = command(options.model, options)
    with tempfile.TemporaryDirectory(prefix="flatout-gpu-") as scratch:
        scratch = pathlib.Path(scratch)
        said, document, plan = tune(words, options, scratch)
        print(said)
        measured = compare(words, plan, options, scratch)
        kept = plan.read_text() if plan else "nothing was kept\n"
    today = datetime.date.today().isoformat()
    page = [f"# `flatout tune` on {options.model}, {today}", "", f"{machine(options.device)}. `--budget {options.budget}`, {document['seconds']:.0f} s in all.",
            "", "```", said.rstrip(), "```", "", f"All three ways, {ROUNDS} runs of {options.steps} steps each, in turns (median; least to most):", "",
            *table(measured), "", "The plan:", "", "```", kept.rstrip(), "```"]
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"gpu-tune-{options.model}-{today}.md"
    target.write_text("\n".join(page) + "\n")
    print(f"gpu_tune: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
