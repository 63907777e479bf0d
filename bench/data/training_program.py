#!/usr/bin/env python3
"""Train a small classifier of pictures and say its accuracy on held-out ones after each epoch.

    training_program.py TRAIN VALIDATION --seed N [--epochs 8] [--size 64] [--batch-size 32] [--workers 0]

Prints `epoch 3 accuracy 0.6125` lines. An ordinary script of torchvision: what serves its loaders is for whoever starts it.
"""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def small_cnn(classes):
    layers, channels = [], 3
    for wider in (16, 32, 64):
        layers += [nn.Conv2d(channels, wider, 3, stride=2, padding=1), nn.BatchNorm2d(wider), nn.ReLU()]
        channels = wider
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        right = sum((model(images).argmax(1) == labels).sum().item() for images, labels in loader)
    model.train()
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train")
    parser.add_argument("validation")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    to_numbers = [transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
    train = datasets.ImageFolder(options.train, transforms.Compose(
        [transforms.RandomResizedCrop(options.size), transforms.RandomHorizontalFlip(), *to_numbers]))
    held_out = datasets.ImageFolder(options.validation, transforms.Compose(
        [transforms.Resize(options.size * 8 // 7), transforms.CenterCrop(options.size), *to_numbers]))
    batches = DataLoader(train, options.batch_size, shuffle=True, drop_last=True, num_workers=options.workers)
    held_out_batches = DataLoader(held_out, 100, num_workers=options.workers)

    model = small_cnn(len(train.classes))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs * len(batches))
    for epoch in range(1, options.epochs + 1):
        for images, labels in batches:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch} accuracy {accuracy(model, held_out_batches):.4f}", flush=True)


if __name__ == "__main__":
    main()
