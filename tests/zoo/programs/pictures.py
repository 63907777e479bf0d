"""JPEG files of torchvision's ImageFolder, decoded and augmented in the training process: some 40 ms a batch, 10 ms to compute it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os
import random
import tempfile

import torch
from PIL import Image
from torchvision import datasets, transforms
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8
FILES = 48
SIZE = (640, 480)


def write(folder):
    """Coarse noise, enlarged: no JPEG block is flat. The same files each time."""
    rng = random.Random(0)
    for number in range(FILES):
        coarse = Image.frombytes("RGB", (80, 60), rng.randbytes(80 * 60 * 3))
        path = Path(folder, "ab"[number % 2], "%02d.jpg" % number)
        path.parent.mkdir(exist_ok=True)
        coarse.resize(SIZE, Image.Resampling.BICUBIC).save(path, quality=92)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        write(folder)
        truth = Truth()
        model, squared, optimizer = training(0.0035, 0.0065, features=3 * 8 * 8)
        model = torch.nn.Sequential(torch.nn.AvgPool2d(8), torch.nn.Flatten(), model)
        dataset = datasets.ImageFolder(folder, transforms.Compose([
            transforms.RandomResizedCrop(64),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ]))
        loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, shuffle=True, num_workers=workers(0))
        for _ in range(-(-steps(120) // len(loader))):
            train_epoch(truth, truth.draws(loader), model, lambda out, label: squared(out.squeeze(1), label.float()), optimizer)
        truth.finish()
