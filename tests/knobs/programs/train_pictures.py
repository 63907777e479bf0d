"""A small training on torchvision's ImageFolder; argv[1] = JSON of choices. Prints, as one line
of JSON, what the program can see of it. Exit status 77 where torchvision is not installed."""

import json
import sys

import torch
import vision

try:
    torchvision = vision.load()
except ImportError:
    sys.exit(77)

from torchvision import transforms as T

FLOATS = (T.ToTensor(), T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
CHAINS = {
    "evaluation": T.Compose([T.Resize(20), T.CenterCrop(16), *FLOATS]),
    "training": T.Compose([T.RandomResizedCrop(16), T.RandomHorizontalFlip(), *FLOATS]),
    "elastic": T.Compose([T.ElasticTransform(sigma=1.0), T.RandomResizedCrop(16), *FLOATS]),
}


def loader_class(choices):
    if "flatout_torch" not in choices:
        return torch.utils.data.DataLoader
    sys.path.insert(0, choices["flatout_torch"])
    import flatout.torch

    return flatout.torch.DataLoader


def main(choices):
    torch.manual_seed(choices.get("seed", 3))
    dataset = torchvision.datasets.ImageFolder(choices["folder"], CHAINS[choices.get("chain", "training")])
    arguments = {"batch_size": 4, "shuffle": True, **choices.get("loader", {})}
    loader = loader_class(choices)(dataset, **arguments)
    held_out = torch.utils.data.DataLoader(dataset, batch_size=4)
    model = torch.nn.Linear(3 * 16 * 16, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses, labels, evaluated, iterators = [], [], [], []
    for _ in range(choices.get("epochs", 2)):
        model.train()
        batches = iter(loader)
        iterators.append(type(batches).__name__)
        for pictures, batch in batches:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(pictures.flatten(1)), batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item().hex())
            labels += batch.tolist()
        if choices.get("evaluate"):
            model.eval()
            evaluated += [type(iter(held_out)).__name__]
    print(json.dumps({
        "losses": losses,
        "labels": labels,
        "random": torch.rand(()).item().hex(),
        "iterators": iterators,
        "evaluated": evaluated,
        "loader": [loader.num_workers, len(loader), loader.batch_size, loader.dataset is dataset, type(loader.sampler).__name__],
        "modules": [name for name in sys.modules if "flatout" in name],
    }))  # fmt: skip


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
