#!/usr/bin/env python3
"""Train a ResNet-50 on a folder of pictures as a first script would: no workers, float32, batch 32.

    resnet50.py FOLDER [--epochs 100] [--device cuda] [--hand-tuned]

--hand-tuned is what an engineer would make of it for one large GPU with 16 CPU cores. It stands here before
anything was measured, as the mark that `flatout tune` is held against.
"""

import argparse
import pathlib
import random
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from train_images import (Compose, ImageFolder, Normalize, RandomHorizontalFlip, RandomResizedCrop,  # noqa: E402
                          ToTensor)
from train_resnet50 import resnet50  # noqa: E402

HAND_TUNED = {"num_workers": 16, "prefetch_factor": 4, "pin_memory": True, "persistent_workers": True}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--hand-tuned", action="store_true")
    options = parser.parse_args()

    random.seed(0)
    torch.manual_seed(0)
    transform = Compose([
        RandomResizedCrop(224), RandomHorizontalFlip(), ToTensor(),
        Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    dataset = ImageFolder(options.folder, transform)
    tuned = options.hand_tuned
    loader = DataLoader(dataset, batch_size=options.batch_size, shuffle=True, drop_last=True, **(HAND_TUNED if tuned else {}))
    model = resnet50(len(dataset.classes)).to(options.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True if tuned else None)
    if tuned:
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.benchmark = True
        model = torch.compile(model.to(memory_format=torch.channels_last))
    criterion = nn.CrossEntropyLoss()
    for _ in range(options.epochs):
        for images, labels in loader:
            images = images.to(options.device, non_blocking=tuned)
            labels = labels.to(options.device, non_blocking=tuned)
            if tuned:
                images = images.contiguous(memory_format=torch.channels_last)
            with torch.autocast(torch.device(options.device).type, torch.bfloat16, enabled=tuned):
                loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
