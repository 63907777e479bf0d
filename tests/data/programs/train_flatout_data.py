"""Trains on pictures that flatout.data makes, and evaluates on others; argv: where flatout's package lies, the pictures, epochs."""

import sys

import torch

sys.path.insert(0, sys.argv[1])
import flatout.data as data

torch.set_num_threads(1)
folder, epochs = sys.argv[2], int(sys.argv[3])
train = data.images(folder).shuffle(seed=0).random_resized_crop(64).flip().batch(4, threads=1)
valid = data.images(folder).resize([16, 16]).batch(2, threads=1)
model = torch.nn.Linear(12, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
pool = torch.nn.AdaptiveAvgPool2d(2)
for _ in range(epochs):
    for images, labels in train:
        loss = torch.nn.functional.cross_entropy(model(pool(torch.from_numpy(images)).flatten(1)), torch.from_numpy(labels))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        for images, _ in valid:
            model(pool(torch.from_numpy(images)).flatten(1))
print("samples", train.stats()["samples"], valid.stats()["samples"])
