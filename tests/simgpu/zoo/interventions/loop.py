"""A loop whose host is slow in one half of a step and far ahead in the other, with one thing that $ZOO_WITH adds.

Without it the host never stands, runs ahead over the long kernels, and the device does not idle. What it idles with it
is therefore what that thing costs, whoever says so. The first steps are warm-up.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish

STEPS = 40
SHORT, LONG = 400, 6  # kernels of a step

if __name__ == "__main__":
    marks = Marks()
    added = os.environ.get("ZOO_WITH", "")
    vector, matrix = torch.ones(256, device="cuda"), torch.ones(4096, 4096, device="cuda")
    host = torch.ones(1 << 20) if added == "pageable" else torch.ones(1 << 20).pin_memory()
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1, device="cuda"))], lr=0.1)
    optimizer.param_groups[0]["params"][0].grad = torch.ones(1, device="cuda")
    for _ in range(STEPS):
        with marks.span("copy" if added == "pageable" else "copy_async"):
            host.cuda(non_blocking=added != "pageable")
        with marks.span("forward"):
            for _ in range(SHORT):
                vector.add_(1)
        with marks.span("backward"):
            for _ in range(LONG):
                torch.mm(matrix, matrix)
        with marks.span("optimizer"):
            optimizer.step()
        if added == "item":
            with marks.span("wait"):
                vector[0].item()
        if added == "synchronize":
            with marks.span("wait"):
                torch.cuda.synchronize()
    finish(marks)
