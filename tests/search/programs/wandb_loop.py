"""A loop that logs by wandb and marks its steps by libflatout: its loss is known from its argument."""

import ctypes
import sys
import time

import wandb

marks = ctypes.CDLL(sys.argv[1])
rate = float(sys.argv[2].split("=")[1])
run = wandb.init(project="searched", id="fixed", resume="allow", config={"lr": rate})
for step in range(1000):
    time.sleep(0.001)
    wandb.log({"loss": abs(rate - 3) + 1 / (step + 1), "text": "a"})
    marks.flatout_step_end(ctypes.c_uint64(1))
run.finish()
