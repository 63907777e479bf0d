"""Trains, forks without exec, and both sides go on training."""

import os
import sys

import eager  # noqa: F401
import torch


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model(torch.ones(2, 4)), torch.ones(2, 1))
        loss.backward()
        optimizer.step()
    return loss.item().hex()


torch.set_num_threads(1)
torch.manual_seed(1)
model, loss_of = torch.nn.Linear(4, 1), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
train(10)
for child in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        print("child", child, train(20), flush=True)
        os._exit(child % 7)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
print("parent", train(30))
