#!/usr/bin/env python3
"""The loading engine's way to a CUDA device, proved and measured on one: flatout.data's Loader.to("cuda").

    gpu_device.py --images FOLDER --steps 200 --out docs/benchmarks

First what must hold: batches have the CPU's bits in every type and layout, and a batch that is let go while kernels still read it is not
written over. Then a training of ResNet-50 (a small network where neither torchvision nor timm is installed) in turns, each three times: on
one batch that stays on the device, fed by .to("cuda"), and fed by .to("cpu") with a copy of torch's from pageable memory. Events around
each step show what the device computed and how much of the wall time that was; the engine's own events show the copies.
Writes gpu-data-DATE.md.
"""

import argparse
import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
ROUNDS = 3
BATCH = 64
WARMUP = 10  # steps that are not measured


def described(images, dtype="float32", layout="nchw"):
    from flatout import data

    out = data.images(images).shuffle(seed=0).random_resized_crop(224).flip().dtype(dtype, layout)
    return out if dtype == "uint8" else out.normalize(MEAN, STD)


def on_host(tensor):
    """As the CPU's batches have it: bfloat16 as the bits of uint16."""
    import torch

    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).cpu().numpy()


def check_bits(images):
    """Lines of what was compared; raises where a bit differs."""
    lines = []
    for dtype in ("float32", "float16", "bfloat16", "uint8"):
        for layout in ("nchw", "nhwc"):
            loader = described(images, dtype, layout).batch(BATCH).to("cuda", arrays="torch")
            batches = 0
            for (expected, labels), (got, got_labels), _ in zip(described(images, dtype, layout).batch(BATCH), loader, range(8)):
                if (expected != on_host(got)).any() or (labels != on_host(got_labels)).any():
                    raise RuntimeError(f"{dtype} {layout}: batch {batches} differs from the CPU's")
                batches += 1
            told = loader.stats()["h2d"]
            where = "on the device" if told["normalized"] else f"on the CPU ({told.get('why_not_normalized', 'bytes are wanted')})"
            lines.append(f"- {dtype} {layout}: {batches} batches equal, numbers made {where}")
    return lines


def check_reuse(images):
    """Each batch is summed behind kernels that take long, and let go before they have begun."""
    import torch

    square = torch.ones(8192, 8192, device="cuda")
    sums, expected = [], []
    for batch, labels in described(images).batch(BATCH).to("cuda", arrays="torch"):
        for _ in range(4):
            square @ square
        sums.append(batch.double().sum())
        del batch, labels
        if len(sums) == 24:
            break
    for pixels, _ in described(images).batch(BATCH):
        expected.append(torch.from_numpy(pixels).cuda().double().sum())  # by the same kernel, and now the host may wait
        if len(expected) == len(sums):
            break
    wrong = sum(one.item() != other.item() for one, other in zip(sums, expected))
    if wrong:
        raise RuntimeError(f"{wrong} of {len(sums)} batches were written over while kernels read them")
    return f"- {len(sums)} batches let go with kernels under way: none was written over"


def network():
    """(its name, the network)."""
    for module in ("torchvision", "timm"):
        try:
            if module == "torchvision":
                import torchvision
                return "ResNet-50", torchvision.models.resnet50()
            import timm
            return "ResNet-50", timm.create_model("resnet50")
        except ImportError:
            continue
    import torch
    layers = [torch.nn.Conv2d(3, 64, 7, 2), torch.nn.ReLU(), torch.nn.Conv2d(64, 256, 3, 2), torch.nn.ReLU(),
              torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(256, 1000)]
    return "a small network", torch.nn.Sequential(*layers)


def endless(loader):
    while True:
        yield from loader


def resident(images):
    import torch

    pixels, labels = next(iter(described(images).batch(BATCH)))
    batch = torch.from_numpy(pixels.copy()).cuda(), torch.from_numpy(labels).cuda()
    while True:
        yield batch


def pageable(images):
    import torch

    for pixels, labels in endless(described(images).batch(BATCH, drop_last=True)):
        yield torch.from_numpy(pixels).cuda(), torch.from_numpy(labels).cuda()


def measure(batches, net, steps):
    """(images a second, share of the wall time in which the device computed steps)."""
    import torch

    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    marks, begun = [], 0.0
    for step in range(WARMUP + steps):
        if step == WARMUP:
            torch.cuda.synchronize()
            begun = time.perf_counter()
        batch, labels = next(batches)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(net(batch), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        end.record()
        marks.append((begin, end))
    torch.cuda.synchronize()
    wall = time.perf_counter() - begun
    busy = sum(begin.elapsed_time(end) for begin, end in marks[WARMUP:]) / 1000
    return steps * BATCH / wall, busy / wall


def speed(images, steps):
    name, net = network()
    net = net.cuda().train()
    ways = {"one batch that stays": [], '.to("cuda")': [], "torch's copy, pageable": []}
    copies = []
    for _ in range(ROUNDS):
        ways["one batch that stays"].append(measure(resident(images), net, steps))
        loader = described(images).batch(BATCH, drop_last=True).to("cuda", arrays="torch")
        ways['.to("cuda")'].append(measure(endless(loader), net, steps))
        told = loader.stats()["h2d"]
        copies.append(f"{told['bytes'] / told['batches'] / 1e6:.1f} MB, {told['copy_ns'] / told['timed_batches'] / 1e6:.2f} ms on the device, "
                      f"the host waited {told['waits']} times for {told['wait_ns'] / 1e6:.1f} ms in all")
        ways["torch's copy, pageable"].append(measure(pageable(images), net, steps))
    lines = [f"{name}, batch {BATCH}, bfloat16 autocast, {steps} steps; median of {ROUNDS} (from, to).", "",
             "| batches | images/s | device in steps |", "| --- | --- | --- |"]
    for way, rounds in ways.items():
        rates, shares = zip(*rounds)
        lines.append(f"| {way} | {statistics.median(rates):.0f} ({min(rates):.0f}, {max(rates):.0f}) | "
                     f"{statistics.median(shares):.1%} ({min(shares):.1%}, {max(shares):.1%}) |")
    return [*lines, "", "A copy, in each of the rounds: " + "; ".join(copies) + "."]


def machine():
    import torch

    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,pcie.link.gen.current,pcie.link.width.current", "--format=csv,noheader"],
                         check=True, capture_output=True, text=True).stdout.strip()
    return f"{os.cpu_count()} CPUs; {smi}; torch {torch.__version__}, CUDA {torch.version.cuda}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    today = datetime.date.today().isoformat()
    page, failed = [f"# Batches to a GPU, {today}\n", machine() + ".\n"], False
    for title, part in (("The CPU's bits", lambda: check_bits(options.images)), ("Used again", lambda: [check_reuse(options.images)]),
                        ("Speed", lambda: speed(options.images, options.steps))):
        print(f"gpu_device: {title}", flush=True)
        try:
            lines = part()
        except RuntimeError as problem:  # flatout's errors, torch's, and what does not hold
            lines, failed = [f"Failed: {problem}"], True
        page.append("\n".join([f"## {title}", "", *lines]) + "\n")
        print(page[-1], flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"gpu-data-{today}.md"
    target.write_text("\n".join(page))
    print(f"gpu_device: {target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
