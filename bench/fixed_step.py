"""Trains in steps of fixed work and writes the length of each one.

fixed_step.py ROUNDS STEPS OUT [TOGGLE]

Fixed work, not fixed time: the same loop iterations and matrix products every
step, so that whatever else runs in the process makes a step longer. With
TOGGLE (under flatout only) the hooks are taken out and put back every TOGGLE
steps; the file then says for each step whether they were in.
"""

import json
import sys
import time

rounds, steps, target = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
toggle = int(sys.argv[4]) if len(sys.argv) > 4 else 0
if toggle:
    import hook_switch

    recorder = hook_switch.Recorder()

import torch  # noqa: E402


def work(count):
    value = 0
    for i in range(count):
        value = (value * 31 + i) & 0xFFFF
    return value


class Work(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        work(rounds)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        work(2 * rounds)
        return grad.clone()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            *[m for _ in range(8) for m in (torch.nn.Linear(64, 64), torch.nn.ReLU())]
        )

    def forward(self, x):
        return Work.apply(self.layers(x))


class Rows(torch.utils.data.Dataset):
    def __init__(self, count):
        self.row, self.count = torch.ones(64), count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.row


torch.manual_seed(1)
torch.set_num_threads(1)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
loader = torch.utils.data.DataLoader(Rows(32 * (steps + 21)), batch_size=32)
switch, on = None, True
times, hooked = [], []
last = None
for step, x in enumerate(loader):
    now = time.perf_counter()
    if step > 20:
        times.append(now - last)
        hooked.append(on)
    if toggle and step >= 20:
        switch = switch or hook_switch.Switch(recorder)
        on = (step - 20) // toggle % 2 == 0
        switch.set(on)
    last = time.perf_counter()
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
with open(target, "w") as out:
    json.dump({"step_s": times, "hooked": hooked}, out)
