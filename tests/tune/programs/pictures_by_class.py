"""A training script as people write them: pictures in a folder a class, augmented, a
validation and a checkpoint after each epoch, and no seed.

--reseed makes each process random on purpose. With --harm a knob spoils the samples: under
a plan (that is, in a trial of a knob) they come unshuffled, again, or half of them never."""

import argparse
import os
import sys
import time
import types

parser = argparse.ArgumentParser()
parser.add_argument("vision")
parser.add_argument("data")
parser.add_argument("--epochs", type=int, default=90)
parser.add_argument("--batch-size", type=int, default=4)
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--lr", type=float, default=0.001)
parser.add_argument("--reseed", action="store_true")
parser.add_argument("--harm", choices=["unshuffled", "again", "dropped"])
args = parser.parse_args()

sys.path.insert(0, args.vision)
import eager  # noqa: E402, F401
import torch  # noqa: E402
import vision  # noqa: E402

sys.modules["torch._dynamo.utils"] = types.ModuleType("torch._dynamo.utils")  # torchvision's operators ask for it
sys.modules["torch._dynamo.utils"].is_compile_supported = lambda device: False
torchvision = vision.load()
T = torchvision.transforms


class Spoilt(torch.utils.data.Sampler):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __iter__(self):
        order = torch.randperm(self.length).tolist()
        if args.harm == "unshuffled":
            order = list(range(self.length))
        elif args.harm == "again":
            order = [order[number // 2] for number in range(self.length)]
        else:
            half = self.length // 2
            order = [number % half for number in order]
        return iter(order)


def loaders():
    picture = [T.ToTensor(), T.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])]
    train = torchvision.datasets.ImageFolder(args.data, T.Compose([T.RandomResizedCrop(32), T.RandomHorizontalFlip(), *picture]))
    held_out = torchvision.datasets.ImageFolder(args.data, T.Compose([T.Resize(40), T.CenterCrop(32), *picture]))
    spoilt = Spoilt(len(train)) if args.harm and "dataloader" in os.environ.get("FLATOUT_PLAN", "") else None
    return (
        torch.utils.data.DataLoader(
            train, batch_size=args.batch_size, shuffle=spoilt is None, sampler=spoilt, num_workers=args.workers, pin_memory=False
        ),
        torch.utils.data.DataLoader(torch.utils.data.Subset(held_out, range(4)), batch_size=args.batch_size),
    )


def train_epoch(loader, model, criterion, optimizer):
    model.train()
    for pictures, labels in loader:
        loss = criterion(model(pictures), labels)
        end = time.thread_time() + 0.004
        while time.thread_time() < end:  # stands for a larger model
            pass
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def validate(loader, model):
    model.eval()
    right = 0
    with torch.no_grad():
        for pictures, labels in loader:
            right += int((model(pictures).argmax(1) == labels).sum())
    return right / len(loader.dataset)


def save_checkpoint(epoch, model, best):
    torch.save({"epoch": epoch, "state": model.state_dict(), "best": best}, "checkpoint.pth.tar")


def main():
    if args.reseed:
        torch.seed()
    torch.set_num_threads(1)
    loader, held_out = loaders()
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 2))
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9)
    best = 0.0
    for epoch in range(args.epochs):
        train_epoch(loader, model, torch.nn.functional.cross_entropy, optimizer)
        best = max(best, validate(held_out, model))
        save_checkpoint(epoch, model, best)


if __name__ == "__main__":
    main()
