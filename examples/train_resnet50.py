#!/usr/bin/env python3
"""Train a ResNet-50 on a folder of pictures, with mixed precision on cuda.

    train_resnet50.py FOLDER [--steps N] [--batch-size 64] [--workers 0] [--device cuda]

The model is timm's, or torchvision's where timm is not installed.
"""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from train_images import Compose, ImageFolder, Normalize, RandomHorizontalFlip, RandomResizedCrop, ToTensor


def resnet50(classes):
    try:
        import timm
    except ImportError:
        import torchvision

        return torchvision.models.resnet50(num_classes=classes)
    return timm.create_model("resnet50", num_classes=classes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()

    transform = Compose([
        RandomResizedCrop(224), RandomHorizontalFlip(), ToTensor(),
        Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    dataset = ImageFolder(options.folder, transform)
    loader = DataLoader(dataset, batch_size=options.batch_size, shuffle=True, num_workers=options.workers, drop_last=True)
    model = resnet50(len(dataset.classes)).to(options.device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler(options.device, enabled=options.device == "cuda")

    step, began = 0, time.perf_counter()
    while step < options.steps:
        for images, labels in loader:
            images, labels = images.to(options.device), labels.to(options.device)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(options.device, dtype=torch.float16, enabled=options.device == "cuda"):
                loss = criterion(model(images), labels)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            step += 1
            if step % 20 == 0 or step == options.steps:
                rate = step * options.batch_size / (time.perf_counter() - began)
                print(f"step {step}/{options.steps} loss {loss.item():.3f} {rate:.1f} images/s", flush=True)
            if step == options.steps:
                break


if __name__ == "__main__":
    main()
