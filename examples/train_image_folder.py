#!/usr/bin/env python3
"""Train a small image classifier on torchvision's ImageFolder, with its usual transforms.

    train_image_folder.py FOLDER [--steps 50] [--batch-size 32] [--workers 0] [--size 224]

An ordinary PyTorch script that waits for its pictures. It knows nothing of flatout, and
`flatout run --plan` with dataloader.engine = "native" leaves it as it is.
"""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

from train_images import small_cnn


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--size", type=int, default=224)
    options = parser.parse_args()

    torch.manual_seed(0)
    transform = transforms.Compose([
        transforms.RandomResizedCrop(options.size),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    dataset = datasets.ImageFolder(options.folder, transform)
    loader = DataLoader(dataset, batch_size=options.batch_size, shuffle=True, num_workers=options.workers, drop_last=True)
    model = small_cnn(len(dataset.classes))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    step, began = 0, time.perf_counter()
    while step < options.steps:
        for images, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 10 == 0 or step == options.steps:
                rate = step * options.batch_size / (time.perf_counter() - began)
                print(f"step {step}/{options.steps} loss {loss.item():.3f} {rate:.1f} images/s", flush=True)
            if step == options.steps:
                break


if __name__ == "__main__":
    main()
