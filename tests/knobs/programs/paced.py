"""A small training whose steps are shorter by a known factor while its optimizer is fused.

    paced.py GAIN
"""

import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
GAIN = float(sys.argv[1])
STEP_S = 0.02

model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(64, 256)
while True:
    wanted = STEP_S / (GAIN if optimizer.param_groups[0]["fused"] else 1)
    began = time.thread_time()
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
    while time.thread_time() - began < wanted:  # computes, as a training does: others take from it
        sum(range(50))
