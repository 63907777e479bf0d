"""A trace with shapes as PyTorch's profiler records them, and FLOPs as torch.utils.flop_counter counts them.

Runs a small model forward and backward on the CPU, twice: under the profiler, whose ops then get a launch and a kernel each, as a GPU would
have them, and under the counter. Attention comes as ops written by hand, with the counter's formulas for their shapes.

Usage: flops_program.py OUT.json     (writes the trace; prints the FLOPs by class as JSON)
"""

import json
import sys
import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode, flop_registry

HEAVY = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::convolution", "aten::convolution_backward")
ATTENTION = [(2, 4, 96, 64), (2, 4, 128, 64), (2, 4, 128, 64)]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 5, stride=2, padding=1)
        self.wide = torch.nn.Conv2d(8, 16, 3, dilation=2, bias=False)
        self.up = torch.nn.ConvTranspose2d(16, 4, 3, stride=2)
        self.linear = torch.nn.Linear(21, 24)

    def forward(self, x):
        x = self.up(torch.relu(self.wide(self.conv(x))))
        x = self.linear(x[..., :21]).flatten(1, 2)
        return torch.baddbmm(torch.zeros(1, 1, 1), x, x.transpose(1, 2)) @ x


def run():
    torch.manual_seed(0)
    model, x = Model(), torch.randn(2, 3, 32, 32)
    model(x).sum().backward()


def profiled():
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        run()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        return json.loads(path.read_text())["traceEvents"]


def counted():
    with FlopCounterMode(display=False) as counter:
        run()
    by_op = {str(op): flops for op, flops in counter.get_flop_counts()["Global"].items()}
    conv = sum(flops for op, flops in by_op.items() if "convolution" in op)
    return {"gemm": sum(by_op.values()) - conv, "convolution": conv}


def attention(at, like):
    """Forward and backward, as flash attention's ops are recorded."""
    types = ["c10::Half"] * 3
    dims = [list(shape) for shape in ATTENTION]
    forward = {"Input Dims": [*dims, [], [], []], "Input type": [*types, "Scalar", "Scalar", "Scalar"], "Concrete Inputs": ["", "", "", "0.", "False", "False"]}
    gradient = dims[0]
    backward = {"Input Dims": [gradient, *dims, gradient, [2, 4, 96]], "Input type": ["c10::Half", *types, "c10::Half", "float"], "Concrete Inputs": [""] * 11 + ["False"]}
    name = "aten::_scaled_dot_product_flash_attention"
    flops = flop_registry[torch.ops.aten._scaled_dot_product_flash_attention](*ATTENTION, out_val=None)
    flops += flop_registry[torch.ops.aten._scaled_dot_product_flash_attention_backward](ATTENTION[0], *ATTENTION, out_val=None)
    return flops, [
        {"ph": "X", "cat": "cpu_op", "name": op, "pid": like["pid"], "tid": like["tid"], "ts": at + 20 * i, "dur": 10, "args": args}
        for i, (op, args) in enumerate([(name, forward), (name + "_backward", backward)])
    ]


def launched(op, number, at):
    """A kernel of 10 us after all others, launched in the middle of the op."""
    call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": op["pid"], "tid": op["tid"], "ts": op["ts"] + op["dur"] / 2, "dur": 0.001}
    kernel = {"ph": "X", "cat": "kernel", "name": "some_kernel", "pid": 0, "tid": 7, "ts": at, "dur": 10}
    return {**call, "args": {"correlation": number}}, {**kernel, "args": {"device": 0, "stream": 7, "correlation": number}}


def main(out):
    events = [event for event in profiled() if event.get("cat") == "cpu_op"]
    end = max(event["ts"] + event["dur"] for event in events)
    flops, by_hand = attention(end + 100, events[0])
    events += by_hand
    heavy = [event for event in events if event["name"] in HEAVY or event in by_hand]
    for number, op in enumerate(heavy, 1):
        events += launched(op, number, end + 1000 + 10 * number)
    properties = [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 80 << 30, "computeMajor": 8, "computeMinor": 0}]
    Path(out).write_text(json.dumps({"deviceProperties": properties, "traceEvents": events}))
    print(json.dumps(counted() | {"attention": flops}))


main(sys.argv[1])
