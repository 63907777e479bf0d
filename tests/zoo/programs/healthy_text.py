"""Nothing wrong: windows of a tokenised text, mapped from a file, one worker."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os
import tempfile

import numpy as np
import torch
from torch import nn
from truth import Truth
from work import Model, steps, train_epoch, workers

BATCH = 16
WINDOW = 64
VOCABULARY = 512
TOKENS = 1 << 20


class Windows(torch.utils.data.Dataset):
    def __init__(self, path):
        self.path, self.tokens = path, None

    def __len__(self):
        return BATCH * steps(120)

    def __getitem__(self, index):
        if self.tokens is None:
            self.tokens = np.memmap(self.path, dtype=np.uint16, mode="r")
        start = index * 997 % (TOKENS - WINDOW - 1)
        window = torch.from_numpy(self.tokens[start : start + WINDOW].astype(np.int64))
        return window, window[:1].float() / VOCABULARY


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 16)
        self.body = Model(0.022, 0.044)

    def forward(self, ids):
        return self.body(self.embedding(ids).mean(1))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        path = os.path.join(folder, "tokens.bin")
        np.random.default_rng(1).integers(0, VOCABULARY, TOKENS, dtype=np.uint16).tofile(path)
        truth = Truth()
        torch.manual_seed(1)
        torch.set_num_threads(1)
        model = Language()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.001)
        loader = torch.utils.data.DataLoader(
            Windows(path), batch_size=BATCH, shuffle=True, num_workers=workers(1)
        )
        train_epoch(truth, truth.draws(loader), model, nn.MSELoss(), optimizer)
        truth.finish()
