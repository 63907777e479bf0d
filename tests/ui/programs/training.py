"""A small training that logs through wandb's names, until a file is there: training.py STOP SAID

What a call of log() has taken is written into SAID, so that a test knows what must not get lost.
"""

import os
import sys
import time

import torch
import wandb
from torch.utils.data import DataLoader, TensorDataset

stop, said = sys.argv[1:3]
torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 16)
data = TensorDataset(x, x.sum(1, keepdim=True))
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
run = wandb.init(project="proof", name="trained", config={"lr": 0.01})
taken = os.open(said, os.O_WRONLY | os.O_CREAT, 0o600)
step = 0
while not os.path.exists(stop):
    for inputs, targets in DataLoader(data, batch_size=16, shuffle=True):
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        wandb.log({"train/loss": loss.item()}, step=step)
        step += 1
        os.pwrite(taken, b"%20d" % step, 0)
        time.sleep(0.02)
        if os.path.exists(stop):
            break
run.summary["steps"] = step
run.finish()
print("done")
