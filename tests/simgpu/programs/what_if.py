"""Steps of fetching, copying, computing and waiting; `--without` takes one of them away and leaves all other work."""

import argparse
import os
import time

import torch

arguments = argparse.ArgumentParser()
arguments.add_argument("--without", default="nothing", choices=["nothing", "data", "copy", "sync", "gemm", "elementwise"])
arguments.add_argument("--shape", default="serial", choices=["serial", "overlapped"])
arguments.add_argument("--steps", type=int, default=60)
options = arguments.parse_args()
WARM_UP = 20


class Batches(torch.utils.data.Dataset):
    def __len__(self):
        return WARM_UP + options.steps

    def __getitem__(self, index):
        if options.without != "data":
            time.sleep(0.004)
        return samples


samples = torch.ones(256, 4096)
on_device = samples.cuda()
# Work of no size keeps its launches.
wide = 16 if options.without == "gemm" else 2048
x = torch.ones(wide, wide, device="cuda")
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
few = torch.ones(8, 8, device="cuda")
large = torch.ones(1 if options.without == "elementwise" else 1 << 26, device="cuda")


def step(batch):
    given = on_device if options.without == "copy" else batch.to("cuda", non_blocking=options.shape == "overlapped")
    given.add_(1)
    for _ in range(4):
        x @ x
        large.mul_(1)
    if options.shape == "serial" and options.without != "sync":
        large[0].item()
    time.sleep(0.002)  # the host's own work
    model(few).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


loader = torch.utils.data.DataLoader(Batches(), batch_size=None, pin_memory=options.shape == "overlapped")
for number, batch in enumerate(loader):
    if number == WARM_UP:
        torch.cuda.synchronize()
        begin = time.perf_counter()
    step(batch)
torch.cuda.synchronize()
print("TOOK_MS %.3f" % ((time.perf_counter() - begin) / options.steps * 1e3), flush=True)
os._exit(0)  # a thread of autograd that lets go of a tensor while the interpreter ends would abort it
