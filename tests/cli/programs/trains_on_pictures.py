"""Trains on a folder of pictures, with what its last words say: argv[1] = the folder, argv[2] = a file for what it was given, argv[3] = its
kind: "same" each time, "random", or "own", a Dataset of its own as public reports have it. argv[4] = the folder of vision.py."""

import pathlib
import random
import sys

sys.path.insert(0, sys.argv[4])
import torch
from PIL import Image, ImageEnhance
from torch.utils.data import DataLoader, Dataset

SIDE = 32


class Pets(Dataset):
    def __init__(self, root):
        self.classes = sorted(path.name for path in pathlib.Path(root).iterdir())
        self.items = [(str(path), label) for label, name in enumerate(self.classes) for path in sorted(pathlib.Path(root, name).iterdir())]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        path, label = self.items[index]
        picture = Image.open(path).convert("RGB").resize((SIDE, SIDE), Image.BILINEAR)
        picture = ImageEnhance.Brightness(picture.rotate(random.uniform(-15, 15))).enhance(random.uniform(0.7, 1.3))
        pixels = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8).reshape(SIDE, SIDE, 3).permute(2, 0, 1)
        return (pixels / 255 - 0.5) / 0.25, label


def dataset(folder, kind):
    if kind == "own":
        return Pets(folder)
    import vision

    torchvision = vision.load()
    T = torchvision.transforms
    steps = [T.RandomResizedCrop(SIDE), T.RandomHorizontalFlip()] if kind == "random" else [T.Resize(SIDE + 8), T.CenterCrop(SIDE)]
    return torchvision.datasets.ImageFolder(folder, T.Compose([*steps, T.ToTensor(), T.Normalize([0.5, 0.4, 0.3], [0.25, 0.2, 0.3])]))


def main():
    torch.manual_seed(3)
    random.seed(3)
    torch.set_num_threads(1)
    loader = DataLoader(dataset(sys.argv[1], sys.argv[3]), batch_size=5, shuffle=True, drop_last=True, num_workers=0)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * SIDE * SIDE, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    given = []
    while len(given) < 60:
        for pictures, classes in loader:
            loss = torch.nn.functional.cross_entropy(model(pictures), classes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            given.append((pictures, classes))
    torch.save(given, sys.argv[2])


if __name__ == "__main__":
    main()
