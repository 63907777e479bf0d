"""Trainings of many kinds, one after the other; argv[1] = JSON {"parts": [...]}.

Prints of each part what a program can see of its batches and learning rates. "inside"
is the rate that the update itself finds, which a hook of the optimizer's own looks at."""

import json
import sys

import eager  # noqa: F401
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, SequentialSampler

LENGTH = 50


class Numbers(Dataset):
    def __init__(self, length=LENGTH):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.full((2,), index / LENGTH), index


class Stream(IterableDataset):
    def __iter__(self):
        return iter([(torch.full((2,), index / LENGTH), index) for index in range(LENGTH)])


class InHalves(BatchSampler):
    def __iter__(self):
        for batch in super().__iter__():
            yield batch[: len(batch) // 2 + 1]


kept = []


def loader_of(kind, arguments):
    data = Numbers()
    if kind == "stream":
        return DataLoader(Stream(), batch_size=4, **arguments)
    if kind == "own sampler":
        return DataLoader(data, batch_sampler=InHalves(SequentialSampler(data), 4, False))
    if kind == "torch's sampler":
        return DataLoader(data, batch_sampler=BatchSampler(SequentialSampler(data), 4, True))
    if kind == "unbatched":
        return DataLoader(data, batch_size=None)
    if kind == "small":
        return DataLoader(Numbers(10), batch_size=4, shuffle=True)
    return DataLoader(data, **{"batch_size": 4, **arguments})


class OwnStep(torch.optim.Adam):
    def step(self, closure=None):
        return super().step(closure)


OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.5),
    "groups": lambda p: torch.optim.SGD([{"params": [p[0]]}, {"params": [p[1]], "lr": 0.01}], lr=0.1),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.1),
    "tensor": lambda p: torch.optim.Adam(p, lr=torch.tensor(0.1)),
    "inside": lambda p: OwnStep(p, lr=0.1),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
}


def train(part):
    torch.manual_seed(3)
    loader = loader_of(part.get("loader", ""), part.get("arguments", {}))
    if part.get("keep"):
        kept.append(loader)
    model = torch.nn.Linear(2, 1)
    optimizer = OPTIMIZERS[part.get("optimizer", "SGD")](list(model.parameters()))
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    scaler = torch.amp.GradScaler("cpu", enabled=part.get("scaler", False))
    seen = {"inside": [], "outside": [], "closure": [], "shapes": [], "samples": [], "lengths": []}
    if not isinstance(loader.dataset, IterableDataset) and loader.batch_sampler is not None:
        seen["lengths"].append(len(loader))

    def rates():
        return [float(group["lr"]) for group in optimizer.param_groups]

    optimizer.register_step_pre_hook(lambda *_: seen["inside"].append(rates()))
    tensor = optimizer.param_groups[0]["lr"]
    for epoch in range(part.get("epochs", 1)):
        for x, index in loader:
            index = torch.as_tensor(index).reshape(-1)
            seen["shapes"].append(len(index))
            seen["samples"] += index.tolist()

            def closure():
                seen["closure"].append(rates())
                optimizer.zero_grad()
                loss = model(x.reshape(-1, 2)).square().mean()
                scaler.scale(loss).backward()
                if part.get("raises") == len(seen["shapes"]):
                    raise ArithmeticError("in the closure")
                return loss

            try:
                if part.get("closure") == "keyword":
                    optimizer.step(closure=closure)
                elif part.get("closure"):
                    optimizer.step(closure)
                else:
                    closure()
                    scaler.step(optimizer)
                    scaler.update()
            except ArithmeticError:
                pass
            seen["outside"].append(rates())
            schedule.step()
    if seen["lengths"]:
        seen["lengths"].append(len(loader))
    seen["state"] = [float(group["lr"]) for group in optimizer.state_dict()["param_groups"]]
    seen["same_tensor"] = optimizer.param_groups[0]["lr"] is tensor
    seen["drop_last"] = loader.drop_last
    seen["batch_size"] = loader.batch_size
    seen["updates"] = len(seen["inside"])
    seen["weight"] = model.weight.sum().item()
    return seen


def evaluate():
    """Shuffled, so that it is taken for a training loader until it is drawn from."""
    model = torch.nn.Linear(2, 1).eval()
    loader = DataLoader(Numbers(), batch_size=4, shuffle=True)
    shapes = []
    with torch.no_grad():
        for x, _ in loader:
            model(x)
            shapes.append(len(x))
    return {"shapes": shapes, "batch_size": loader.batch_size, "length": len(loader)}


if __name__ == "__main__":
    said = []
    for part in json.loads(sys.argv[1])["parts"]:
        said.append(evaluate() if part.get("evaluate") else train(part))
    print(json.dumps(said))
