"""A training that waits for its samples, and leaves its weights in argv[1]; argv[2]: epochs, argv[3]: "draws", "short" or nothing."""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
EPOCH = 60 if "short" in sys.argv else 480  # steps


class Slow(Dataset):
    def __len__(self):
        return EPOCH * 8

    def __getitem__(self, index):
        time.sleep(0.002)
        values = torch.sin(torch.arange(16.0) * index)
        return (values + torch.rand(16) if "draws" in sys.argv[3:] else values), index % 4


def main():
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Dropout(0.1), torch.nn.Linear(64, 4))
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(int(sys.argv[2])):
        for inputs, labels in DataLoader(Slow(), batch_size=8, shuffle=True):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item(), flush=True)
    torch.save(model.state_dict(), sys.argv[1])


if __name__ == "__main__":
    main()
