"""Starts two of itself that train side by side, and notes how often each got SIGINT."""

import signal
import subprocess
import sys

if sys.argv[1:] == []:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children = [subprocess.Popen([sys.executable, __file__, str(number)]) for number in range(2)]
    sys.exit(max(child.wait() for child in children))

import time  # noqa: E402
from pathlib import Path  # noqa: E402

import torch  # noqa: E402

interrupts = []
signal.signal(signal.SIGINT, lambda *_: interrupts.append(time.monotonic()))
Path("ready.%s" % sys.argv[1]).touch()  # the import takes one of them longer than the other
while not all(Path("ready.%d" % number).exists() for number in range(2)):
    time.sleep(0.01)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(torch.rand(4000, 8), batch_size=4)
for x in loader:
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
    time.sleep(0.02 if sys.argv[1] == "0" else 0.03)  # one is behind
    if interrupts and time.monotonic() - interrupts[0] > 2:
        break
with open("interrupts.%s" % sys.argv[1], "w") as file:
    file.write(str(len(interrupts)))
