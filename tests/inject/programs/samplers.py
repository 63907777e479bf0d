"""One epoch of each sampler; `Own` is the program's, whose length nobody may ask for."""

import numpy
import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, RandomSampler, Sampler, SubsetRandomSampler, TensorDataset, WeightedRandomSampler


class Own(Sampler):
    def __len__(self):
        raise AssertionError("asked for")

    def __iter__(self):
        return iter(range(3))


class OwnWeighted(WeightedRandomSampler):
    """Holds a number that is not the one it draws."""

    def __iter__(self):
        return iter(range(2))


data = TensorDataset(torch.ones(40, 4))
samplers = [
    RandomSampler(data),
    RandomSampler(data, replacement=True, num_samples=12),
    SubsetRandomSampler(range(30)),
    SubsetRandomSampler(numpy.arange(20)),
    WeightedRandomSampler([0.5] * 40, num_samples=100),
    DistributedSampler(data, num_replicas=4, rank=1),
    Own(),
    OwnWeighted([0.5] * 40, num_samples=100),
]
loaders = [DataLoader(data, batch_size=4, sampler=sampler) for sampler in samplers]
loaders.append(DataLoader(data, batch_sampler=BatchSampler(SubsetRandomSampler([1, 2, 3]), 2, drop_last=False)))
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for loader in loaders:
    for (x,) in loader:
        net(x).sum().backward()
        optimizer.step()
