"""Trains; each step sends a line to a port of this machine: the worker that made the batch, and whether the optimizer is fused."""
import socket
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Slow(Dataset):
    def __len__(self):
        return 400_000

    def __getitem__(self, index):
        time.sleep(0.001)
        worker = get_worker_info()
        return torch.randn(64), torch.tensor(-1 if worker is None else worker.id)


torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(20)])
optimizer = torch.optim.AdamW(model.parameters())
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as settings:
    for inputs, workers in DataLoader(Slow(), batch_size=8, shuffle=True):
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
        settings.sendall(f"{workers.max().item()} {optimizer.param_groups[0]['fused']}\n".encode())
