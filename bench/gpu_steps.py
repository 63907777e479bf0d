"""Steps of fixed work on a GPU: what tools/gpu_trace.py runs plain, under flatout and traced.

Usage: gpu_steps.py launches|resnet50|gpt2|small [--steps 100] [--parts 5 | --seconds S] [--device cuda] [--profile FILE]

`launches` is a loop of one tiny kernel, 200 to a step, and trains nothing. Prints one line of JSON: the
mean ms of a step in each of --parts parts, after a warm-up. With --seconds, parts of some 50 ms for so
long, and when each began (`at_s`, seconds since 1970). With --profile, steps beyond those run under
torch.profiler, whose trace goes to FILE; what it saw is in the JSON.
"""

import argparse
import json
import time

import torch

WARMUP = 15
PART_MS = 50
PROFILED = 20
LAUNCHES = 200


class Numbers(torch.utils.data.Dataset):
    """Indices: the loader takes part in a step, and costs it next to nothing."""

    def __len__(self):
        return 10_000_000

    def __getitem__(self, index):
        return index


def launches(device):
    x = torch.zeros(16, device=device)

    def step():
        for _ in range(LAUNCHES):
            x.add_(1)

    return step


def trained(model, loss_of, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    batches = iter(torch.utils.data.DataLoader(Numbers(), batch_size=1))

    def step():
        next(batches)
        optimizer.zero_grad()
        with torch.autocast(device, torch.bfloat16):
            loss = loss_of(model)
        loss.backward()
        optimizer.step()

    return step


def resnet50(device):
    import torchvision

    pixels = torch.randn(64, 3, 224, 224, device=device)
    return trained(torchvision.models.resnet50().to(device), lambda model: model(pixels).float().square().mean(), device)


def gpt2(device):
    from transformers import GPT2Config, GPT2LMHeadModel

    tokens = torch.randint(0, 50_000, (8, 512), device=device)
    return trained(GPT2LMHeadModel(GPT2Config()).to(device), lambda model: model(input_ids=tokens, labels=tokens).loss, device)


def small(device):
    x = torch.randn(64, 64, device=device)
    layers = [part for _ in range(20) for part in (torch.nn.Linear(64, 64), torch.nn.ReLU())]
    return trained(torch.nn.Sequential(*layers).to(device), lambda model: model(x).square().mean(), device)


def timed(step, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count * 1e3


def timed_for(step, seconds):
    count = max(1, round(PART_MS / timed(step, WARMUP)))
    said = {"ms": [], "at_s": [], "steps_of_part": count}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        said["at_s"].append(time.time())
        said["ms"].append(timed(step, count))
    return said


def profiled(step, target):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for _ in range(PROFILED):
            step()
        torch.cuda.synchronize()
    profiler.export_chrome_trace(target)
    on_device = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return {"profiled_steps": PROFILED, "profiled_activities": len(on_device)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=("launches", "resnet50", "gpt2", "small"))
    parser.add_argument("--steps", type=int, default=100, help="of a part")
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--seconds", type=float, help="instead of parts of so many steps")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--profile", metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(0)
    step = globals()[options.work](options.device)
    timed(step, WARMUP)
    said = timed_for(step, options.seconds) if options.seconds else {"ms": [timed(step, options.steps) for _ in range(options.parts)]}
    if options.profile:
        said.update(profiled(step, options.profile))
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
