"""300 short-lived children, while it trains: two thirds exec, one third only fork."""

import os
import subprocess

import eager  # noqa: F401
import torch

torch.set_num_threads(1)
model, loss_of = torch.nn.Linear(4, 1), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
codes = []
for number in range(300):
    if number % 3:
        codes.append(subprocess.run(["sh", "-c", f"exit {number % 5}"]).returncode)
    else:
        pid = os.fork()
        if pid == 0:
            model(torch.ones(1, 4)).sum().backward()  # events from a process that soon ends
            os._exit(number % 5)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    if number % 10 == 0:
        optimizer.zero_grad()
        loss_of(model(torch.ones(2, 4)), torch.ones(2, 1)).backward()
        optimizer.step()
print(len(codes), sum(codes))
