"""Programs that measure simulated kernels, and what their times should be.

A program starts with PREAMBLE and ends with told(...), which prints one JSON object and ends the process.
"""

import json

COMPUTE_EFFICIENCY = 0.6  # of core/cost.h
MEMORY_EFFICIENCY = 0.8
H100_FLOPS = {"f64": 67e12, "f32": 67e12, "tf32": 494.7e12, "bf16": 989.4e12, "f16": 989.4e12}
H100_BYTES_PER_S = 3.35e12
H100_FLOOR_MS = 1.5e-3

PREAMBLE = """
import json
import os
import time

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def device_ms(run, times=3):
    '''Mean device time of one call, queued behind work, so that the device never waits for the host.'''
    run()
    busy = torch.empty(8192, 8192, device="cuda", dtype=torch.float16)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    for _ in range(5):
        torch.mm(busy, busy)
    begin.record()
    for _ in range(times):
        run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def told(**what):
    # Ends at once: a thread of autograd that still lets go of its Python objects while the interpreter ends is
    # ended by Python 3.11 through PyTorch's noexcept functions, and the process aborts, with a real device, too.
    print("TOLD " + json.dumps(what), flush=True)
    os._exit(0)
"""


def told(result):
    assert result.status == 0, result.output
    return json.loads(result.output.split("TOLD ")[-1].splitlines()[0])


def h100_ms(flops, dtype, moved_bytes=0):
    """The cost of one kernel on the H100 of the table."""
    computing = flops / (H100_FLOPS[dtype] * COMPUTE_EFFICIENCY)
    moving = moved_bytes / (H100_BYTES_PER_S * MEMORY_EFFICIENCY)
    return H100_FLOOR_MS + 1e3 * max(computing, moving)
