"""What sampling PyTorch's allocator costs: prints, as JSON and in nanoseconds, a sample of one device that is used, and what the
look at the clock adds to the end of a step in which none is due. Each the least of several rows, since others use the machine."""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "inject"))
from hooked import library  # noqa: E402
from native import NEXT, NUMBER, load_with_ring  # noqa: E402

import torch  # noqa: E402

ROWS, SAMPLES, STEPS = 25, 2000, 20000
sys.path.insert(0, str(library()))
native, _folder = load_with_ring()
sys.modules["hooks._native"] = native
from hooks.torch import allocator  # noqa: E402

held = torch.zeros(1 << 20, device="cuda")
drawn = iter(())
draw = native.span(lambda _iterator: None, NEXT)


def ns_of(times, call):
    begin = time.perf_counter_ns()
    for _ in range(times):
        call()
    return (time.perf_counter_ns() - begin) / times


def step():
    native.begin(NUMBER["optimizer"])
    native.end(NUMBER["optimizer"])
    draw(drawn)


step()
before = native.steps_closed()
unsampled = min(ns_of(STEPS, step) for _ in range(ROWS))
assert native.steps_closed() == before + ROWS * STEPS
allocator.install(native, torch)
# A row is shorter than the 200 ms between two samples, so that in most of them none is due.
sampled = min(ns_of(STEPS, step) for _ in range(ROWS))
nothing = min(ns_of(SAMPLES, native.steps_closed) for _ in range(ROWS))
sample = min(ns_of(SAMPLES, native.sample_allocator) for _ in range(ROWS)) - nothing
# A statistic by PyTorch's own function, which makes all of them: what a program pays that samples itself.
own = min(ns_of(SAMPLES // 10, torch.cuda.memory_stats) for _ in range(ROWS))
print(json.dumps({"sample": sample, "own": own, "step": sampled - unsampled, "step_in_all": sampled}))
