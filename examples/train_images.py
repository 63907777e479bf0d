#!/usr/bin/env python3
"""Train a small image classifier on a folder of pictures, one sub-folder a class.

    train_images.py FOLDER [--epochs 1] [--steps N] [--batch-size 32] [--workers 0]

An ordinary PyTorch script as people write their first one: pictures are
decoded and augmented in the training process. It knows of no profiler.
"""

import argparse
import pathlib
import random
import time

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


class ImageFolder(Dataset):
    def __init__(self, root, transform):
        self.classes = sorted(path.name for path in pathlib.Path(root).iterdir() if path.is_dir())
        self.samples = [
            (path, label) for label, name in enumerate(self.classes) for path in sorted(pathlib.Path(root, name).glob("*.jpg"))
        ]
        if not self.samples:
            raise SystemExit(f"{root}: no class folder with .jpg files in it")
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, label = self.samples[index]
        with Image.open(path) as file:
            image = file.convert("RGB")
        return self.transform(image), label


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image


class RandomResizedCrop:
    """A random part of 8 to 100 % of the area, 3:4 to 4:3, resized to a square."""

    def __init__(self, size):
        self.size = size

    def __call__(self, image):
        width, height = image.size
        for _ in range(10):
            area = width * height * random.uniform(0.08, 1.0)
            aspect = random.uniform(3 / 4, 4 / 3)
            w, h = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
            if w <= width and h <= height:
                break
        else:
            w = h = min(width, height)
        left, top = random.randint(0, width - w), random.randint(0, height - h)
        box = (left, top, left + w, top + h)
        return image.resize((self.size, self.size), Image.Resampling.BILINEAR, box=box)


class RandomHorizontalFlip:
    def __call__(self, image):
        return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if random.random() < 0.5 else image


class ToTensor:
    def __call__(self, image):
        pixels = torch.from_numpy(np.array(image))
        return pixels.permute(2, 0, 1).contiguous().float().div(255)


class Normalize:
    def __init__(self, mean, std):
        self.mean = torch.tensor(mean).view(3, 1, 1)
        self.std = torch.tensor(std).view(3, 1, 1)

    def __call__(self, pixels):
        return (pixels - self.mean) / self.std


def small_cnn(classes):
    def block(inside, outside):
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU()
        )

    return nn.Sequential(
        nn.Conv2d(3, 16, 7, stride=4, padding=3), nn.ReLU(), block(16, 32), block(32, 64), block(64, 128),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, classes),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, help="end each epoch after so many steps")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()

    random.seed(0)
    torch.manual_seed(0)
    transform = Compose([
        RandomResizedCrop(224), RandomHorizontalFlip(), ToTensor(),
        Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    dataset = ImageFolder(options.folder, transform)
    loader = DataLoader(dataset, batch_size=options.batch_size, shuffle=True, num_workers=options.workers)
    model = small_cnn(len(dataset.classes)).to(options.device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    steps = min(options.steps or len(loader), len(loader))
    print(f"{len(dataset)} images of {len(dataset.classes)} classes, {steps} steps an epoch", flush=True)

    for epoch in range(options.epochs):
        seen, began = 0, time.perf_counter()
        for step, (images, labels) in enumerate(loader, 1):
            images, labels = images.to(options.device), labels.to(options.device)
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            seen += len(labels)
            if step % 10 == 0 or step == steps:
                rate = seen / (time.perf_counter() - began)
                print(f"epoch {epoch + 1} step {step}/{steps} loss {loss.item():.3f} {rate:.1f} images/s", flush=True)
            if step == steps:
                break


if __name__ == "__main__":
    main()
