"""Programs under torch.profiler whose traces are held against the truth."""


PREAMBLE = """
import json
import os
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

FOLDER = sys.argv[1]
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def told(**what):
    print("TOLD " + json.dumps(what), flush=True)
    os._exit(0)


class Window:
    '''What was submitted between entry and exit; all has ended at the exit.'''

    def __enter__(self):
        self.begin = time.monotonic_ns()
        return self

    def __exit__(self, *error):
        for device in range(torch.cuda.device_count()):
            torch.cuda.synchronize(device)
        self.end = time.monotonic_ns()


def traced(name, run):
    with profile(activities=BOTH) as profiler, Window() as window:
        run()
    profiler.export_chrome_trace(FOLDER + "/" + name)
    return [window.begin, window.end]
"""


def within(truth, window):
    return [operation for operation in truth.operations if window[0] <= operation.enqueued_ns <= window[1]]
