"""Trains for some epochs over a set whose samples are fixed, and prints each loss, then the states of all random streams.

    continued.py JSON    {"workers", "persistent", "generator", "sampler": "random|weighted|drawing|batches", "epochs", "steps", "error_at"}
"""

import hashlib
import json
import random
import sys

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, Dataset, Sampler, WeightedRandomSampler

choices = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)
BATCH = 8
samples = BATCH * choices.get("steps", 60) + 3


class Numbers(Dataset):
    def __len__(self):
        return samples

    def __getitem__(self, index):
        if index == choices.get("error_at"):
            raise KeyError(index)
        return {"x": torch.sin(torch.arange(16.0) * index), "y": index % 4, "index": index}


class Drawing(Sampler):
    """Draws from the program's own stream as it goes."""

    def __len__(self):
        return samples

    def __iter__(self):
        for _ in range(samples):
            yield random.randrange(samples)


class Batches(Sampler):
    def __len__(self):
        return samples // BATCH

    def __iter__(self):
        order = torch.randperm(samples).tolist()
        for begin in range(0, samples - BATCH + 1, BATCH):
            yield order[begin : begin + BATCH]


def loader():
    workers = choices.get("workers", 0)
    options = {"num_workers": workers, "persistent_workers": bool(choices.get("persistent"))}
    if choices.get("generator"):
        options["generator"] = torch.Generator().manual_seed(7)
    kind = choices.get("sampler", "random")
    if kind == "batches":
        return DataLoader(Numbers(), batch_sampler=Batches(), **options)
    sampler = {"random": lambda: None, "weighted": lambda: WeightedRandomSampler(torch.arange(1.0, samples + 1), samples), "drawing": Drawing}[kind]()
    return DataLoader(Numbers(), batch_size=BATCH, shuffle=sampler is None, sampler=sampler, **options)


model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
batches = loader()
for epoch in range(choices.get("epochs", 3)):
    for batch in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(batch["x"]), batch["y"])
        loss.backward()
        optimizer.step()
        print(json.dumps([epoch, loss.item(), batch["index"].tolist(), random.random()]), flush=True)
weights = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
states = torch.get_rng_state().numpy().tobytes() + repr(random.getstate()).encode() + weights
print(json.dumps(hashlib.sha256(states).hexdigest()), flush=True)
