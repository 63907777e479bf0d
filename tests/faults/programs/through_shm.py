"""A loader worker hands its batches over in /dev/shm, and the program keeps them all: MiB COUNT."""

import sys

import eager  # noqa: F401
import torch

mebibytes, count = float(sys.argv[1]), int(sys.argv[2])


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return count

    def __getitem__(self, index):
        return torch.full((int(mebibytes * (1 << 18)),), float(index))


kept = []
for batch in torch.utils.data.DataLoader(Samples(), batch_size=None, num_workers=1):
    kept.append(batch)
print("kept", len(kept), [batch[0].item() for batch in kept])
