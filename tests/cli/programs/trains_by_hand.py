"""Trains for an epoch; its loader and optimizer are built in the forms that people write."""

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = TensorDataset(torch.randn(160, 8), torch.randn(160, 1))
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # plain (and slow)
    loader = DataLoader(
        data,
        batch_size=4,
        shuffle=True,  # as ever
    )
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    print("workers", loader.num_workers, "ahead", loader.prefetch_factor, "fused", optimizer.param_groups[0]["fused"])


if __name__ == "__main__":
    main()
